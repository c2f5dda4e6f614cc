"""Cuts where several are equally good, and cuts against code written to be obvious."""
import numpy as np
import pandas as pd
import pytest

from swarmlit.data import make_table
from swarmlit.discretize import _best_cut, caim, caim_cuts


def test_of_equally_good_cuts_the_first_is_taken():
    "So that a column and its twin, sorted alike, are cut alike on every machine."
    x, y = np.arange(4.0), np.array([0, 1, 1, 0], np.int32)
    room = np.empty(2), np.empty(2), np.empty(2)
    cut, after = _best_cut(x, y, 0, 4, *room)
    assert cut == 1 and after == pytest.approx(3 / 4 * (np.log2(3) - 2 / 3))


def slow_caim_cuts(x, y):
    "Kurgan and Cios (2004): the boundary that raises CAIM most, until it no longer does."
    boundaries = [(a + b) / 2 for a, b in zip(np.unique(x), np.unique(x)[1:])]
    classes, cuts, reached = np.unique(y), [], 0.0

    def worth(cuts):
        place = np.searchsorted(sorted(cuts), x)
        return caim([[np.sum((place == i) & (y == c)) for i in range(len(cuts) + 1)] for c in classes])

    while len(cuts) < len(boundaries):
        left = [b for b in boundaries if b not in cuts]
        values = [worth([*cuts, b]) for b in left]
        best = next(i for i, v in enumerate(values) if v >= max(values) * (1 - 1e-12))
        if len(cuts) + 1 >= len(classes) and values[best] <= reached * (1 + 1e-12):
            break
        cuts.append(left[best])
        reached = values[best]
    return sorted(cuts)


@pytest.mark.parametrize("seed", range(12))
def test_caim_cuts_as_slow_code_does(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, 40).astype(float)
    y = np.where(rng.random(40) < .2, rng.integers(0, 3, 40), (x // 4).astype(int))
    table = make_table(pd.DataFrame({"x": x}), y)
    assert caim_cuts(table, 0).tolist() == slow_caim_cuts(x, y)
