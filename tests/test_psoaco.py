"""PSO/ACO2 against a plain-Python PSO/ACO2, written to be obvious, not fast."""
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarmlit.base import seed_sequence
from swarmlit.data import make_table
from swarmlit.psoaco import (OPTIMIZERS, PRESETS, Layout, PSOACO2Classifier, Space, Swarm, _seed_bounds,
                             constriction, neighbours)
from swarmlit.read import load_dataset
from swarmlit.rules import rule_mask

WORD = 2**64 - 1


class Stream:
    "Splitmix64, as numbers in [0, 1)."
    def __init__(self, state): self.state = int(state)

    def draw(self):
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & WORD
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53


class SlowPSOACO2:
    """Algorithms 1 and 2 of Holden & Freitas (2008) on rows that hold a word or None, then numbers.

    A rule is (class, words {column: word}, bounds {column: (lower, upper)}) until it is pruned, and
    then a list of conditions: functions of a row."""

    def __init__(self, rows, y, n_words, seed, *, n_particles=4, n_iterations=3, min_true_positives=2,
                 max_uncovered_cases=2, max_uncovered_share=1.0, rule_for_every_class=True,
                 velocity_clamp=None, prune_on="uncovered", order_by="all", list_pruning="not_lower",
                 min_rule_gain=0, optimizer="pso", disagreement="add", nominal_part="own",
                 accept_ties=True, laplace_k=None, quality="laplace", min_true_share=1.0):
        vars(self).update(locals())
        self.cases = list(zip(rows, y))
        self.classes = sorted(set(y))
        self.k = len(self.classes) if laplace_k is None else laplace_k
        self.columns = range(n_words, len(rows[0]))
        known = {a: [row[a] for row in rows if not math.isnan(row[a])] for a in self.columns}
        self.ends = {a: (min(v), max(v)) if v else (0, 0) for a, v in known.items()}
        self.known = {a: sorted(set(v)) for a, v in known.items()}

    def unit(self, a, value):
        low, high = self.ends[a]
        return value - low if high == low else (value - low) / (high - low)

    def worth(self, covered, cases, c):
        tp, fp = sum(y == c for _, y in covered), sum(y != c for _, y in covered)
        if tp == 0: return 0.0
        if self.quality != "laplace":
            p = sum(y == c for _, y in cases)
            return tp / p * (1 - fp / max(len(cases) - p, 1))
        q = (1 + tp) / (self.k + tp + fp) + (1e-9 * tp if self.k <= 1 else 0)
        size = sum(y == c for _, y in self.cases)
        fewest = min(self.min_true_positives, math.ceil(self.min_true_share * size))
        return q if tp >= fewest else .01 * q

    def decode(self, particle, with_bounds):
        "Conditions of a particle's present state: functions of a row that mirror the printed terms."
        terms = [("word", d, particle["seed"][d]) for d in range(self.n_words) if particle["on"][d]]
        for j, a in enumerate(self.columns if with_bounds else []):
            lower, upper = particle["position"][2 * j:2 * j + 2]
            if lower >= upper: continue
            below = [v for v in self.known[a] if self.unit(a, v) < lower]
            under = [v for v in self.known[a] if self.unit(a, v) < upper]
            if below and len(below) < len(self.known[a]): terms.append((">", a, below[-1]))
            if under and len(under) < len(self.known[a]): terms.append(("<=", a, under[-1]))
            # a bound that leaves nothing: no printed term can say so, but nothing is covered
            if len(below) == len(self.known[a]) and below or not under and self.known[a]:
                terms.append(("never", a, None))
        return terms

    @staticmethod
    def holds(term, row):
        kind, a, value = term
        if kind == "word": return row[a] == value
        return kind != "never" and (row[a] > value if kind == ">" else row[a] <= value)

    def cover(self, terms, cases): return [case for case in cases if all(self.holds(t, case[0]) for t in terms)]

    def judge(self, swarm, cases, c, with_bounds, tau):
        for x, p in enumerate(swarm):
            p["on"] = [p["seed"][d] is not None and p["stream"].draw() < tau(p)[d] for d in range(self.n_words)]
            p["quality"] = self.worth(self.cover(self.decode(p, with_bounds), cases), cases, c)
        for p in swarm:
            if p["quality"] > p["best"][0]:
                p["best"] = (p["quality"], list(p["on"]), list(p["position"]))
        around = neighbours(len(swarm)).tolist()
        for p, near in zip(swarm, around):
            p["leader"] = max((swarm[n] for n in near), key=lambda n: n["best"][0])
        self.champion = max(swarm, key=lambda p: p["best"][0])

    def spread(self, swarm):
        "Algorithm 2, word for word."
        for p in swarm:
            q, on, _ = p["best"]
            n = p["leader"]
            for d in range(self.n_words):
                if p["seed"][d] is None: continue
                P = p["seed"][d] if on[d] else "off"
                N = n["seed"][d] if n["best"][1][d] else "off"
                entries = {True: p["tau"][d], False: 1.0 - p["tau"][d]}
                if P == N: entries[P != "off"] += q
                elif P == "off" and N != "off" and n["seed"][d] != p["seed"][d]: entries[False] += q
                elif self.disagreement == "add" or P == "off" and n["seed"][d] != p["seed"][d]:
                    entries[N == p["seed"][d]] += q
                else: entries[P != "off"] -= q
                up, down = max(entries[True], .01), max(entries[False], .01)
                p["tau"][d] = min(max(up / (up + down), .01), .99)

    def move(self, swarm):
        old = [p["best"][2] for p in swarm]
        best = self.champion["best"][2]
        for x, p in enumerate(swarm):
            draw, m = p["stream"].draw, len(p["position"])
            if self.optimizer == "pso":
                leader, chi = p["leader"]["best"][2], constriction(2.05, 2.05)
                for d in range(m):
                    pull = 2.05 * draw() * (old[x][d] - p["position"][d])
                    pull += 2.05 * draw() * (leader[d] - p["position"][d])
                    limit = self.velocity_clamp or math.inf
                    p["velocity"][d] = min(max(chi * (p["velocity"][d] + pull), -limit), limit)
                    p["position"][d] += p["velocity"][d]
                continue
            others, n = [], len(swarm)
            while len(others) < 2:
                other = int(draw() * n)
                if n < 3 or other != x and other not in others: others.append(other)
            draw()
            r1, r2 = (old[o] for o in others)
            for d in range(m):
                start = best[d] if self.optimizer == "de/best/1" else old[x][d] + .5 * (best[d] - old[x][d])
                p["position"][d] = start + .5 * (r1[d] - r2[d])

    def find_rule(self, cases, c, states):
        own = [row for row, y in cases if y == c]
        swarm = []
        for state in states:
            stream = Stream(state)
            row = own[int(stream.draw() * len(own))]
            swarm.append(dict(stream=stream, seed=row, tau=[.9] * self.n_words, best=(-1, None, None), position=[],
                              velocity=[0.0] * 2 * len(self.columns)))
        terms, quality = [], -1
        if self.n_words:
            for t in range(self.n_iterations + 1):
                self.judge(swarm, cases, c, False, lambda p: p["tau"] if t else [1.0] * self.n_words)
                if t: self.spread(swarm)
            quality, on, _ = self.champion["best"]
            terms = self.decode(self.champion | dict(on=on), False)
            if self.nominal_part != "own":
                chosen = self.champion
                settled = [1.0 * o for o in on] if self.nominal_part == "fixed" else list(chosen["tau"])
                for p in swarm: p["seed"], p["tau"] = chosen["seed"], list(settled)
        if len(self.columns):
            for p in swarm:
                p["best"], draw, position = (-1, None, None), p["stream"].draw, []
                for a in self.columns:
                    value = p["seed"][a]
                    for _ in range(20):
                        if not math.isnan(value): break
                        value = own[int(draw() * len(own))][a]
                    value = .5 if math.isnan(value) else self.unit(a, value)
                    position += [value - draw(), value + draw()]
                p["position"] = position
            for t in range(self.n_iterations + 1):
                if t: self.move(swarm)
                self.judge(swarm, cases, c, True, lambda p: p["tau"])
            q, on, position = self.champion["best"]
            if q > quality: terms = self.decode(self.champion | dict(on=on, position=position), True)
        return [t for t in terms if t[0] != "never"]

    def prune(self, terms, cases, c):
        if len(terms) >= 20: raise NotImplementedError
        while terms:
            now = self.worth(self.cover(terms, cases), cases, c)
            shorter = [terms[:j] + terms[j + 1:] for j in range(len(terms))]
            worths = [self.worth(self.cover(s, cases), cases, c) for s in shorter]
            j = max(range(len(terms)), key=lambda j: (worths[j], j))
            if not (worths[j] > now or self.accept_ties and worths[j] == now): break
            terms = shorter[j]
        return terms

    def classify(self, rules, row, default):
        return next((c for _, c, terms in rules if all(self.holds(t, row) for t in terms)), default)

    def right(self, rules, default): return sum(self.classify(rules, row, default) == y for row, y in self.cases)

    def default(self, rules):
        left = [y for row, y in self.cases if not any(all(self.holds(t, row) for t in r[2]) for r in rules)]
        left = left or [y for _, y in self.cases]
        return max(self.classes, key=left.count)

    def fit(self):
        found = []
        for c in self.classes:
            cases, size = list(self.cases), sum(y == c for _, y in self.cases)
            few, first = min(self.max_uncovered_cases, int(self.max_uncovered_share * size)), self.rule_for_every_class
            while (left := sum(y == c for _, y in cases)) and (left > few or first):
                first = False
                terms = self.find_rule(cases, c, self.seed.spawn(1)[0].generate_state(self.n_particles, np.uint64))
                terms = self.prune(terms, cases if self.prune_on == "uncovered" else self.cases, c)
                gone = self.cover(terms, cases)
                if not any(y == c for _, y in gone): break
                among = self.cases if self.order_by == "all" else cases
                found.append((self.worth(self.cover(terms, among), among, c), c, terms))
                cases = [case for case in cases if not all(self.holds(t, case[0]) for t in terms)]
        found.sort(key=lambda rule: -rule[0])
        return self.finish(found)

    def finish(self, rules):
        default = self.default(rules)
        for i in range(len(rules) if self.list_pruning else 0):
            for term in list(rules[i][2]):
                now = self.right(rules, default)
                terms = [t for t in rules[i][2] if t is not term]
                trial = rules[:i] + [(*rules[i][:2], terms)] + rules[i + 1:]
                change = self.right(trial, default) - now
                if change == 0 or change > 0 and self.list_pruning == "not_lower": rules = trial
        if self.list_pruning or self.min_rule_gain:
            default, kept = self.default(rules), []
            for rule in rules:
                reach = [case for case in self.cases if not any(all(self.holds(t, case[0]) for t in r[2]) for r in kept)]
                if any(y == rule[1] for _, y in self.cover(rule[2], reach)): kept.append(rule)
            rules = kept
            for rule in list(reversed(rules)) if self.min_rule_gain else []:
                trial = [r for r in rules if r is not rule]
                if self.right(rules, default) - self.right(trial, default) < self.min_rule_gain: rules = trial
        end = next((i for i, rule in enumerate(rules) if not rule[2]), len(rules))
        return rules[:end], self.default(rules[:end])


