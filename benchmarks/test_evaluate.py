"""What an experiment adds to the runs it is made of: claims, storing, fingerprints, statistics."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from swarmlit.evaluate import Experiment, Store, compare, rank_tests, table_fingerprint

CHEAP = {"a": DummyClassifier(), "b": DummyClassifier(strategy="stratified")}


@pytest.mark.parametrize("kept", ["in memory", "in a file"])
@pytest.mark.benchmark(group="evaluate: 200 runs that cost next to nothing")
def test_overhead(benchmark, tmp_path, kept):
    paths = (tmp_path / f"{i}.sqlite" for i in range(10**6))
    again = lambda: compare(CHEAP, "labor", store=next(paths) if kept == "in a file" else None)
    assert len(benchmark(again).frame) == 200


@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.benchmark(group="evaluate: going on where everything is done")
def test_nothing_left_to_do(benchmark, tmp_path, n):
    store = tmp_path / "s.sqlite"
    experiment = Experiment(CHEAP, "labor", repeats=n // 20)
    row = {"accuracy": 50.0, "error": None}
    with Store(store) as opened:
        opened.save([r._asdict() | experiment.facts(r.learner, "labor") | row
                     for r in experiment.runs])
    again = lambda: compare(CHEAP, "labor", repeats=n // 20, store=store)
    assert len(benchmark(again).frame) == n


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
@pytest.mark.benchmark(group="evaluate: fingerprint of 10 numbers and 10 words")
def test_fingerprint(benchmark, n):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 10))).assign(
        **{f"word {i}": rng.choice(list("abcde"), n) for i in range(10)})
    assert len(benchmark(table_fingerprint, X, pd.Series(rng.choice(["x", "y"], n)))) == 16


@pytest.mark.benchmark(group="evaluate: all pairs of 20 learners on 100 tables")
def test_rank_tests(benchmark):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 20))).add_prefix("l")
    assert len(benchmark(rank_tests, table)) == 190
