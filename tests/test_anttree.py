"""Ant-Tree-Miner beside a slow and obvious implementation, and its hard inputs."""
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from registry import check_answers, mixed_table
from swarmlit import load_dataset
from swarmlit.anttree import (AntTreeMinerClassifier, Colony, ant_rules, heuristic,
                              pheromone_limits, rank_cases, sort_stretch)
from swarmlit.base import Threads
from swarmlit.bits import uniform
from swarmlit.c45 import training_cases
from swarmlit.data import make_table

TINY = 1e-6


# ------------------------------------------------------------------------------ a slow and obvious ant

def info(classes):
    p = classes[classes > 0] / classes.sum()
    return float(-(p * np.log2(p)).sum())


class SlowAnt:
    """Lists of (case, weight), recursion turned into a list of open nodes, nothing kept sorted."""

    def __init__(self, cases, n_classes, eta, m, trail, draw_number):
        self.cases, self.k, self.eta, self.m, self.trail = cases, n_classes, eta, m, trail
        self.draw_number = draw_number

    def classes(self, part):
        return np.bincount([self.cases.y[i] for i, _ in part], [w for _, w in part], self.k)

    def value(self, a, case):
        slot = self.cases.slots[a]
        if self.cases.n_values[a]:
            return int(self.cases.codes[case, slot])
        return float(self.cases.numbers[case, slot])

    def known(self, a, part):
        return [(i, w) for i, w in part if self.value(a, i) >= 0 or
                (not self.cases.n_values[a] and not np.isnan(self.value(a, i)))]

    def cut(self, a, part):
        known = self.known(a, part)
        if len(known) < 2:
            return None
        whole = self.classes(known)
        side = max(self.m, min(.1 * whole.sum() / self.k, 25))
        numbers = sorted({self.value(a, i) for i, _ in known})
        best, found = -1.0, None
        for low, high in zip(numbers, numbers[1:]):
            left = self.classes([(i, w) for i, w in known if self.value(a, i) <= low])
            right = whole - left
            if min(left.sum(), right.sum()) < side - TINY:
                continue
            inside = (left.sum() * info(left) + right.sum() * info(right)) / whole.sum()
            gain = whole.sum() / sum(w for _, w in part) * (info(whole) - inside)
            if gain > best + TINY:
                middle = low / 2 + high / 2
                column = self.cases.numbers[:, self.cases.slots[a]]
                best, found = gain, float(np.nanmax(column[column <= middle]))
        return found

    def split(self, a, part):
        """Threshold and (share, part) of each branch, or None if the split is not admitted."""
        t, n = None, int(self.cases.n_values[a])
        if not n:
            t, n = self.cut(a, part), 2
            if t is None:
                return None
        known = self.known(a, part)
        unknown = [p for p in part if p not in known]
        branch = lambda i: self.value(a, i) if t is None else int(self.value(a, i) > t)
        parts = [[(i, w) for i, w in known if branch(i) == b] for b in range(n)]
        weights = [sum(w for _, w in p) for p in parts]
        whole = sum(weights)
        if sum(w >= self.m - TINY for w in weights) < 2:
            return None
        shares = [w / whole for w in weights]
        full = [[p for p in part if p in own or (p in unknown and s > 0)] for own, s in zip(parts, shares)]
        return t, [(s, [(i, w * s if (i, w) in unknown else w) for i, w in p])
                   for s, p in zip(shares, full)]

    def grow(self):
        part = [(i, float(w)) for i, w in enumerate(self.cases.weights)]
        root = {"part": part, "edge": None, "level": 0, "used": ()}
        open_nodes = [root]
        while open_nodes:
            node = open_nodes.pop()
            classes = self.classes(node["part"])
            node["classes"] = classes
            if classes.sum() < 2 * self.m - TINY or classes.max() > classes.sum() - TINY:
                continue
            tau = self.trail.get((node["edge"], node["level"]))
            chance = [e * (1.0 if tau is None else tau[a]) for a, e in enumerate(self.eta)]
            for a in node["used"]:
                chance[a] = 0
            while sum(chance) > 0:
                point = self.draw_number() * sum(chance)
                for a, c in enumerate(chance):
                    if c <= 0:
                        continue
                    chosen = a
                    point -= c
                    if point < 0:
                        break
                found = self.split(chosen, node["part"])
                if found:
                    self.open(node, chosen, *found, open_nodes)
                    break
                chance[chosen] = 0
        return self.collapse(root)[0]

    def open(self, node, a, t, branches, open_nodes):
        node["asks"], node["children"] = (a, t), []
        for b, (share, part) in enumerate(branches):
            used = node["used"] + ((a,) if t is None else ())
            child = {"part": part, "edge": (a, t, b), "level": node["level"] + 1, "used": used,
                     "classes": self.classes(part)}
            node["children"].append(child)
            if part:
                open_nodes.append(child)

    def collapse(self, node):
        errors = node["classes"].sum() - node["classes"].max()
        if "asks" not in node:
            return ("leaf", node["classes"].round(6).tolist()), errors
        below = [self.collapse(child) for child in node["children"]]
        if sum(e for _, e in below) >= errors - 1e-3:
            return ("leaf", node["classes"].round(6).tolist()), errors
        return (*node["asks"], [tree for tree, _ in below]), sum(e for _, e in below)