@st.composite
def tables(draw):
    "Rows of one or two words and one or two numbers, some missing, and two or three classes."
    n_words, n_numbers = draw(st.sampled_from([(2, 2), (1, 1), (3, 0), (0, 2)]))
    n = draw(st.integers(6, 24))
    word = st.sampled_from(["a", "b", "c", None])
    number = st.sampled_from([0.0, 1.0, 2.5, 4.0, 4.5, 9.0, math.nan])
    rows = [tuple(draw(word) for _ in range(n_words)) + tuple(draw(number) for _ in range(n_numbers))
            for _ in range(n)]
    y = [draw(st.sampled_from(["no", "yes", "zz"])) for _ in range(n)]
    if len(set(y)) == 1: y[0] = "no" if y[0] == "yes" else "yes"
    return rows, y, n_words


def as_frame(rows, n_words):
    columns = list(zip(*rows))
    return pd.DataFrame({f"w{i}" if i < n_words else f"n{i}":
                         pd.Series(c, dtype=object if i < n_words else float) for i, c in enumerate(columns)})


OPTIONS = st.fixed_dictionaries(dict(
    n_particles=st.sampled_from([1, 4, 9]), n_iterations=st.sampled_from([0, 2, 6]),
    min_true_positives=st.sampled_from([1, 3]), max_uncovered_cases=st.sampled_from([0, 2]),
    max_uncovered_share=st.sampled_from([1.0, .3]), min_true_share=st.sampled_from([1.0, .3]), rule_for_every_class=st.booleans(),
    velocity_clamp=st.sampled_from([None, .25]), prune_on=st.sampled_from(["all", "uncovered"]),
    order_by=st.sampled_from(["all", "uncovered"]), accept_ties=st.booleans(),
    list_pruning=st.sampled_from(["not_lower", "unchanged", None]), min_rule_gain=st.sampled_from([0, 1, 2]),
    optimizer=st.sampled_from(["pso", "de/best/1", "de/rand-to-best/1"]),
    disagreement=st.sampled_from(["add", "remove"]), nominal_part=st.sampled_from(["own", "best", "fixed"]),
    laplace_k=st.sampled_from([None, 1]), quality=st.sampled_from(["laplace", "sensitivity_specificity"])))


