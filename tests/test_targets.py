"""Class labels of every type come back as they went in, and probabilities mean what they say."""
import datetime
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import check_answers, fitted_names, learners, mixed_table, signal
from sklearn.exceptions import DataConversionWarning

from swarmlit.models import RuleSet
from swarmlit.rules import show_text

N = 40
ON, WORDS = signal(N)
X = pd.DataFrame({"x": np.where(ON, "b", "a"), "number": np.where(ON, 1.5, -2.0)})
UP = WORDS == "up"

LABELS = {  # what is given -> the type of what comes back
    "str array": (WORDS, "U"), "str objects": (WORDS.astype(object), "O"), "str list": (WORDS.tolist(), "O"),
    "str Series": (pd.Series(WORDS), "O"), "string": (pd.Series(WORDS, dtype="string"), "O"),
    "string[pyarrow]": (pd.Series(WORDS, dtype="string[pyarrow]"), "O"),
    "category": (pd.Series(WORDS, dtype="category"), "O"),
    "reordered": (pd.Categorical(WORDS, categories=["up", "never", "down"]), "O"),
    "Index": (pd.Index(WORDS), "O"), "arrow": (pa.array(WORDS), "O"), "tuple": (tuple(WORDS), "O"),
    "int": (UP.astype(int), "i"), "int8": (UP.astype("i1"), "i"), "uint8": (UP.astype("u1"), "u"),
    "negative": (np.where(UP, -5, 7), "i"), "int list": (UP.astype(int).tolist(), "i"),
    "Int64": (pd.array(UP.astype(int), dtype="Int64"), "i"),
    "int64[pyarrow]": (pd.Series(UP.astype(int), dtype="int64[pyarrow]"), "i"),
    "int category": (pd.Series(UP.astype(int), dtype="category"), "i"),
    "bool": (UP, "b"), "boolean": (pd.array(UP, dtype="boolean"), "b"),
    "bool[pyarrow]": (pd.Series(UP, dtype="bool[pyarrow]"), "b"), "bool list": (UP.tolist(), "b"),
    "bool objects": (UP.astype(object), "b"), "float": (UP.astype(float), "f"), "float32": (UP.astype("f4"), "f"),
    "Float64": (pd.array(UP.astype(float), dtype="Float64"), "f"),
    "column": (WORDS[:, None], "U"), "frame": (pd.DataFrame({"why": WORDS}), "O"),
    "numbers as words": (np.where(UP, "10", "9"), "U"), "empty word": (np.where(UP, "", " "), "U"),
    "huge int": (np.where(UP, 2**62, -2**62), "i"),
}


@learners()
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_they_went_in(learner, kind):
    labels, letter = LABELS[kind]
    flat = np.ravel(np.asarray(labels))
    fitted = learner().fit(X, labels)
    check_answers(fitted, X, flat)
    assert fitted.classes_.tolist() == sorted(set(flat.tolist()))
    assert fitted.classes_.dtype.kind == letter
    answers = fitted.predict(X)
    assert {type(a) for a in answers.tolist()} == {type(a) for a in flat.tolist()}
    assert (answers == flat).mean() >= .9
    assert fitted.score(X, np.array(flat.tolist())) == (answers == flat).mean()


@learners()
def test_order_of_the_classes(learner):
    "Sorted by value, not by their first row nor by declared category; columns of the chances go along."
    table, y = mixed_table()
    fitted = learner().fit(table, y)
    assert fitted.classes_.tolist() == ["maybe", "no", "yes"]
    numbers = learner().fit(table, y.map({"maybe": 10, "no": 9, "yes": -1}))
    assert numbers.classes_.tolist() == [-1, 9, 10]
    turned = pd.Series(pd.Categorical(y, categories=["yes", "no", "maybe", "never"]))
    again = learner().fit(table, turned)
    assert again.classes_.tolist() == ["maybe", "no", "yes"]
    assert (again.predict_proba(table) == fitted.predict_proba(table)).all()


