"""CLIP4 and its parts beyond the chapter: references in plain Python, feature ranking, exports."""
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import mixed_table

from swarmlit import CLIP4Classifier, GARuleClassifier, load_dataset
from swarmlit.bits import unpack
from swarmlit.clip4 import Coded, Growth, OneClass, contradictions
from swarmlit.data import make_table
from swarmlit.discretize import cut_points
from swarmlit.rules import rule_mask
from swarmlit.setcover import set_cover


def six_steps(matrix):
    matrix = np.asarray(matrix, int)
    active, inactive, chosen = matrix.any(1), np.zeros(len(matrix), bool), []
    while active.any():
        ones = matrix.sum(1)
        rows = active & (ones == ones[active].min())
        judged = list(zip(matrix[rows].sum(0), matrix[active].sum(0), -matrix[inactive].sum(0)))
        best = max(range(len(judged)), key=lambda c: judged[c])
        chosen.append(best)
        inactive |= active & (matrix[:, best] == 1)
        active &= matrix[:, best] == 0
    return chosen


@given(st.integers(1, 200), st.integers(1, 70), st.sampled_from([.02, .2, .5, .95]), st.integers(0, 99))
def test_set_cover_takes_the_six_steps(n, k, density, seed):
    matrix = np.random.default_rng(seed).random((n, k)) < density
    if not matrix.any():
        with pytest.raises(ValueError, match="no 1"):
            set_cover(matrix)
        return
    chosen = set_cover(matrix)
    assert chosen.tolist() == six_steps(matrix)
    assert (matrix[:, chosen].any(1) == matrix.any(1)).all()


def reference_leaves(positives, negatives, n_best, min_size):
    "Phase 1 with missing values (-1), pruning and noise threshold, on sets of case numbers."
    nodes = [frozenset(range(len(positives)))]
    for negative in negatives:
        differs = (positives != negative) & (positives >= 0) & (negative >= 0)
        solved = []
        for node in nodes:
            matrix = differs[sorted(node)]
            sol = sorted(six_steps(matrix)) if matrix.any() else []
            solved.append((len(node) / len(sol) if sol else 0., node, sol))
        order = sorted(range(len(solved)), key=lambda i: -solved[i][0])
        kept = sorted(order[:n_best] if n_best else order)
        children = []
        for i in kept:
            for k in solved[i][2]:
                child = frozenset(e for e in solved[i][1] if differs[e, k])
                if not any(child <= other for other in children):
                    children = [c for c in children if not c <= child] + [child]
        nodes = [c for c in children if len(c) >= min_size]
    return [sorted(node) for node in nodes]


@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(0, 20), st.integers(1, 8), st.integers(2, 4),
       st.sampled_from([0, 1, 2, 3, 10]), st.sampled_from([1, 2, 5]), st.booleans())
def test_leaves_of_phase_1(seed, n_pos, n_neg, n_attributes, n_values, n_best, min_size, holes):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, n_values, (n_pos + n_neg, n_attributes))
    if holes:
        cells[rng.random(cells.shape) < .2] = -1
    frame = pd.DataFrame({f"x{k}": pd.Categorical.from_codes(cells[:, k], list("abcd")[:n_values])
                          for k in range(n_attributes)})
    coded = Coded(make_table(frame, ["p"] * n_pos + ["q"] * n_neg))
    used = cells[:, coded.used]
    problem = OneClass(coded, coded.codes, np.arange(len(cells)) < n_pos)
    growth = Growth(problem, problem.everyone, n_best=n_best, min_size=min_size)
    while not growth.grow():
        pass
    expected = reference_leaves(used[:n_pos], used[n_pos:], n_best, min_size)
    assert [np.flatnonzero(row).tolist() for row in unpack(growth.leaves, n_pos)] == expected
    alike = [any(((a == b) | (a < 0) | (b < 0)).all() for a in used[:n_pos]) for b in used[n_pos:]]
    assert contradictions(problem).tolist() == alike


@pytest.mark.parametrize("name", ["tic-tac-toe", "vehicle", "voting", "cmc", "lymphography"])
@pytest.mark.parametrize("genetic", [False, True])
def test_rules_cover_no_negative_they_could_be_told_from(name, genetic):
    X, y = load_dataset(name, return_X_y=True)
    clip = CLIP4Classifier(genetic=genetic, random_state=0, min_share=0).fit(X, y)
    table = make_table(X, y)
    for c, label in enumerate(clip.classes_):
        whole = table.y == c
        coded = Coded(table, {table.schema.index(n): at for n, at in clip.cut_points_.items()})
        rows = coded.complete if clip.n_left_out_ else np.ones(len(y), bool)
        own = {tuple(r) for r in coded.codes[whole & rows].tolist()}
        for rule in clip.rules_.rules:
            if rule.prediction == c:
                mask = rule_mask(rule.terms, table)
                wrong = coded.codes[mask & ~whole & rows].tolist()
                assert {tuple(r) for r in wrong} <= own
                assert rule.quality == (mask & whole & rows).sum() / (whole & rows).sum()