@settings(max_examples=150, deadline=None)
@given(tables(), OPTIONS)
def test_the_same_list_as_the_slow_one(table, options):
    rows, y, n_words = table
    X = as_frame(rows, n_words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fast = PSOACO2Classifier(random_state=3, **options).fit(X, y)
    slow, default = SlowPSOACO2(rows, y, n_words, seed_sequence(3), **options).fit()
    covers = [[all(SlowPSOACO2.holds(t, row) for t in terms) for row in rows] for _, _, terms in slow]
    trained = fast.model_.as_table(X)
    assert [rule_mask(rule.terms, trained).tolist() for rule in fast.rules_.rules] == covers
    classes = fast.classes_.tolist()
    assert [classes[rule.prediction] for rule in fast.rules_.all_rules] == [c for _, c, _ in slow] + [default]
    np.testing.assert_allclose([rule.quality for rule in fast.rules_.rules], [q for q, _, _ in slow], rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([30, 300, 3000]), st.booleans(), st.sampled_from([0, 2**17]))
def test_what_is_counted_is_what_the_printed_terms_cover(seed, n, skewed, room):
    "Short and long rows, few and many distinct values, skewed columns, missing cells, some cases gone."
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3)) ** (9 if skewed else 1)
    numbers[:, 1] = numbers[:, 1].round(0 if skewed else 1)
    numbers[rng.random((n, 3)) < .1] = np.nan
    X = pd.DataFrame(numbers).add_prefix("x").assign(word=rng.choice(list("abc"), n))
    X.loc[rng.random(n) < .1, "word"] = None
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    table, active = make_table(X, y), rng.random(n) < .8
    active[:2] = True
    layout = Layout(Space(table), active, 0, room)
    swarm = Swarm(layout, 20, "ring", np.random.SeedSequence(seed))
    _seed_bounds(swarm.position, layout.space.scaled, swarm.cases, layout.positive, swarm.states)
    for _ in range(3):
        swarm.best_quality[:] = -1
        swarm.judge(0, 20, swarm.tau * .6, True, (0, 2.0, 1))
        swarm.settle()
        for x in range(20):
            mask = rule_mask(swarm.decode(x), table) & active
            tp, fp = (mask & (y == 0)).sum(), (mask & (y == 1)).sum()
            assert swarm.tp[x] == tp or swarm.tp[x] == 0 and swarm.fp[x] == 0    # an empty box
            assert swarm.fp[x] == fp or swarm.tp[x] == 0
        swarm.position += rng.normal(0, .2, swarm.position.shape)