@learners()
@pytest.mark.parametrize("label", ["only", 0, 1, True, False, 3.0, "", -7])
def test_one_class(learner, label):
    "A constant model, and a warning that says so."
    with pytest.warns(UserWarning, match="All cases are of class"):
        fitted = learner().fit(X, [label] * N)
    check_answers(fitted, X, [label] * N)
    assert fitted.classes_.tolist() == [label] and fitted.predict(X[:3]).tolist() == [label] * 3
    assert fitted.predict_proba(X).tolist() == [[1.0]] * N
    assert str(label) in str(fitted) and f"({N}/0)" in fitted.rules_.to_text()
    assert len(fitted.to_frame()) == 1 and fitted.features_used_ == []
    assert fitted.to_sql() and fitted.to_python() and fitted.to_json() and fitted.to_html()


@learners()
@pytest.mark.parametrize("labels", [
    np.where(np.arange(N) == 3, np.nan, UP), np.array([None, *WORDS[1:]], dtype=object),
    np.array([np.nan, *WORDS[1:]], dtype=object), pd.array([pd.NA, *WORDS[1:]], dtype="string"),
    pd.array([pd.NA, *UP[1:].astype(int)], dtype="Int64"), pd.Categorical([None, *WORDS[1:]]),
    [None, *WORDS[1:]], pd.array([pd.NA, *UP[1:]], dtype="boolean")],
    ids="float None nan string Int64 category list boolean".split())
def test_missing_labels(learner, labels):
    estimator = learner()
    with pytest.raises(ValueError, match="NaN.*missing in 1 of 40"):
        estimator.fit(X, labels)
    assert fitted_names(estimator) == []


@learners()
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("labels, message", [
    (np.column_stack([WORDS, WORDS]), "1d array"), (pd.DataFrame({"a": WORDS, "b": WORDS}), "1d array"),
    (None, "y"), (np.linspace(0, 1, N), "continuous"), (UP + .5, "continuous"),
    (np.where(UP, np.inf, 0), "infinity"), (WORDS[:-1], "inconsistent numbers"),
    (np.array([1 if up else "b" for up in UP], dtype=object), "types"), ([{}] * N, "."), ([[1]] * 3 + [[1, 2]] * (N - 3), "."),
    ("updown", "."), (3, ".")], ids="two frame none regression halves inf short mixed dicts ragged text number".split())
def test_labels_that_cannot_be_used(learner, labels, message):
    estimator = learner()
    with pytest.raises((ValueError, TypeError), match=message):
        estimator.fit(X, labels)
    assert fitted_names(estimator) == []


@learners()
@pytest.mark.parametrize("labels", [
    [datetime.date(2020, 1, 1 + up) for up in UP], pd.to_datetime(np.where(UP, "2020", "2021")), [(1, up) for up in UP],
    WORDS.astype("S")], ids=["dates", "times", "tuples", "bytes"])
def test_labels_of_other_types(learner, labels):
    "Refused, or returned as they were."
    try:
        fitted = learner().fit(X, labels)
    except (ValueError, TypeError) as error:
        assert "label" in str(error) or "1d array" in str(error)
        return
    assert set(fitted.predict(X)) <= set(labels)


@learners()
def test_a_column_of_labels_warns_as_in_scikit_learn(learner):
    with pytest.warns(DataConversionWarning):
        learner().fit(X, WORDS[:, None])


@learners()
@pytest.mark.parametrize("name", ["x", "class", "", " ", "THEN", "a = b", "天气", None, 0, ("a", 1), 2.5, "n" * 3000,
                                  "x\ny"])
def test_names_of_the_target(learner, name):
    "Also one that a column has."
    y = pd.Series(WORDS, name=name)
    fitted = learner().fit(X, y)
    check_answers(fitted, X, y)
    shown = "class" if name in (None, 0, "") else show_text(name)
    assert f" {shown} = " in fitted.rules_.to_text()
    from swarmlit.export import from_json
    assert (from_json(fitted.to_json()).predict(X) == fitted.predict(X)).all()


@learners()
def test_the_index_of_the_labels_is_not_used(learner):
    plain = learner().fit(X, WORDS)
    for index in (range(N)[::-1], [0] * N, [f"r{i}" for i in range(N)]):
        assert learner().fit(X, pd.Series(WORDS, index=index)).to_text().replace("None", "class") == plain.to_text()


