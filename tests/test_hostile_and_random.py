"""Random tables for every learner, and texts that mean harm: every form agrees, nothing breaks out."""
import copy
import json
import sqlite3
import warnings
from contextlib import closing
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import CASES, REGRESSORS, drawn_part, learners, make, make_regressor, mixed_table

from swarmlit.data import Attribute, Schema
from swarmlit.export import ModelFormatError, SqlWriter, from_json

KINDS = ("word", "number", "truth", "whole")


@st.composite
def tables(draw):
    "A few columns of mixed kinds with holes, and up to four classes."
    n, rng = draw(st.integers(2, 50)), np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = {}
    for i, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))):
        cells = rng.integers(0, draw(st.integers(1, 5)), n)
        column = {"word": np.array(["it's", 'a "b"', "c\\", "", "天"], object)[cells], "whole": cells.astype(float),
                  "number": rng.normal(size=n).round(1), "truth": cells > 0}[kind]
        column = pd.Series(column, dtype=object).mask(rng.random(n) < draw(st.sampled_from([0, .1, .6])))
        columns[f"{kind} {i}"] = column.astype(float) if kind in ("whole", "number") else column
    labels = np.array(["no", "yes", "it's", "<b>"])[rng.integers(0, draw(st.integers(1, 4)), n)]
    return pd.DataFrame(columns), labels


def by_sql(model, X):
    cells = X.astype(object).where(X.notna(), None)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE t ({', '.join(SqlWriter(Schema(())).name(n) for n in X.columns)})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * X.shape[1])})", cells.values.tolist())
        return [a for a, in db.execute(f"SELECT {model.to_sql(table='t')} FROM t ORDER BY rowid")]


def by_python(model, X):
    space = {}
    exec(model.to_python(), space)
    cells = X.astype(object).where(X.notna(), None)
    return [space["predict"](row) for row in cells.to_dict("records")]


@learners()
@settings(max_examples=12)
@given(case=tables())
def test_every_form_agrees_with_predict(learner, case):
    X, y = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = learner().fit(X, y)
        Z = pd.concat([X, X.mask(X.notna()).head(2), X.iloc[::-1]], ignore_index=True).astype(X.dtypes)
        truth = fitted.predict(Z).tolist()
        back = from_json(fitted.to_json())
        assert back.predict(Z).tolist() == truth
        assert np.array_equal(back.predict_proba(Z), fitted.predict_proba(Z))
    assert by_sql(fitted, Z) == truth
    assert by_python(fitted, Z) == truth


# ---------------------------------------------------------------------------------- models of strangers

@cache
def texts():
    "The model of every learner and regressor as text, with rows to ask it about."
    X, y = mixed_table(60)
    found = {name: (make(name).fit(X, y).to_json(), X) for name in CASES}
    N = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    return found | {name: (make_regressor(name).fit(N, N["a"] * N["b"]).to_json(), N) for name in REGRESSORS}


NASTY = st.sampled_from([None, True, -1, 0, 1, 2, 10**19, 10**280, 1e308, -1e308, 5e-324, .5, "", "x", "in", "\0", "\ud800",
                         [], {}, [[]], [None, None], [1, 2], {"a": 1}, "U9999999", "9" * 400, "((", float("nan"),
                         float("inf")])


@pytest.mark.parametrize("name", [*CASES, *REGRESSORS])
@settings(max_examples=25)
@given(data=st.data())
def test_a_model_with_a_part_changed_works_or_is_refused(name, data):
    "Positions of nodes, numbers, kinds, names: ModelFormatError, or a model that answers."
    text, rows = texts()[name]
    document = json.loads(text)
    inside, last = drawn_part(data, document)
    how = data.draw(st.sampled_from(["replace", "replace", "drop", "double", "shift"]))
    if how == "replace":
        inside[last] = copy.deepcopy(data.draw(NASTY))
    elif how == "drop":
        del inside[last]
    elif how == "double" and isinstance(inside, list):
        inside.append(inside[last])
    elif type(inside[last]) in (int, float):
        inside[last] += data.draw(st.sampled_from([-1, 1, .5, -.5]))
    read_or_refuse(json.dumps(document), rows)