@pytest.mark.parametrize("name", ["iris", "tic-tac-toe", "hepatitis"])
@pytest.mark.parametrize("settings", [{}, *PRESETS.values(), {"optimizer": "de/best/1"}], ids=str)
def test_rules_are_in_order_and_none_is_empty(name, settings):
    X, y = load_dataset(name, return_X_y=True)
    fitted = PSOACO2Classifier(random_state=0, n_iterations=20, **settings).fit(X, y)
    qualities = [rule.quality for rule in fitted.rules_.rules]
    assert qualities == sorted(qualities, reverse=True)
    assert all(rule.terms for rule in fitted.rules_.rules) and not fitted.rules_.default.terms
    assert fitted.score(X, y) >= max(np.mean(y == c) for c in set(y))
    history = fitted.history_
    assert (history.quality <= history.best_quality + 1e-12).all()
    assert history.agreed.between(1, 100).all() and history.pheromone_entropy.between(0, 1).all()
    assert (history.groupby(["rule", "stage"]).size() == 21).all()


def test_rules_without_terms_end_the_list():
    "Both classes look alike: every rule is pruned to nothing, and the default says it all."
    X = pd.DataFrame({"word": ["a", "b"] * 30, "number": np.tile([1.0, 2.0, 3.0], 20)})
    y = np.repeat(["left", "right"], 30)
    fitted = PSOACO2Classifier(random_state=0, min_rule_gain=0).fit(X, y)
    assert all(rule.terms for rule in fitted.rules_.rules)
    assert sum(rule.covered for rule in fitted.rules_.all_rules) == 60


