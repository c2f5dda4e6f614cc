"""Cases that no rule covers or whose classes tie: what each learner of voting rules does with them."""
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from registry import learners, mixed_table

from swarmlit.base import classified_rightly
from swarmlit.export import from_json


def fitted(learner, **how):
    X, y = mixed_table(120)
    return learner(**how).fit(X, y), X, y


def strange(X):
    "The same rows with words that no rule knows, and holes: hardly a rule covers them."
    Z = X.copy()
    Z["word"], Z["number"] = "never seen", np.nan
    return Z


@learners("on_unclassified")
@pytest.mark.filterwarnings("ignore:Values never seen")
def test_default_label_and_error_agree_on_the_rest(learner):
    default, X, y = fitted(learner)
    X = pd.concat([X.head(60), strange(X).tail(60)])
    open_ = default.unclassified(X)
    predicted = default.predict(X)
    assert set(predicted) <= set(default.classes_)
    labelled = fitted(learner, on_unclassified="label", unclassified_label="open")[0]
    assert ((labelled.predict(X) == "open") == open_).all()
    assert (labelled.predict(X)[~open_] == predicted[~open_]).all()
    strict = fitted(learner, on_unclassified="error")[0]
    if open_.any():
        with pytest.raises(ValueError, match=f"{open_.sum()} of {len(X)} cases are left unclassified"):
            strict.predict(X)
    assert (strict.predict(X[~open_]) == predicted[~open_]).all()
    assert len(strict.explain(X)) == len(X)
    right = (predicted == np.asarray(y)[:len(X)]) & ~open_
    for model in (default, labelled, strict):
        assert classified_rightly(model, X, y[:len(X)]) == pytest.approx(right.mean())


@learners("on_unclassified")
@pytest.mark.parametrize("how", ["default", "label", "error"])
def test_every_form_says_the_same(learner, how):
    model, X, y = fitted(learner, on_unclassified=how, unclassified_label="open" if how == "label" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        open_ = model.unclassified(X)
        truth = np.full(len(X), None, object)
        decided = ~open_ if how == "error" else np.ones(len(X), bool)
        truth[decided] = model.predict(X[decided])
        back = from_json(model.to_json())
        assert (back.predict(X[decided]) == truth[decided]).all() and (back.unclassified(X) == open_).all()
    namespace = {}
    exec(model.to_python(), namespace)
    for row, answer in zip(X.to_dict("records"), truth):
        if answer is None:
            with pytest.raises(ValueError, match="left unclassified"):
                namespace["predict"](row)
        else:
            assert namespace["predict"](row) == answer
    with closing(sqlite3.connect(":memory:")) as db:
        X.to_sql("t", db, index=False)
        found = [a for a, in db.execute(f"SELECT {model.to_sql(table='t')} FROM t ORDER BY rowid")]
    assert found == truth.tolist()


@learners("on_unclassified")
def test_a_label_must_be_given(learner):
    X, y = mixed_table()
    with pytest.raises(ValueError, match="needs unclassified_label"):
        learner(on_unclassified="label").fit(X, y)
    with pytest.raises(ValueError, match="'on_unclassified' parameter"):
        learner(on_unclassified="guess").fit(X, y)


@learners()
def test_every_classifier_tells_what_it_leaves_open(learner):
    X, y = mixed_table()
    model = learner().fit(X, y)
    open_ = model.unclassified(X)
    assert open_.shape == (len(X),) and open_.dtype == bool
    if not hasattr(model, "on_unclassified"):
        assert not open_.any()
