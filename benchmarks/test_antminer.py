"""Ant-Miner: microseconds an ant, beside the same loop in plain NumPy, and how a fit grows.

    make bench            or           pytest benchmarks/test_antminer.py --benchmark-only -s

The kernel and the NumPy loop draw from the same random streams, so they build the same rules; the
benchmark checks that before it compares their speed.
"""

import resource

import numpy as np
import pandas as pd
import pytest

from swarmlit import AntMinerClassifier, load_dataset
from swarmlit.antminer import Stock, _march, _Search
from swarmlit.bits import pack, streams, uniform, unpack
from swarmlit.data import make_table

MIN_CASES = 10


# ---- the same loop, in plain NumPy ---------------------------------------------------------------


def quality(covered, y, totals):
    """Sensitivity times specificity of the majority class, and that class."""
    counts = np.bincount(y[covered], minlength=len(totals))
    c = counts.argmax()
    tp, fp = counts[c], counts.sum() - counts[c]
    fn, tn = totals[c] - tp, totals.sum() - totals[c] - fp
    return tp / (tp + fn) * (tn / (fp + tn)), c


def build(masks, owner, chance, states, ant):
    available, covered, rule = np.ones(len(masks), bool), np.ones(masks.shape[1], bool), []
    while available.any():
        left = np.where(available, chance, 0.0)
        steps = np.cumsum(left)
        t = int(np.searchsorted(steps, uniform(states, ant) * steps[-1], side="right"))
        t = t if t < len(masks) and available[t] else int(left.argmax())
        both = covered & masks[t]
        if both.sum() < MIN_CASES:
            available[t] = False
            continue
        covered = both
        rule.append(t)
        available[owner == owner[t]] = False
    return rule


def prune(rule, masks, y, totals):
    cover = lambda terms: np.logical_and.reduce(masks[terms])
    q, c = quality(cover(rule), y, totals)
    while len(rule) > 1:
        shorter = [rule[:k] + rule[k + 1:] for k in range(len(rule))]
        judged = [quality(cover(terms), y, totals) for terms in shorter]
        best = max(reversed(range(len(rule))), key=lambda k: judged[k][0])
        if judged[best][0] <= q:
            break
        rule, (q, c) = shorter[best], judged[best]
    return rule, q, c


def ants_in_numpy(masks, owner, y, eta, states, n_ants):
    """The rules and qualities of `n_ants` ants, one after the other, pheromone included."""
    tau, totals = np.full(len(masks), 1 / len(masks)), np.bincount(y)
    rules, qualities = [], []
    for ant in range(n_ants):
        rule, q, c = prune(build(masks, owner, eta * tau, states, ant), masks, y, totals)
        tau[rule] *= 1 + q
        tau /= tau.sum()
        rules.append((frozenset(rule), c))
        qualities.append(q)
    return rules, qualities


# ---- tic-tac-toe: one ant ------------------------------------------------------------------------


def problem(n_ants):
    table = make_table(*load_dataset("tic-tac-toe", return_X_y=True))
    stock, everyone = Stock(table), pack(np.ones(table.n_cases, bool))
    search = _Search(stock, everyone, np.ones(2), "entropy", n_ants, np.random.SeedSequence(0))
    return table, stock, search


def march(stock, s, n_ants):
    _march(0, n_ants, 1, n_ants + 1, *stock.arrays, s.weight, s.totals, s.active, s.eta, s.tau,
           s.states, MIN_CASES, 0.0, 0, True, False, 0, 0.0, 0, s.paths, s.qualities, s.classes,
           s.entropies, s.progress)


@pytest.mark.benchmark(group="a thousand ants on tic-tac-toe (958 cases, 27 terms)")
def test_ants_kernel(benchmark):
    benchmark.pedantic(lambda stock, s: march(stock, s, 1000), rounds=20, warmup_rounds=2,
                       setup=lambda: (problem(1000)[1:], {}))


@pytest.mark.benchmark(group="a thousand ants on tic-tac-toe (958 cases, 27 terms)")
def test_ants_numpy(benchmark):
    table, stock, search = problem(1000)
    masks = unpack(stock.bits, table.n_cases)
    seed = np.random.SeedSequence(0)
    rules, qualities = benchmark.pedantic(
        lambda states: ants_in_numpy(masks, stock.owner, table.y, search.eta, states, 1000),
        rounds=3, setup=lambda: ((streams(seed, 1000),), {}))
    march(stock, search, 1000)
    built = [(frozenset(path[path >= 0].tolist()), c)
             for path, c in zip(search.paths, search.classes)]
    assert built == rules
    assert np.allclose(search.qualities, qualities)


# ---- whole fits ----------------------------------------------------------------------------------

SEGMENTS = np.array([[int(bit) for bit in digit] for digit in (
    "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011").split()])


def led(n, seed=0):
    """Digits of a broken display: 7 segments that flip with 10 %, 17 columns of noise, 10 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 10, n)
    segments = SEGMENTS[y] ^ (rng.random((n, 7)) < .1)
    cells = np.hstack([segments, rng.integers(0, 2, (n, 17))])
    return pd.DataFrame(cells, columns=[f"a{i}" for i in range(24)]).astype("category"), y


def nominal(n, seed=0):
    """Twenty attributes of four values; five of them decide among three classes, 5 % noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, 20)).astype(np.int8)
    y = ((codes[:, 0] == 1) | (codes[:, 1] == codes[:, 2])).astype(int) + (codes[:, 3] == 0)
    y = np.where(rng.random(n) < .05, rng.integers(0, 3, n), y)
    columns = {f"a{i}": pd.Categorical.from_codes(codes[:, i], list("abcd")) for i in range(20)}
    return pd.DataFrame(columns), y


@pytest.mark.benchmark(group="a fit, from frame to rules")
@pytest.mark.parametrize("name", ["zoo", "voting", "tic-tac-toe", "car", "soybean", "led 10000"])
def test_fit(benchmark, name):
    X, y = led(10_000) if name.startswith("led") else load_dataset(name, return_X_y=True)
    model = benchmark.pedantic(AntMinerClassifier(random_state=0).fit, (X, y), rounds=5,
                               warmup_rounds=1)
    benchmark.extra_info["ants"] = len(model.history_)
    benchmark.extra_info["accuracy"] = round(model.score(X, y), 3)


@pytest.mark.benchmark(group="growth: 20 nominal attributes, 1201 ants")
@pytest.mark.parametrize("n", [10**4, 10**5, 10**6])
def test_growth(benchmark, n):
    X, y = nominal(n)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before = peak()
    four_searches = lambda state: state["rule"] == 5  # the fifth search stops after one ant
    ants = AntMinerClassifier(random_state=0, n_ants=300, n_rules_converge=300,
                              callbacks=four_searches)
    model = benchmark.pedantic(ants.fit, (X, y), rounds=3, warmup_rounds=1)
    benchmark.extra_info["ants"] = len(model.history_)
    benchmark.extra_info["peak_MB_over_input"] = round(peak() - before)
    benchmark.extra_info["ns_per_case_and_ant"] = round(
        benchmark.stats.stats.min * 1e9 / n / len(model.history_), 2)
    print(f"\n{n:>8} cases: {benchmark.stats.stats.min:.3f} s, {benchmark.extra_info}")