def read_or_refuse(text, rows):
    try:
        model = from_json(text)
    except ModelFormatError as error:
        assert error.where and len(str(error)) < 600
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert model.to_text() and model.to_html()
        try:
            answers = model.predict_proba(rows) if hasattr(model, "classes") else model.predict(rows)
        except ValueError as error:                           # columns or kinds changed, or left unclassified
            assert any(said in str(error) for said in ("lacks the column", "held numbers", "holds words", "unclassified"))
        else:
            assert np.isfinite(answers).all() and len(answers) == len(rows)


@pytest.mark.parametrize("name", [*CASES, *REGRESSORS])
def test_a_saved_model_says_what_it_is(name):
    "Its format and version, its columns with the values of words; a later version is not guessed at."
    text, rows = texts()[name]
    document = json.loads(text)
    assert [a["name"] for a in document["attributes"]] == list(rows)
    words = {a["name"]: a["values"] for a in document["attributes"] if a["kind"] == "nominal"}
    assert set(words) == {c for c in rows if rows[c].dtype != float}
    assert "word" not in words or words["word"] == ["a", "b", "c"]
    for key in ("format", "version"):
        with pytest.raises(ModelFormatError) as caught:
            from_json(json.dumps(document | {key: document[key] * 2}))
        assert caught.value.where == key


@pytest.mark.parametrize("name", [*CASES, *REGRESSORS])
def test_a_model_cut_short_or_nested_is_refused(name):
    text, _ = texts()[name]
    for cut in np.linspace(0, len(text.rstrip()) - 1, 12).astype(int):
        with pytest.raises(ModelFormatError):
            from_json(text[:cut])
    for deep in (text[:-1] + ', "more": ' + "[" * 100_000, text.replace('"kind"', '"kind": {}, "kind_"', 1)):
        with pytest.raises(ModelFormatError):
            from_json(deep)


# ----------------------------------------------------------------------------- names that want to break out

EVIL = ["'; DROP TABLE t; --", '"; DROP TABLE t; --', "a\\", "\\'", "\\\"", "`", "]", "$$", "/*", "*/ 1", "--", "\n", "\r\n",
        "\u2028", "\u2029", "\x85", "{x}", "%s", "\x1a", "\b", "''", '""', "]]", "``", "’", "＇", "\\u0027", '"""', "'''",
        "\\\n", "#{x}", "'||'"]
DIALECTS = ["sqlite", "postgres", "mysql", "tsql", "bigquery", "snowflake", "duckdb", "oracle", "spark", "clickhouse"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_names_and_values_stay_inside_their_quotes(text, dialect):
    "Read back by a parser of the dialect, each is one name or one literal, letter by letter."
    sqlglot = pytest.importorskip("sqlglot")
    writer = SqlWriter(Schema((Attribute(text, "nominal", (text,)),)), dialect)
    try: writer.name(text)
    except ValueError as refusal:  # some dialects, older versions of sqlglot
        assert "cannot be quoted" in str(refusal) and dialect == "clickhouse" and "\\" in text
        return
    query = sqlglot.parse(f"SELECT {writer.name(text)} = {writer.value(text, 'a test')} AS found FROM t", read=dialect)
    assert len(query) == 1
    column, literal = query[0].find(sqlglot.exp.EQ).unnest_operands()
    assert column.name == text and literal.name == text


@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_python_holds_them_as_they_are(text):
    "As the name of a column, a value, a label and the target, in every export of a model."
    X = pd.DataFrame({text: ["other", text] * 20})
    y = pd.Series([f"no {text}", text] * 20, name=text)
    fitted = make("cart").fit(X, y)
    truth = fitted.predict(X).tolist()
    assert by_python(fitted, X) == by_sql(fitted, X) == truth == y.tolist()
    assert from_json(fitted.to_json()).predict(X).tolist() == truth
    assert len(fitted.rules_.to_text().splitlines()) == len(fitted.rules_)


def test_a_null_character_is_refused_by_sql_and_kept_by_the_rest():
    X = pd.DataFrame({"x": ["a\0b", "c"] * 20})
    fitted = make("cart").fit(X, ["no", "yes"] * 20)
    with pytest.raises(ValueError, match="null character"):
        fitted.to_sql()
    assert by_python(fitted, X) == fitted.predict(X).tolist()
    assert from_json(fitted.to_json()).predict(X).tolist() == fitted.predict(X).tolist()


def test_saved_models_hold_no_code():
    "JSON alone, nothing that Python would run on reading."
    for name, (text, _) in texts().items():
        assert text.isascii() and isinstance(json.loads(text), dict), name
        assert not any(word in text for word in ("__", "pickle", "eval", "lambda", "import")), name
