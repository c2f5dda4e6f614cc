"""The first strings of the genetic search, bit by bit."""
import numpy as np

from swarmlit.bits import streams
from swarmlit.garules import _first_strings


def test_first_strings_cover_cases_with_holes_too():
    "Where a value is missing the string must ask for nothing, or it would not cover its own case."
    codes = np.array([[-1, 0], [1, -1]], np.int32)
    first, population = np.array([0, 2, 5]), np.empty((40, 5), np.uint8)
    states = streams(np.random.SeedSequence(0), 40)
    _first_strings(population, first, codes, np.array([0, 1]), 0.0, states)
    assert set(map(tuple, population.tolist())) == {(1, 1, 1, 0, 0), (0, 1, 1, 1, 1)}
