"""What a tree costs an ant (built, collapsed, judged), how that grows, and whole fits beside MYRA's."""

import numpy as np
import pandas as pd
import pytest

from swarmlit.anttree import AntTreeMinerClassifier, Colony
from swarmlit.base import Threads
from swarmlit.c45 import training_cases
from swarmlit.data import make_table
from swarmlit.read import load_dataset

ANTS = 50
SEED = np.random.SeedSequence(0)
# Milliseconds a tree: of a plain prototype that sorts at every node, and of MYRA 5.0 (one core).
PLAIN = {"pima": .67, "tic-tac-toe": .20, "segmentation": 2.1, "car": .10, "credit-g": .51}
MYRA = {300: 12.0, 1000: 99.0, 5000: 1490.0}
MYRA_FIT = {"zoo": 1.53, "iris": .60, "wine": 1.36}  # seconds, colony 5, 40 without improvement


def ready_colony(table, iterations=2, size=ANTS, threads=1):
    "A colony that has laid some pheromone, and a function that sends it out."
    colony = Colony(training_cases(table), table.n_classes, size, SEED)
    team = Threads(threads)
    for _ in range(iterations):
        tree, quality = colony.best_of(colony.send(team))
        colony.pheromone.deposit(tree, quality)
    return colony, lambda: colony.send(team)


def numbers_table(n, m, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    return make_table(X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, .3, n) > 0)


def words_table(n, m, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, m))
    y = np.where(rng.random(n) < .05, rng.integers(0, 3, n), (codes[:, 0] + codes[:, 1] * codes[:, 2]) % 3)
    return make_table(pd.DataFrame(codes.astype(str)).add_prefix("a"), y)


def waveform(n, seed=0):
    "Breiman's waveforms: 21 numbers, three classes, each a mixture of two of three triangles."
    rng = np.random.default_rng(seed)
    place = np.arange(21)
    triangles = np.array([np.maximum(6 - abs(place - centre), 0) for centre in (6, 14, 10)])
    y, u = rng.integers(0, 3, n), rng.random((n, 1))
    first, second = np.array([0, 0, 1])[y], np.array([1, 2, 2])[y]
    X = u * triangles[first] + (1 - u) * triangles[second] + rng.normal(size=(n, 21))
    return make_table(X, y.astype(str))


@pytest.mark.parametrize("name", ["iris", "wine", *PLAIN])
@pytest.mark.benchmark(group="anttree: 50 trees built, collapsed and judged")
def test_trees(benchmark, name):
    _, send = ready_colony(make_table(*load_dataset(name, return_X_y=True)))
    benchmark.extra_info["plain prototype (ms for 50)"] = 50 * PLAIN.get(name, float("nan"))
    assert benchmark.pedantic(send, rounds=20, warmup_rounds=1).max() > 0


@pytest.mark.parametrize("name", ["tic-tac-toe", "pima", "segmentation"])
@pytest.mark.benchmark(group="anttree: an iteration beside its ants (best tree again, pruning, update)")
def test_rest_of_an_iteration(benchmark, name):
    colony, send = ready_colony(make_table(*load_dataset(name, return_X_y=True)))

    def rest():
        tree, quality = colony.best_of(colony.notes.quality)
        colony.pheromone.deposit(tree, quality)
        return colony.pheromone.entropy(tree)

    send()
    assert 0 <= benchmark.pedantic(rest, rounds=20, warmup_rounds=1) <= 1


@pytest.mark.parametrize("n", MYRA)
@pytest.mark.benchmark(group="anttree: 50 trees on waveforms, 21 numbers")
def test_waveform(benchmark, n):
    _, send = ready_colony(waveform(n))
    benchmark.extra_info["MYRA (ms for 50)"] = 50 * MYRA[n]
    assert benchmark.pedantic(send, rounds=3, warmup_rounds=1).max() > 0


@pytest.mark.parametrize("make", [numbers_table, words_table], ids=["numbers", "words"])
@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
@pytest.mark.benchmark(group="anttree: 5 trees, growth with the rows, 20 columns")
def test_growth_with_rows(benchmark, n, make):
    _, send = ready_colony(make(n, 20), iterations=1, size=5)
    assert benchmark.pedantic(send, rounds=3, warmup_rounds=1).max() > 0


@pytest.mark.parametrize("m", [5, 20, 80])
@pytest.mark.benchmark(group="anttree: 50 trees, growth with the columns, 2000 rows")
def test_growth_with_columns(benchmark, m):
    _, send = ready_colony(numbers_table(2000, m), iterations=1)
    assert benchmark.pedantic(send, rounds=3, warmup_rounds=1).max() > 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.benchmark(group="anttree: 50 trees on segmentation, threads")
def test_threads(benchmark, threads):
    table = make_table(*load_dataset("segmentation", return_X_y=True))
    _, send = ready_colony(table, threads=threads)
    assert benchmark.pedantic(send, rounds=5, warmup_rounds=1).max() > 0


@pytest.mark.parametrize("name", MYRA_FIT)
@pytest.mark.benchmark(group="anttree: whole fits with MYRA's colony of 5, 40 without improvement")
def test_fit(benchmark, name):
    X, y = load_dataset(name, return_X_y=True)
    benchmark.extra_info["MYRA (s)"] = MYRA_FIT[name]
    ants = AntTreeMinerClassifier(colony_size=5, convergence="no_improvement", n_trees_converge=40,
                                  restart=True, cuts="boundary", random_state=0)
    assert benchmark.pedantic(ants.fit, (X, y), rounds=3, warmup_rounds=1).score(X, y) > .8


def test_memory_of_an_ant_is_bounded_by_the_cases():
    table = numbers_table(20_000, 10)
    colony, _ = ready_colony(table, iterations=1, size=5)
    room = sum(array.nbytes for array in colony.workers[0].room)
    assert room < 80 * 20_000