def nested(tree, node=0):
    a = int(tree.attribute[node])
    if a < 0:
        return "leaf", tree.class_weights[node].round(6).tolist()
    t = float(tree.threshold[node])
    children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
    return a, None if np.isnan(t) else t, [nested(tree, child) for child in children]


def questions(tree, edge=None, level=0):
    """Edge, level and attribute of every question of a nested tree."""
    if tree[0] == "leaf":
        return set()
    a, t, children = tree
    below = [questions(child, (a, t, b), level + 1) for b, child in enumerate(children)]
    return {(edge, level, a)}.union(*below)


def slow_update(trail, state, tree, quality, m):
    asked = questions(tree)
    if quality > state["best"]:
        state["best"] = quality
        state["limits"] = pheromone_limits(quality, n_questions(tree), m)
    low, high = state["limits"]
    for edge, level, _ in asked:
        trail.setdefault((edge, level), np.full(m, high))
    for key, tau in trail.items():
        tau *= .9
        for edge, level, a in asked:
            if (edge, level) == key:
                tau[a] += quality
        np.clip(tau, low, high, out=tau)


def n_questions(tree):
    return 0 if tree[0] == "leaf" else 1 + sum(map(n_questions, tree[2]))


def odd_table(seed, n=70):
    """Words and numbers with ties and holes, three classes, sometimes weights."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(list("uvw"), n), "x": rng.integers(0, 9, n).astype(float),
                      "b": rng.choice(["s", "t"], n), "y": rng.normal(size=n).round(1)})
    y = np.where((X.x > 4) ^ (X.b == "s"), "p", np.where(X.a == "u", "q", "r"))
    y = np.where(rng.random(n) < .15, rng.choice(list("pqr"), n), y)
    for name in ("a", "x") if seed % 3 else ():
        X.loc[rng.random(n) < .12, name] = None if name == "a" else np.nan
    weights = rng.integers(1, 3, n).astype(float) if seed % 4 == 1 else None
    return make_table(X, y, weights=weights)


@pytest.mark.parametrize("seed", range(8))
def test_ants_build_what_a_slow_and_obvious_ant_builds(seed):
    "Three iterations of six ants: trees, deposits and limits."
    table, m, size = odd_table(seed), 2 + seed % 2, 6
    cases, k = training_cases(table), table.n_classes
    colony = Colony(cases, k, size, np.random.SeedSequence(seed), ant_rules(m), pruning=False)
    eta = heuristic(cases, k, min_cases=m)
    states, trail, state = colony.states.copy(), {}, {"best": -1.0}
    with Threads(1) as threads:
        for _ in range(3):
            qualities = colony.send(threads)
            slow = [SlowAnt(cases, k, eta, m, trail, lambda: uniform(states, ant)).grow()
                    for ant in range(size)]
            for ant in range(size):
                assert nested(colony.tree_of(ant)) == slow[ant]
            assert (colony.states == states).all()
            best = int(qualities.argmax())
            colony.pheromone.deposit(colony.tree_of(best), qualities[best])
            slow_update(trail, state, slow[best], qualities[best], len(eta))
            assert colony.pheromone.n_rows == len(trail)
            rows = sorted(colony.pheromone.trail.tau[:len(trail)].round(9).tolist())
            assert rows == sorted(np.round(list(trail.values()), 9).tolist())


@pytest.mark.parametrize("n", [1, 2, 23, 24, 25, 100, 5000])
def test_stretches_are_sorted_like_numpy_sorts(n):
    rng = np.random.default_rng(n)
    numbers = rng.integers(0, 40, 6000).astype(float)
    numbers[rng.random(6000) < .1] = np.nan
    cases = training_cases(make_table(pd.DataFrame({"x": numbers}), rng.choice(list("ab"), 6000)))
    ranks = rank_cases(cases)
    members = np.sort(rng.choice(6000, n, replace=False)).astype(np.int32)
    hand, found, places = np.zeros(6000, np.int32), np.zeros(6000), np.zeros(6000, np.int32)
    marks, tops = np.zeros(6000 // 64 + 1, np.uint64), np.zeros(2, np.uint64)
    k = sort_stretch(members, 0, n, ranks.rank[0], ranks.order[0], ranks.values[0], ranks.known[0],
                     places, marks, tops, hand, found)
    known = members[~np.isnan(numbers[members])]
    order = known[np.argsort(numbers[known], kind="stable")]
    assert hand[:k].tolist() == order.tolist() and found[:k].tolist() == numbers[order].tolist()
    assert not marks.any() and not tops.any()


# --------------------------------------------------------------------------------------- what comes out

def ants(**settings):
    return AntTreeMinerClassifier(**{"random_state": 0, "max_iterations": 15, "colony_size": 10,
                                     **settings})


def test_the_first_of_the_monks_problems_is_solved():
    "No attribute that matters tells anything alone; the floor of the heuristic makes it reachable."
    X, y = load_dataset("monks-1", return_X_y=True)
    assert AntTreeMinerClassifier(random_state=0).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("settings", [
    {}, {"quality": "accuracy"}, {"quality": "sensitivity_specificity"}, {"cuts": "boundary"},
    {"quality": "quadratic_loss"}, {"cuts": "mdl"}, {"small_subsets": "paper"},
    {"heuristic": "none"}, {"gain_correction": True}, {"pruning": False}, {"restart": True},
    {"convergence": "no_improvement"}, {"subtree_raising": False}, {"laplace": 0},
    {"evaporation_factor": 0}, {"p_best": .9}, {"colony_size": 1}, {"heuristic_floor": 1}],
    ids=lambda s: "-".join(f"{k}={v}" for k, v in s.items()) or "default")
def test_every_setting_works_on_words_numbers_and_holes(settings):
    X, y = mixed_table(150)
    one = ants(**settings).fit(X, y)
    check_answers(one, X, y)
    assert one.score(X, y) > .6
    assert ants(n_jobs=2, **settings).fit(X, y).to_json() == one.to_json()
    history = one.history_
    assert history.best_quality.is_monotonic_increasing
    assert history[["quality", "mean_quality", "pheromone_entropy"]].apply(
        lambda c: c.between(0, 1)).all(axis=None)
    assert (one.root_counts_.sum(axis=1) == settings.get("colony_size", 10)).all()


def test_weights_are_numbers_of_rows():
    X, y = mixed_table(120)
    twice = ants().fit(pd.concat([X, X]), pd.concat([y, y]))
    double = ants().fit(X, y, sample_weight=np.full(120, 2.))
    assert str(twice) == str(double)
    half = ants().fit(X, y, sample_weight=np.arange(120) % 2)
    assert str(half) == str(ants().fit(X[1::2], y[1::2]))


def test_classes_may_weigh_differently():
    X, y = mixed_table(300, seed=3)
    plain, balanced = ants().fit(X, y), ants(class_weight="balanced").fit(X, y)
    rare = pd.Series(y).value_counts().index[-1]
    assert (balanced.predict(X) == rare).sum() >= (plain.predict(X) == rare).sum()


@pytest.mark.parametrize("cuts", ["c45", "boundary", "mdl"])
@pytest.mark.parametrize("small", ["2m", "paper"])
def test_odd_tables(cuts, small):
    "Constant and empty columns, contradictions, more cases asked for than there are."
    X = pd.DataFrame({"same": "x", "empty": np.nan, "none": None, "one": 1.0,
                      "big": [1e308, -1e308] * 10, "tie": [0, 1] * 10})
    y = list("abab") * 5
    learner = ants(cuts=cuts, small_subsets=small)
    assert learner.fit(X, y).score(X, y) == 1
    assert learner.fit(X[["same", "empty", "none", "one"]], y).model_.n_nodes == 1
    contradictory = learner.fit(X[["tie"]], list("aabb") * 5)
    assert contradictory.predict_proba(X[["tie"]])[0].tolist() == [.5, .5]
    many = ants(cuts=cuts, small_subsets=small, min_cases=21).fit(X, y)
    check_answers(many, X, y)
    assert many.model_.n_nodes == 1
    with pytest.warns(UserWarning, match="All cases are of class 'a'"):
        assert set(learner.fit(X, ["a"] * 20).predict(X)) == {"a"}
    two = learner.fit(X[:2], y[:2])
    check_answers(two, X[:2], y[:2])


def test_many_values_many_classes_and_deep_trees():
    "Room for nodes and entries is enlarged on the way, and the ant goes on as if nothing was."
    rng = np.random.default_rng(0)
    n = 3000
    X = pd.DataFrame({"name": rng.choice([f"n{i}" for i in range(700)], n), "x": rng.normal(size=n),
                      "hole": np.where(rng.random(n) < .5, rng.choice(list("ab"), n), None),
                      "gap": np.where(rng.random(n) < .5, rng.normal(size=n), np.nan)})
    y = rng.integers(0, 25, n)
    settings = dict(small_subsets="paper", max_iterations=2, colony_size=4, min_cases=1,
                    quality="accuracy", pruning=False)
    one = ants(**settings).fit(X, y)
    assert one.model_.n_nodes > 1000
    check_answers(one, X[:200])
    assert ants(n_jobs=2, **settings).fit(X, y).to_json() == one.to_json()


def test_time_that_is_up_at_once_still_gives_a_tree():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30_000, 10))).add_prefix("x")
    y = np.where(X.x0 + X.x1 * X.x2 > 0, "yes", "no")
    ants(max_iterations=1).fit(X[:50], y[:50])
    started = time.monotonic()
    early = AntTreeMinerClassifier(max_time=1e-3, random_state=0, n_jobs=2).fit(X, y)
    assert time.monotonic() - started < 20
    assert early.n_iter_ == 1 and early.score(X, y) > .6


def test_better_than_chance_where_there_is_something_to_find():
    X, y = load_dataset("wine", return_X_y=True)
    assert cross_val_score(ants(max_iterations=40), X, y, cv=5).mean() > .85
