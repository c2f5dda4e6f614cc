"""PART, CN2 and CART: what their chapter promises, on random tables."""
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pytest
from registry import check_answers, mixed_table
from sklearn.tree import DecisionTreeClassifier

from swarmlit.baselines import CARTClassifier, CN2Classifier, PARTClassifier, question_columns
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