@pytest.mark.parametrize("name", ["vehicle", "segmentation", "soybean"])
@pytest.mark.parametrize("n_best", [1, 2, 3, 7])
def test_leaves_of_phase_1_on_real_tables(name, n_best):
    "Many nodes of many kinds of fitness, so that the pruning threshold has much to do."
    table = make_table(*load_dataset(name, return_X_y=True))
    coded = Coded(table, cut_points(table, "caim"))
    some = np.random.default_rng(0).permutation(table.n_cases)[:300]
    codes, y = coded.codes[some], table.y[some]
    problem = OneClass(coded, codes, y == y[0])
    growth = Growth(problem, problem.everyone, n_best=n_best)
    while not growth.grow():
        pass
    leaves = [np.flatnonzero(row).tolist() for row in unpack(growth.leaves, problem.n)]
    assert leaves == reference_leaves(codes[y == y[0]], codes[y != y[0]], n_best, 1)


@pytest.mark.filterwarnings("ignore:Each case of class")
@pytest.mark.parametrize("name", ["monks-1", "monks-3", "annealing", "weather", "segmentation"])
def test_features_without_goodness_can_go(name):
    "The same rules come out when the attributes of goodness 0 are left out."
    X, y = load_dataset(name, return_X_y=True)
    clip = CLIP4Classifier().fit(X, y)
    ranking = clip.feature_ranking_
    assert (ranking == 0).any() and set(ranking[ranking > 0].index) == set(clip.features_used_)
    fewer = CLIP4Classifier().fit(X[[n for n in X if ranking[n] > 0]], y)
    rules = [{(r.condition, r.prediction, r.quality) for r in m.rules_.rules} for m in (clip, fewer)]
    assert rules[0] == rules[1]


@pytest.mark.parametrize("learner", [CLIP4Classifier, GARuleClassifier])
@pytest.mark.parametrize("name", ["voting", "segmentation", "mixed", "hepatitis"])
def test_missing_and_unseen_values_in_every_export(learner, name):
    X, y = mixed_table(150) if name == "mixed" else load_dataset(name, return_X_y=True)
    X = X.iloc[:, :12]
    settings = {"n_generations": 20} if learner is GARuleClassifier else {}
    model = learner(random_state=0, **settings).fit(X, y).model_
    cells = X.iloc[:60].astype(object).where(X.iloc[:60].notna(), None)
    rng = np.random.default_rng(0)
    for i, a in enumerate(model.schema.attributes):
        cells.iloc[rng.random(60) < .15, i] = None
        if a.is_nominal and isinstance(a.values[0], str):
            cells.iloc[rng.random(60) < .15, i] = "never seen"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = model.predict(cells).tolist()
    numbers = {a.name: float for a in model.schema.attributes if not a.is_nominal}
    with closing(sqlite3.connect(":memory:")) as db:
        cells.astype(numbers).to_sql("t", db, index=False)
        assert [a for a, in db.execute(f"SELECT {model.to_sql()} FROM t ORDER BY rowid")] == truth
    namespace = {}
    exec(model.to_python(), namespace)
    assert [namespace["predict"](row) for row in cells.to_dict("records")] == truth


def test_rules_of_filled_values_count_what_they_cover():
    X, y = load_dataset("annealing", return_X_y=True)
    with pytest.warns(UserWarning, match="has a missing value"):
        clip = CLIP4Classifier().fit(X, y)
    table = make_table(X, y)
    for rule in clip.rules_.rules:
        mask, of_class = rule_mask(rule.terms, table), table.y == rule.prediction
        assert 0 < rule.quality and (mask & of_class).any()


@pytest.mark.parametrize("name", ["voting", "segmentation", "zoo", "lymphography"])
def test_equalities_say_the_same_about_known_values(name):
    X, y = load_dataset(name, return_X_y=True)
    clip = CLIP4Classifier().fit(X, y)
    equal = clip.to_equalities()
    assert (equal.predict(X) == clip.predict(X)).all()
    assert not any(t.operator == "!=" for rule in equal.rules for t in rule.terms)


def test_stopped_search_keeps_whole_passes():
    X, y = load_dataset("vehicle", return_X_y=True)
    clip = CLIP4Classifier(callbacks=lambda state: state["rules"] >= 2).fit(X, y)
    assert 2 <= len(clip.rules_.rules) < len(CLIP4Classifier().fit(X, y).rules_.rules)
    assert len(CLIP4Classifier(max_time=1e-9).fit(X, y).history_) <= 1
