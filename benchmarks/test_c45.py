"""What a C4.5 tree costs: growing and pruning beside J48's time, a whole `fit`, and how it grows."""

import numpy as np
import pandas as pd
import pytest

from swarmlit.c45 import C45Classifier, grow_tree, prune_tree
from swarmlit.data import make_table
from swarmlit.read import load_dataset

# Milliseconds that Weka 3.9.7 (J48, warm, one core of a small machine) takes to fit the table.
J48 = {"tic-tac-toe": 3.0, "pima": 3.3, "vehicle": 20.9, "soybean": 8.0, "ionosphere": 10.5}


@pytest.mark.parametrize("name", J48)
@pytest.mark.benchmark(group="c45: grow and prune")
def test_kernels(benchmark, name):
    table = make_table(*load_dataset(name, return_X_y=True))
    benchmark.extra_info["J48 (ms)"] = J48[name]
    tree = benchmark(lambda: prune_tree(grow_tree(table), table))
    assert len(tree.attribute) > 1


@pytest.mark.parametrize("name", J48)
@pytest.mark.benchmark(group="c45: fit, from the data frame")
def test_fit(benchmark, name):
    X, y = load_dataset(name, return_X_y=True)
    benchmark.extra_info["J48 (ms)"] = J48[name]
    assert benchmark(C45Classifier().fit, X, y).model_.n_leaves > 1


@pytest.mark.parametrize("name", J48)
@pytest.mark.benchmark(group="c45: predict, from the data frame")
def test_predict(benchmark, name):
    X, y = load_dataset(name, return_X_y=True)
    assert len(benchmark(C45Classifier().fit(X, y).predict, X)) == len(y)


@pytest.mark.parametrize("kind", ["20 numbers", "20 words"])
@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
@pytest.mark.benchmark(group="c45: how it grows")
def test_growth(benchmark, n, kind):
    random = np.random.default_rng(0)
    if kind == "20 numbers":
        X = random.normal(size=(n, 20))
        y = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(0, .3, n) > 0
        table = make_table(X, y)
    else:
        codes = random.integers(0, 4, (n, 20))
        y = np.where(random.random(n) < .05, random.integers(0, 3, n),
                     (codes[:, 0] + codes[:, 1] * codes[:, 2]) % 3)
        table = make_table(pd.DataFrame(codes.astype(str)).add_prefix("a"), y)
    tree = benchmark.pedantic(lambda: prune_tree(grow_tree(table), table), rounds=3,
                              warmup_rounds=1)
    assert len(tree.attribute) > 1
