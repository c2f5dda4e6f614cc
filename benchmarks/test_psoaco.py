"""PSO/ACO2: rules judged a second, beside the same in plain NumPy, and how a fit grows.

    make bench            or           pytest benchmarks/test_psoaco.py --benchmark-only -s

Kernel and NumPy judge the same rules; the benchmark checks that before it compares their speed.
"""

import resource

import numpy as np
import pandas as pd
import pytest

from swarmlit import PSOACO2Classifier, load_dataset
from swarmlit.data import make_table
from swarmlit.psoaco import Layout, Space, Swarm, _seed_bounds

N = 2000  # rules judged in a round
JUDGEMENT = (0, 2.0, 10)


def swarm_of(name):
    """Two thousand particles for the first class of a table, their rules tossed and judged once."""
    table = make_table(*load_dataset(name, return_X_y=True))
    layout = Layout(Space(table), np.ones(table.n_cases, bool), 0)
    swarm = Swarm(layout, N, "ring", np.random.SeedSequence(0))
    _seed_bounds(swarm.position, layout.space.scaled, swarm.cases, layout.positive, swarm.states)
    swarm.tau *= .5
    judge(swarm)
    return table, swarm


def judge(swarm):
    swarm.best_quality[:] = -1  # nothing is remembered, so every rule is counted
    swarm.judge(0, N, swarm.tau, True, JUDGEMENT)


def judge_in_numpy(swarm, y):
    """True and false positives of the same rules, one comparison of columns after the other."""
    space, codes = swarm.layout.space, swarm.layout.space.codes
    tp, fp = np.zeros(N, int), np.zeros(N, int)
    for x in range(N):
        covered, seed = np.ones(len(y), bool), codes[swarm.cases[x]]
        for d in np.flatnonzero(swarm.on[x]):
            covered &= codes[:, d] == seed[d]
        for a, (lower, upper) in enumerate(swarm.position[x].reshape(-1, 2)):
            if lower < upper:
                if lower > 0:
                    covered &= space.scaled[:, a] >= lower
                if upper <= 1:
                    covered &= space.scaled[:, a] < upper
        tp[x], fp[x] = (covered & (y == 0)).sum(), (covered & (y != 0)).sum()
    return tp, fp


TABLES = ["ionosphere", "segmentation", "mushroom-5644", "pima", "tic-tac-toe"]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.benchmark(group="psoaco: two thousand rules judged")
def test_judging_kernel(benchmark, name):
    table, swarm = swarm_of(name)
    benchmark.pedantic(judge, (swarm,), rounds=20, warmup_rounds=3)
    rate = N / benchmark.stats.stats.min
    benchmark.extra_info["million rules a second"] = round(rate / 1e6, 2)
    print(f"\n{name}: {rate / 1e6:.2f} million rules a second")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.benchmark(group="psoaco: two thousand rules judged")
def test_judging_numpy(benchmark, name):
    table, swarm = swarm_of(name)
    tp, fp = benchmark.pedantic(judge_in_numpy, (swarm, table.y), rounds=3, warmup_rounds=1)
    assert (swarm.tp == tp).all()
    assert (swarm.fp == fp)[tp > 0].all()


@pytest.mark.parametrize("name", ["pima", "tic-tac-toe", "heart-c", "credit-a", "vehicle", "ionosphere"])
@pytest.mark.benchmark(group="psoaco: a fit, from frame to rules")
def test_fit(benchmark, name):
    X, y = load_dataset(name, return_X_y=True)
    model = benchmark.pedantic(PSOACO2Classifier(random_state=0).fit, (X, y), rounds=3, warmup_rounds=1)
    rules = len(model.history_) * 100
    benchmark.extra_info["million rules a second"] = round(rules / benchmark.stats.stats.min / 1e6, 2)
    print(f"\n{name}: {1000 * benchmark.stats.stats.min:.0f} ms, {rules} rules judged, "
          f"{rules / benchmark.stats.stats.min / 1e6:.2f} million a second with everything")


@pytest.mark.parametrize("n", [10**3, 10**4, 10**5])
@pytest.mark.benchmark(group="psoaco: growth, ten numbers and five words, three searches")
def test_growth(benchmark, n):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 10))).add_prefix("x")
    for i in range(5):
        X[f"w{i}"] = rng.choice(list("abcd"), n)
    y = np.where((X.x0 + X.x1 * X.x2 > .3) | (X.w0 == "a"), "yes", "no")
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before = peak()
    swarm = PSOACO2Classifier(random_state=0, callbacks=lambda state: state["rule"] == 4)
    model = benchmark.pedantic(swarm.fit, (X, y), rounds=2, warmup_rounds=1)
    judged = len(model.history_) * 100
    benchmark.extra_info["ns_per_case_and_rule"] = round(
        benchmark.stats.stats.min * 1e9 / n / judged, 3)
    benchmark.extra_info["peak_MB_over_input"] = round(peak() - before)
    print(f"\n{n:>8} cases: {benchmark.stats.stats.min:.3f} s, {benchmark.extra_info}")