def test_a_rule_that_takes_nothing_ends_its_class():
    class Blind(PSOACO2Classifier):
        searches = 0

        def _find_rule(self, *arguments):
            Blind.searches += 1
            from swarmlit.rules import Term
            return (Term("word", "=", "z"),), False

    X = pd.DataFrame({"word": ["a"] * 20 + ["z"] * 20})
    fitted = Blind(prune_on="uncovered", accept_ties=False, quality="sensitivity_specificity")
    fitted.fit(X, ["no"] * 20 + ["yes"] * 20)
    assert Blind.searches <= 3 and fitted.score(X, ["no"] * 20 + ["yes"] * 20) >= .5


def test_an_identity_column_costs_no_memory():
    n = 3000
    X = pd.DataFrame({"id": [f"case {i}" for i in range(n)], "word": np.tile(list("ab"), n // 2)})
    table = make_table(X, X.word)
    layout = Layout(Space(table), np.ones(n, bool), 0)
    swarm = Swarm(layout, 100, "von_neumann", np.random.SeedSequence(0))
    assert swarm.nominal_rows.shape[0] <= 101
    assert PSOACO2Classifier(random_state=0, n_iterations=30).fit(X, X.word.map({"a": 0, "b": 1})).score(
        X, X.word.map({"a": 0, "b": 1})) == 1


@pytest.mark.parametrize("name", ["hepatitis", "zoo", "wine"])
def test_threads_that_really_work_change_nothing(name, monkeypatch):
    "Small tables would not be shared among threads; here every iteration is."
    X, y = load_dataset(name, return_X_y=True)
    alone = PSOACO2Classifier(random_state=1, n_iterations=10).fit(X, y)
    monkeypatch.setattr("swarmlit.psoaco.LARGE", -1)
    for n_jobs in (2, 3):
        shared = PSOACO2Classifier(random_state=1, n_iterations=10, n_jobs=n_jobs).fit(X, y)
        assert shared.to_json() == alone.to_json()
        pd.testing.assert_frame_equal(shared.history_, alone.history_)


def test_sample_weight_is_not_accepted():
    X, y = load_dataset("iris", return_X_y=True)
    with pytest.raises(TypeError, match="sample_weight"):
        PSOACO2Classifier().fit(X, y, sample_weight=np.ones(len(X)))


def test_unknown_optimizer_names_the_known_ones():
    X, y = load_dataset("iris", return_X_y=True)
    with pytest.raises(ValueError, match="'de/best/1'"):
        PSOACO2Classifier(optimizer="bees").fit(X, y)


class Lost:
    "Half of the bounds it proposes are no numbers."
    def __init__(self, learner): pass

    def propose(self, swarm):
        swarm.position[:] = np.where(np.arange(swarm.position.size).reshape(swarm.position.shape) % 4 < 2,
                                     np.nan, swarm.best)


@pytest.mark.parametrize("how", [
    dict(cognitive=1e308, social=1e308, velocity_clamp=None), dict(optimizer="lost"),
    dict(optimizer="de/best/1", weighting_factor=1e308)])
@pytest.mark.parametrize("name", ["hepatitis", "wine"])
def test_bounds_that_are_no_numbers_are_no_terms(name, how, monkeypatch):
    monkeypatch.setitem(OPTIMIZERS, "lost", Lost)
    X, y = load_dataset(name, return_X_y=True)
    learner = PSOACO2Classifier(n_particles=20, n_iterations=5, random_state=0, **how).fit(X, y)
    assert sum(rule.covered for rule in learner.rules_.all_rules) == len(X)
    assert learner.score(X, y) > .5