@learners()
def test_contradictory_rows(learner):
    "Equal rows of both classes: the majority is predicted, the chances are not sure."
    table = pd.DataFrame({"x": ["a"] * 30 + ["b"] * 30, "z": ["k"] * 60})
    y = np.array(["no"] * 20 + ["yes"] * 10 + ["yes"] * 21 + ["no"] * 9)
    fitted = learner().fit(table, y)
    check_answers(fitted, table, y)
    assert fitted.score(table, y) == 41 / 60
    if not isinstance(fitted.model_, RuleSet):                              # votes can be unanimous
        assert (fitted.predict_proba(table).max(1) < 1).all()
    all_equal = learner().fit(table[["z"]], y)
    check_answers(all_equal, table[["z"]], y)
    assert set(all_equal.predict(table[["z"]])) == {"yes"}
    for tie in (["no", "yes"] * 30, ["yes", "no"] * 30):
        halves = learner().fit(table[["z"]], tie)
        assert set(halves.predict(table[["z"]])) == {"no"}                  # ties go to the first class
        np.testing.assert_allclose(halves.predict_proba(table[["z"]]), .5)


@learners()
def test_rare_classes(learner):
    table, y = mixed_table(120)
    y = y.where(y != "maybe", "no").copy()
    y[7], y[99] = "once", "also once"
    fitted = learner().fit(table, y)
    check_answers(fitted, table, y)
    assert fitted.classes_.tolist() == ["also once", "no", "once", "yes"]


@learners()
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_many_classes(learner):
    "A class in each row, and three hundred of them."
    table = pd.DataFrame({"x": [f"v{i % 60}" for i in range(600)], "number": np.arange(600.0)})
    y = [f"c{i % 60}" for i in range(600)]
    fitted = learner().fit(table, y)
    check_answers(fitted, table, y)
    own = learner().fit(table[:50], np.arange(50))
    check_answers(own, table[:50], np.arange(50))
    assert own.predict_proba(table[:50]).shape == (50, 50)


@learners()
@pytest.mark.parametrize("seed", range(6))
def test_the_last_line_is_for_what_is_left(learner, seed):
    "Where no case is left to a list's default, it answers with the most frequent class, not the rarest."
    table, y = mixed_table(120, seed)
    fitted = learner().fit(table, y)
    check_answers(fitted, table, y)                                         # see `check_default`
    default = fitted.rules_.default
    if default.covered == 0:
        assert fitted.classes_[default.prediction] in set(y.mode())


@learners()
def test_more_than_two_classes_are_told_apart(learner):
    y = np.array(["one", "two", "three"])[np.arange(90) % 3]
    table = pd.DataFrame({"x": np.array(["p", "q", "r"])[np.arange(90) % 3]})
    assert learner().fit(table, y).score(table, y) == 1
    numbers = pd.DataFrame({"x": np.arange(90) % 3 * 10.0})
    assert learner().fit(numbers, y).score(numbers, y) == 1


@learners()
def test_refit_on_another_shape(learner):
    estimator = learner()
    before = estimator.get_params()
    for columns, labels in ((["x"], WORDS), (["x", "number"], UP), (["number"], UP.astype(int)), (["x"], WORDS)):
        estimator.fit(X[columns], labels)
        check_answers(estimator, X[columns], labels)
        assert estimator.n_features_in_ == len(columns) and list(estimator.feature_names_in_) == columns
    table, y = mixed_table()
    check_answers(estimator.fit(table, y), table, y)
    assert estimator.get_params() == before


@st.composite
def tables(draw):
    n, rng = draw(st.integers(2, 40)), np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = {}
    for i in range(draw(st.integers(1, 4))):
        share, size = draw(st.sampled_from([0, .1, .5, .9])), draw(st.integers(1, 5))
        cells = rng.integers(0, size, n)
        kind = draw(st.sampled_from(["word", "number", "truth"]))
        column = pd.Series(cells.astype(float) if kind == "number" else
                           cells > 0 if kind == "truth" else np.array(list("abcde"))[cells], dtype=object)
        column = column.mask(rng.random(n) < share)
        columns[f"c{i}"] = column.astype(float) if kind == "number" else column
    return pd.DataFrame(columns), rng.integers(0, draw(st.integers(1, 4)), n)


@learners()
@settings(max_examples=40)
@given(case=tables())
def test_what_must_hold_on_every_table(learner, case):
    table, y = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = learner().fit(table, y)
    check_answers(fitted, table, y)
    check_answers(fitted, table.iloc[::-1])
    check_answers(fitted, table.mask(table.notna()))                      # nothing but holes
