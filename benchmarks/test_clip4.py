"""CLIP4: phase 1 beside the same in plain NumPy, with and without the shortcut, and how fits grow.

    make bench            or           pytest benchmarks/test_clip4.py --benchmark-only -s

The NumPy version compares cases and negatives as arrays of codes and solves each set covering
problem in the six steps; the benchmark checks that both end in the same leaves.
"""

import numpy as np
import pandas as pd
import pytest

from swarmlit import CLIP4Classifier, load_dataset
from swarmlit.bits import unpack
from swarmlit.clip4 import Coded, Growth, OneClass, contradictions
from swarmlit.data import make_table
from swarmlit.discretize import cut_points
from swarmlit.setcover import set_cover

N_BEST = 3


def six_steps(matrix):
    """Columns of a 0/1 matrix chosen by CLIP4's set covering, in plain NumPy."""
    active, inactive, chosen = matrix.any(1), np.zeros(len(matrix), bool), []
    ones = matrix.sum(1)
    while active.any():
        min_rows = active & (ones == ones[active].min())
        judged = zip(matrix[min_rows].sum(0), matrix[active].sum(0), -matrix[inactive].sum(0))
        best = max(enumerate(judged), key=lambda pair: (pair[1], -pair[0]))[0]
        chosen.append(best)
        inactive |= active & (matrix[:, best] == 1)
        active &= matrix[:, best] == 0
    return chosen


def phase_1(positives, negatives, shortcut):
    """Leaves as boolean masks of the positives."""
    nodes = [np.ones(len(positives), bool)]
    for negative in negatives:
        differs, solved = (positives != negative).astype(int), []
        for node in nodes:
            everywhere = differs[node].all(0) if shortcut else np.zeros(1, bool)
            sol = [int(everywhere.argmax())] if everywhere.any() else six_steps(differs[node])
            solved.append((node.sum() / len(sol) if sol else 0.0, node, sorted(sol)))
        best = sorted(range(len(solved)), key=lambda i: -solved[i][0])[:N_BEST]
        children = []
        for i in sorted(best):
            for k in solved[i][2]:
                child = solved[i][1] & (differs[:, k] == 1)
                if any((child <= other).all() for other in children):
                    continue
                children = [c for c in children if not (c <= child).all()] + [child]
        nodes = children
    return nodes


def problem(name="vehicle", label=0):
    table = make_table(*load_dataset(name, return_X_y=True))
    coded = Coded(table, cut_points(table, "caim"))
    one = OneClass(coded, coded.codes, table.y == label)
    one = one.without(contradictions(one))
    positives = coded.codes[table.y == label]
    negatives = one.rows - coded.first[:-1]
    return one, positives, negatives


def kernel(one):
    growth = Growth(one, one.everyone, n_best=N_BEST)
    while not growth.grow():
        pass
    return growth.leaves


GROUP = "phase 1 on vehicle, one class (212 positives, 18 attributes)"


@pytest.mark.benchmark(group=GROUP)
def test_phase_1_kernel(benchmark):
    one, _, _ = problem()
    kernel(one)                                                            # compiles
    benchmark.pedantic(kernel, args=(one,), rounds=20)


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("shortcut", [True, False])
def test_phase_1_numpy(benchmark, shortcut):
    one, positives, negatives = problem()
    leaves = benchmark.pedantic(phase_1, args=(positives, negatives, shortcut), rounds=2)
    assert np.array_equal(unpack(kernel(one), one.n), leaves)


@pytest.mark.benchmark(group="set covering, 100 000 rows and 20 columns")
def test_set_cover_kernel(benchmark):
    matrix = np.random.default_rng(1).random((100_000, 20)) < .3
    set_cover(matrix)
    benchmark.pedantic(set_cover, args=(matrix,), rounds=10)


@pytest.mark.benchmark(group="set covering, 100 000 rows and 20 columns")
def test_set_cover_numpy(benchmark):
    matrix = np.random.default_rng(1).random((100_000, 20)) < .3
    chosen = benchmark.pedantic(six_steps, args=(matrix.astype(int),), rounds=3)
    assert chosen == set_cover(matrix).tolist()


def concept(n, seed=0):
    """Twelve attributes of four values, three of which matter; 2 % of the classes are wrong."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 4, (n, 12))
    yes = (cells[:, 0] == 1) | (cells[:, 1] > 1) & (cells[:, 2] < 2)
    return pd.DataFrame(cells).astype("category").rename(columns=str), yes ^ (rng.random(n) < .02)


@pytest.mark.benchmark(group="whole fits of a simple concept with 2 % noise")
@pytest.mark.parametrize("n", [1000, 2000, 4000, 8000, 16000])
def test_fit_grows(benchmark, n):
    X, y = concept(n)
    CLIP4Classifier().fit(X[:500], y[:500])
    model = benchmark.pedantic(CLIP4Classifier().fit, args=(X, y), rounds=1)
    benchmark.extra_info["rules"] = len(model.rules_.rules)
