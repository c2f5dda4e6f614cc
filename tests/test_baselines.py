"""PART, CN2 and CART: what their chapter promises, on random tables."""
import itertools
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from registry import check_answers, mixed_table
from sklearn.tree import DecisionTreeClassifier

from swarmlit.baselines import (
    CARTClassifier,
    CN2Classifier,
    Goal,
    Left,
    PARTClassifier,
    evaluate,
    find_condition,
    likelihood_ratio,
    question_columns,
    speaks_for,
)
from swarmlit.data import make_table
from swarmlit.export import from_json

ALL = [PARTClassifier(), PARTClassifier(pruning=False, min_cases=1), CN2Classifier(),
       CN2Classifier(mode="unordered"), CN2Classifier(evaluation="entropy", significance=.95),
       CARTClassifier(), CARTClassifier(ccp_alpha="cv")]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_every_export_agrees_where_values_are_missing(learner, seed):
    X, y = mixed_table(100, seed=seed)
    fitted = learner.fit(X, y)
    truth = check_answers(fitted, X, y).tolist()
    assert from_json(fitted.to_json()).predict(X).tolist() == truth
    namespace = {}
    exec(fitted.to_python(), namespace)
    assert [namespace["predict"](row) for row in X.to_dict("records")] == truth
    with closing(sqlite3.connect(":memory:")) as db, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X.to_sql("t", db, index=False)
        assert [a for a, in db.execute(f"SELECT {fitted.to_sql()} FROM t ORDER BY rowid")] == truth


@pytest.mark.parametrize("seed", range(8))
def test_cart_answers_as_scikit_learn_does(seed):
    X, y = mixed_table(150, seed=seed)
    columns, _ = question_columns(make_table(X, y))
    theirs = DecisionTreeClassifier(random_state=0).fit(columns, y)
    ours = CARTClassifier().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(columns), atol=1e-12)
    assert len(ours.rules_) == theirs.get_n_leaves()


def test_a_wider_beam_finds_no_worse_first_rule():
    X, y = mixed_table(200)
    first = [CN2Classifier(beam_width=w).fit(X, y).rules_.rules[0].quality for w in (1, 5, 50)]
    assert first[0] <= first[1] <= first[2]


def conditions_on(table):
    "The coverage of every conjunction on two nominal columns and a number, as boolean rows."
    everything = np.ones(table.n_cases, bool)
    words = [[everything, *(codes == v for v in np.unique(codes[codes >= 0]))] for codes in table.codes.T]
    x = table.numbers[:, 0]
    values = np.unique(x)
    ends = [-np.inf, *(values[1:] + values[:-1]) / 2, np.inf]
    numbers = [(x > low) & (x <= high) for low, high in itertools.combinations(ends, 2)]
    return [a & b & c for a, b, c in itertools.product(*words, numbers)]


@pytest.mark.parametrize("seed", range(12))
def test_a_wide_beam_finds_what_trying_all_conditions_finds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    X = pd.DataFrame({"a": rng.choice(["x", "y", "z", None], n), "b": rng.choice(["u", "v", None], n),
                      "c": rng.integers(0, 6, n)})
    table = make_table(X, rng.choice(list("pqr"[:2 + seed % 2]), n))
    count = lambda rows: np.bincount(table.y[rows], minlength=table.n_classes).astype(float)
    totals, left = count(np.ones(n, bool)), Left(table, np.ones(table.n_classes))
    masks = [m for m in conditions_on(table) if 0 < m.sum() < n]
    for target, evaluation, limit in itertools.product((-1, 0, 1), (0, 1), (0.0, 3.84)):
        best = evaluate(totals, target, evaluation), n
        for counts in map(count, masks):
            if not speaks_for(counts, target) or likelihood_ratio(counts, totals) < limit - 1e-9: continue
            best = max(best, (evaluate(counts, target, evaluation), counts.sum()))
        found, _ = find_condition(left.stock, left.active, Goal(target, evaluation, limit, 1.0), 2000,
                                  lambda level, score: False)
        if found is None: assert best == (evaluate(totals, target, evaluation), n)
        else:
            np.testing.assert_allclose((found.scores[0], found.counts[0].sum()), best, atol=1e-9)
