"""Every form in which a model is handed on: run or re-read, and compared with `predict` row by row."""
import csv
import io
import json
import math
import re
import sqlite3
import warnings
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from registry import drawn_part, learners, make, mixed_table

from swarmlit.data import Attribute, Schema, make_table
from swarmlit.export import ModelFormatError, SqlWriter, from_json, markdown_text, votes_to_sql
from swarmlit.models import RuleList, RuleSet, otherwise, with_counts
from swarmlit.rules import Rule, Term, show_text
from swarmlit.tree import Tree

ODD = ["petal width (cm)", 'a "quoted" name', "it's", "a = b", "x; DROP TABLE t", "<b>", "a\\b",
       "a\\", "a|b", "two\nlines", "\r", "[x]", "x]", "`b`", "天气", "🌦️", "", " edge ", "class", "None",
       "SELECT", "%s", "{x}", "$x$", "*b*", "_u_", "&lt;", "--", "/*", "*/", "\t", "\u202e", '"""', "'''",
       "x" * 500, "setosa & 123", "row", "value", "x0", "votes", "0", "1", "True", "NULL"]
LABELS = [["no", "yes"], ["setosa & 123", "<b>", "it's; --"], [False, True], [1, 2, 10], [0.0, 1.0],
          ["only"], ["x" * 5000, "y", ""], ["天", "a|b\n", "\\"]]
VALUES = [["a", "b", "c"], [False, True], [1, 2, 3], [0.5, 1.0, -2.0], ["1", "2", ""], [1, "1", "one"],
          ["it's", '"', "\\", "<b>"], ["True", "False", "None"]]
NUMBERS = [0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 1.0, -1.5, 1e-7, 77.5, 123456.789012345678, 1e300, 5e-324,
           float(2**53), 1.7e18]
MISSING = [None, float("nan"), pd.NA]

names = st.one_of(st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"],
                                                              exclude_characters="\0"), max_size=8))
numbers = st.one_of(st.sampled_from(NUMBERS), st.floats(-1e6, 1e6), st.floats(-1e308, 1e308))


@st.composite
def attributes(draw):
    kinds = draw(st.lists(st.sampled_from(["nominal", "continuous"]), min_size=1, max_size=4))
    folded = draw(st.lists(names, min_size=len(kinds), max_size=len(kinds),
                           unique_by=lambda name: name.lower()))      # SQLite folds the case of names
    return [Attribute(name, kind, tuple(draw(st.sampled_from(VALUES))) if kind == "nominal" else ())
            for name, kind in zip(folded, kinds)]


def unknown(values):
    "A value of the same type that is none of these."
    return {str: "never seen", bool: 2, int: 99, float: 0.25}[type(values[-1])]


@st.composite
def terms(draw, attribute, thresholds):
    if attribute.is_nominal:
        operator = draw(st.sampled_from(["=", "!=", "in"]))
        if operator != "in":
            return Term(attribute.name, operator, draw(st.sampled_from(attribute.values)))
        some = draw(st.lists(st.sampled_from(attribute.values), unique=True))
        return Term(attribute.name, "in", tuple(some))
    operator = draw(st.sampled_from(["<=", ">", "interval", "outside"]))
    a, b = *draw(thresholds), *draw(thresholds)
    if operator in ("<=", ">"):
        return Term(attribute.name, operator, a)
    low, high = draw(st.sampled_from([(a, b), (min(a, b), max(a, b)), (-math.inf, a), (a, math.inf)]))
    return Term(attribute.name, operator, (low, high))


@st.composite
def models_and_rows(draw):
    columns = draw(attributes())
    labels = draw(st.sampled_from(LABELS))
    dtype = object if draw(st.booleans()) or len(labels) == 1 else None
    pool = draw(st.lists(numbers, min_size=1, max_size=4))            # thresholds are cells: ties
    thresholds = st.sampled_from(pool).map(lambda x: (x,))
    rules = []
    for _ in range(draw(st.integers(0, 5))):
        condition = [draw(terms(draw(st.sampled_from(columns)), thresholds))
                     for _ in range(draw(st.integers(0, 3)))]
        rules.append(draw_rule(draw, condition, labels))
    default = draw_rule(draw, (), labels)
    head = (Schema(tuple(columns)), np.array(labels, dtype=dtype), draw(names))
    kind = draw(st.sampled_from(["list", "sum", "best"]))
    ties = draw(st.sampled_from([None, "default", "label"]))
    label = draw(st.sampled_from(["left open", -1, 0.25, "it's \"?\"", labels[0]]))
    model = (RuleList(*head, tuple(rules), default) if kind == "list"
             else RuleSet(*head, tuple(rules), default, kind, ties, label if ties == "label" else None))
    cells = {a: st.sampled_from([*a.values, unknown(a.values), None]) if a.is_nominal
             else st.sampled_from([*pool, *(math.nextafter(x, math.inf) for x in pool), None]) for a in columns}
    rows = [[draw(cells[a]) for a in columns] for _ in range(draw(st.integers(1, 6)))]
    return model, rows


def draw_rule(draw, condition, labels):
    sure = draw(st.integers(0, len(labels) - 1))
    counts = tuple(draw(st.lists(st.integers(0, 50), min_size=len(labels), max_size=len(labels))))
    probabilities = tuple(np.array(counts) / sum(counts)) if sum(counts) else tuple(np.eye(len(labels))[sure])
    quality = draw(st.sampled_from([0.0, 1e-9, .05, .1, .15, .25, .3, .35, 1 / 3, 2 / 3, 1.0, -1.0]))
    return Rule(tuple(condition), probabilities, counts, quality)


def as_frame(model, rows):
    columns = {a.name: pd.Series([row[i] for row in rows], dtype=object if a.is_nominal else float)
               for i, a in enumerate(model.schema.attributes)}
    return pd.DataFrame(columns)


def answers(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        frame = as_frame(model, rows)
        return model.predict(frame).tolist(), model.predict_proba(frame)


def run_sql(model, rows, table=None, types=False, text=None):
    writer = SqlWriter(model.schema)
    affinity = lambda a: " REAL" if not a.is_nominal else ""
    columns = ", ".join(writer.name(a.name) + (affinity(a) if types else "")
                        for a in model.schema.attributes)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE t ({columns})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(model.schema.names))})", rows)
        query = f"SELECT {text or model.to_sql(table=table)} FROM t ORDER BY rowid"
        return [answer for answer, in db.execute(query)]


def run_python(model, rows):
    source = model.to_python()
    assert "import" not in re.sub(r"'.*?'|\".*?\"", "", source) or "import" in repr(model)
    allowed = (float, isinstance, max, sorted, str, TypeError, ValueError)
    namespace = {"__builtins__": {f.__name__: f for f in allowed}}
    exec(compile(source.encode(), "model", "exec"), namespace)
    cells = [dict(zip(model.schema.names, row)) for row in rows]
    return [namespace["predict"](row) for row in cells]


@given(models_and_rows())
def test_every_form_agrees_with_predict(case):
    model, rows = case
    truth, chances = answers(model, rows)
    assert run_sql(model, rows) == truth
    assert run_sql(model, rows, table="t", types=True) == truth
    if isinstance(model, RuleSet) and model.policy == "sum":            # what a longer one would be
        for table in (None, "t"):
            assert run_sql(model, rows, table, text=votes_to_sql(model, SqlWriter(model.schema, table=table), 0)) == truth
    assert run_python(model, rows) == truth
    back = from_json(model.to_json())
    again, chances_again = answers(back, rows)
    assert again == truth and [type(a) for a in again] == [type(a) for a in truth]
    assert np.array_equal(chances, chances_again)
    assert type(back) is type(model) and back.classes.dtype == model.classes.dtype
    assert repr(back.schema) == repr(model.schema)              # the types of the values, too
    assert back.to_json() == model.to_json()


@given(models_and_rows())
def test_a_set_that_refuses_ties_refuses_in_every_form(case):
    model, rows = case
    if not isinstance(model, RuleSet):
        return
    open_, model = replace(model, on_unclassified="default"), replace(model, on_unclassified="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        undecided = model.unclassified(as_frame(model, rows))
    truth = [None if u else a for u, a in zip(undecided, answers(open_, rows)[0])]
    assert run_sql(model, rows) == truth
    if model.policy == "sum":
        assert run_sql(model, rows, text=votes_to_sql(model, SqlWriter(model.schema), 0)) == truth
    back = from_json(model.to_json())
    for row, answer in zip(rows, truth):
        if answer is not None:
            assert run_python(model, [row]) == answers(back, [row])[0] == [answer]
            continue
        for ask in (run_python, answers):
            with pytest.raises(ValueError, match="left unclassified"):
                ask(back, [row])


TERMS = [Term("word", "=", "a"), Term("word", "!=", "a"), Term("word", "in", ("a", "b")),
         Term("word", "in", ()), Term("number", "<=", 0.3), Term("number", ">", 0.3),
         Term("number", "interval", (0.1 + 0.2, 1.0)), Term("number", "interval", (-math.inf, math.inf)),
         *(Term("number", "outside", ends) for ends in ((0.1 + 0.2, 1.0), (-math.inf, 0.3), (0.3, math.inf),
                                                        (1.0, 0.3), (-math.inf, math.inf)))]


@pytest.mark.parametrize("policy", [None, "sum", "best"])
@pytest.mark.parametrize("term", TERMS, ids=str)
def test_each_operator_on_each_kind_of_cell(term, policy):
    head = (Schema((Attribute("word", "nominal", ("a", "b", "c")), Attribute("number", "continuous"))),
            np.array(["covered", "not"]), "t", (Rule((term,), (1., 0.), (0, 0), 0.5),), Rule((), (0., 1.), (0, 0)))
    model = RuleSet(*head, policy) if policy else RuleList(*head)
    rows = [[word, number] for word in ("a", "b", "c", "new", None)
            for number in (0.3, 0.1 + 0.2, math.nextafter(0.3, 0), 1.0, 1.5, -7, None)]
    truth, _ = answers(model, rows)
    missing = [row["word number".split().index(term.attribute)] is None for row in rows]
    assert "covered" not in np.array(truth)[missing]
    assert run_sql(model, rows) == run_sql(model, rows, types=True) == run_python(model, rows) == truth


@given(models_and_rows(), st.data())
def test_missing_cells_of_every_kind(case, data):
    model, rows = case
    truth, _ = answers(model, rows)
    namespace = {}
    exec(model.to_python(), namespace)
    for row, answer in zip(rows, truth):
        cells = {}
        for name, cell in zip(model.schema.names, row):
            hole = data.draw(st.sampled_from([*MISSING, "absent"]))
            if cell is not None:
                cells[name] = cell
            elif not isinstance(hole, str):
                cells[name] = hole
        assert namespace["predict"](cells) == answer


def by_way_of_csv(names, rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([names, *rows])                        # None becomes an empty field
    return list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))


@given(models_and_rows())
def test_rows_of_text_are_read_as_what_they_spell(case):
    model, rows = case
    seen = [list(row) for row in rows]
    for i, a in enumerate(model.schema.attributes):
        for row in seen:                                    # what a file of text cannot tell apart
            if "" in a.values and row[i] is None:
                row[i] = ""
            if "1" in a.values and row[i] == 1:
                row[i] = "1"
    truth, _ = answers(model, seen)
    namespace = {}
    exec(model.to_python(), namespace)
    assert [namespace["predict"](row) for row in by_way_of_csv(model.schema.names, rows)] == truth


def test_text_in_columns_of_numbers_and_truth_values():
    schema = Schema((Attribute("flag", "nominal", (False, True)), Attribute("size", "continuous"),
                     Attribute("word", "nominal", ("", "a"))))
    rules = tuple(Rule((t,), tuple(np.eye(5)[i]), (0,) * 5) for i, t in enumerate(
        [Term("flag", "=", True), Term("size", ">", 1.5), Term("word", "=", ""), Term("flag", "!=", True)]))
    labels = np.array(["flag", "large", "blank", "no flag", "none"])
    namespace = {}
    exec(RuleList(schema, labels, "t", rules, Rule((), tuple(np.eye(5)[4]), (0,) * 5)).to_python(), namespace)
    found = lambda flag="", size="", word="a": namespace["predict"]({"flag": flag, "size": size, "word": word})
    assert [found("True"), found("False"), found("true"), found("1"), found(" "), found(True)] == [
        "flag", "no flag", "no flag", "no flag", "none", "flag"]
    assert [found(size=s) for s in ("2", " 2e0 ", "1", "", "  ", 2)] == ["large", "large", "none", "none", "none",
                                                                         "large"]
    assert [found(word=w) for w in ("", " ", None)] == ["blank", "none", "none"]
    with pytest.raises(ValueError, match="Column 'size': 'two' is no number"):
        found(size="two")


class Cells(HTMLParser):
    """The texts of the cells of the only table of a page, and the tags around them."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.tags, self.inside = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True
        assert not any(name.startswith("on") for name, _ in attributes)

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, text):
        if self.inside:
            self.rows[-1][-1] += text


@given(models_and_rows())
def test_html_shows_the_text_and_nothing_else(case):
    model, _ = case
    page = Cells(model.to_html())
    assert set(page.tags) <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
    assert page.rows[0][2].split() == model.target.split()
    for cells, rule in zip(page.rows[1:], model.all_rules):
        assert cells[1].split() == (rule.condition or otherwise(model)).split()
        assert cells[2].split() == show_text(model.answer(rule)).split()
    assert len(page.rows) == len(model) + 1


@given(models_and_rows())
def test_markdown_renders_as_the_text(case):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    model, _ = case
    page = Cells(markdown.render(model.to_markdown()))
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert len(page.rows) == len(model) + 1
    for cells, rule in zip(page.rows[1:], model.all_rules):
        assert len(cells) == len(page.rows[0])
        assert cells[1].split() == (rule.condition or otherwise(model)).split()
        assert cells[2].split() == show_text(model.answer(rule)).split()


@pytest.mark.parametrize("text", ODD)
def test_markdown_text_is_one_line(text):
    assert len(markdown_text(text).splitlines()) <= 1
    assert "<b>" not in markdown_text(text)


@pytest.fixture(scope="module")
def iris():
    """Iris' own column names, its classes spoilt; a list, a voting set and a set led by the best rule."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(3, 1, (90, 3)).round(1),
                     columns=["petal width (cm)", "petal length (cm)", "sepal <b> & 'x'"])
    y = rng.choice(["setosa & 123", "<b>", "it's"], 90)
    table = make_table(X, y)
    rules = tuple(Rule((Term(name, "<=", float(X[name].iloc[i])), Term("petal width (cm)", ">", 2.1 + .2)),
                       tuple(np.eye(3)[i % 3]), (0, 0, 0), quality=.1 * (1 + i))
                  for i, name in enumerate(X))
    rules += (Rule((Term("petal length (cm)", "interval", (2.9, 3.1)),), (0, 0, 1.), (0, 0, 0), .3),)
    head = (table.schema, table.classes, "kind of iris", rules, Rule((), (1., 0, 0), (0, 0, 0)))
    return X, [with_counts(m, table) for m in (RuleList(*head), RuleSet(*head), RuleSet(*head, "best"))]


def test_iris_names(iris):
    X, models = iris
    for model in models:
        rows = X.values.tolist()
        assert run_sql(model, rows) == run_python(model, rows) == model.predict(X).tolist()
        assert '"petal width (cm)"' in model.to_sql()


def many_rules(n_rules=400, n_classes=60, n_terms=20):
    "A set whose every rule is long, and which has many classes to compare."
    random = np.random.default_rng(0)
    names = [f"attribute number {i}" for i in range(n_terms)]
    schema = Schema(tuple(Attribute(name, "nominal", tuple("abc")) for name in names))
    rules = tuple(
        Rule(tuple(Term(name, "!=", "abc"[random.integers(3)]) for name in names[random.integers(8):]),
             tuple(np.eye(n_classes)[random.integers(n_classes)]), (0,) * n_classes, 1 - i / 3 / n_rules)
        for i in range(n_rules))
    classes = np.array([f"class {i:02d}" for i in range(n_classes)])
    model = RuleSet(schema, classes, "kind", rules, Rule((), tuple(np.eye(n_classes)[0]), (0,) * n_classes))
    return model, random.choice([*"abc", None], (300, n_terms), p=[.45, .45, .05, .05]).tolist()


def test_votes_for_many_classes_are_counted_once():
    "Each rule is written once; elsewhere a long text is told."
    model, rows = many_rules()
    rows[0] = ["a"] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = {dialect: model.to_sql(dialect) for dialect in ("sqlite", "postgres", "duckdb", "tsql", "mysql")}
    assert all(len(text) < 400_000 and text.startswith("(SELECT CASE") and text.count("THEN 1000000000 ") == 1 for text in texts.values())
    truth = answers(model, rows)[0]
    assert len(set(truth)) > 10 and run_sql(model, rows) == run_sql(model, rows, table="t") == truth
    with pytest.raises(ValueError, match="400 rules that vote for 60 classes"):
        model.to_sql("oracle")
    fewer = replace(model, rules=model.rules[:300])
    with pytest.warns(UserWarning, match=r"has \d+\.\d million characters.*to_python"):
        assert fewer.to_sql("oracle").startswith("CASE")


def test_sums_of_votes_have_64_bits():
    "Three votes of a billion are more than a whole number of 32 bits, the usual one in databases."
    rule = Rule((Term("a", "=", "x"),), (0., 1.), (0, 0), 1.0)
    schema = Schema((Attribute("a", "nominal", ("x", "y")),))
    model = RuleSet(schema, np.array(["no", "yes"]), "kind", (rule,) * 3, Rule((), (1., 0.), (0, 0)))
    for dialect in ("postgres", "duckdb", "tsql", "snowflake"):
        assert "CAST(0 AS BIGINT) + CASE" in model.to_sql(dialect)
        assert "CAST" not in replace(model, rules=(rule,) * 2).to_sql(dialect)
    assert run_sql(model, [["x"], ["y"]]) == ["yes", "no"]


@pytest.mark.parametrize("n", [999, 3000])
def test_any_number_of_rules_for_a_class(n):
    "SQLite nests expressions a thousand deep."
    model, rows = many_rules(n, 2, 3)
    assert run_sql(model, rows) == answers(model, rows)[0]


def test_a_byte_order_mark_is_no_part_of_a_model(iris):
    for model in iris[1]:
        text = model.to_json()
        for marked in ("\ufeff" + text, text.encode("utf-8-sig"), ("\ufeff" + text).encode()):
            assert from_json(marked).to_json() == from_json(text).to_json()


def test_sql_is_one_expression_in_every_dialect(iris):
    sqlglot = pytest.importorskip("sqlglot")
    for dialect in {d.value for d in sqlglot.Dialects} - {"", "prql", "dax"}:
        for model in iris[1]:
            query = sqlglot.parse_one(f"SELECT {model.to_sql(dialect)} AS answer FROM t", read=dialect)
            assert isinstance(query.selects[0].this, sqlglot.exp.Case)
            assert {c.name for c in query.find_all(sqlglot.exp.Column)} <= set(model.schema.names)
            words = {s.this for s in query.find_all(sqlglot.exp.Literal) if s.is_string}
            assert words <= set(model.classes)


@pytest.mark.parametrize("dialect", ["postgresql", "sqlight", "", None, "SELECT 1"])
def test_unknown_dialects_are_named(iris, dialect):
    with pytest.raises(ValueError, match="Unknown SQL dialect"):
        iris[1][0].to_sql(dialect)


def flags(values=(False, True), labels=(False, True)):
    rule = Rule((Term("flag", "=", values[1]),), (0., 1.), (0, 0))
    schema = Schema((Attribute("flag", "nominal", values),))
    return RuleList(schema, np.array(labels), "flag too", (rule,), Rule((), (1., 0.), (0, 0)))


def test_truth_values_in_sql():
    assert '"flag" = 1 THEN 1' in flags().to_sql("sqlite")
    assert "[flag] = 1 THEN 1" in flags().to_sql("tsql")
    assert '"flag" = TRUE THEN TRUE' in flags().to_sql("postgres")
    assert '"flag" = TRUE THEN TRUE' in flags().to_sql("duckdb")
    assert "'True'" in flags(values=("False", "True")).to_sql("sqlite")        # words stay words
    assert run_sql(flags(), [[1], [0], [True], [None], [1.0]]) == [1, 0, 1, 0, 1]


def test_whole_numbers_beyond_doubles():
    stamp = 1_700_000_000_123_456_789
    head = (Schema((Attribute("ns", "continuous"),)), np.array(["early", "late"]), "t")
    model = RuleList(*head, (Rule((Term("ns", "<=", float(stamp)),), (1., 0), (0, 0)),),
                     Rule((), (0., 1), (0, 0)))
    for shift in range(-600, 600, 50):
        rows = [[stamp + shift]]
        truth = model.predict(pd.DataFrame({"ns": [stamp + shift]})).tolist()
        assert run_sql(model, rows) == run_python(model, rows) == truth, shift


def test_what_the_database_must_see_to():
    rule = Rule((Term("size", "<=", 77.5),), (1., 0.), (0, 0))
    model = RuleList(Schema((Attribute("size", "continuous"),)), np.array(["small", "large"]), "t",
                     (rule,), Rule((), (0., 1.), (0, 0)))

    def ask(column, table=None):
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute(f"CREATE TABLE t ({column})")
            db.executemany("INSERT INTO t VALUES (?)", [("9",), ("100",)])
            return [answer for answer, in db.execute(f"SELECT {model.to_sql(table=table)} FROM t")]

    assert ask("size REAL") == ["small", "large"]
    assert ask("size TEXT") == ["large", "small"]           # "9" is after "77.5", "100" before it
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        ask("sise REAL", table="t")
    for words in ("numeric type", "misspelt"):
        assert words in RuleList.to_sql.__doc__ and words in RuleSet.to_sql.__doc__ and words in Tree.to_sql.__doc__


@pytest.mark.parametrize("name", ["tr.json", "models/tr.json", Path("tr.json"), "C:\\models\\tr.json",
                                  "two words.txt", "天气.json"])
def test_names_of_files_are_recognised(name):
    with pytest.raises(ModelFormatError, match="file") as caught:
        from_json(name)
    assert f"Path({str(name)!r}).read_text()" in str(caught.value)


@pytest.mark.parametrize("text", ["", "x", "{", '{"a.json', "nothing. at all", "[1.e", "\n.json", "-.5a", "tr.json" * 500])
def test_other_texts_are_not_taken_for_names_of_files(text):
    with pytest.raises(ModelFormatError) as caught:
        from_json(text)
    assert "file name" not in str(caught.value)


def test_values_outside_the_domain():
    model = flags(values=("no", "yes"))
    for operator, value in (("=", "maybe"), ("!=", "maybe"), ("in", ("maybe", "yes"))):
        rules = (replace(model.rules[0], terms=(Term("flag", operator, value),)),)
        odd, rows = replace(model, rules=rules), [["maybe"], ["yes"], [None]]
        truth, _ = answers(odd, rows)
        assert run_sql(odd, rows) == run_python(odd, rows) == truth
        with pytest.raises(ModelFormatError, match="'maybe' is no value of 'flag'"):
            odd.to_json()                                   # what could not be read is not written


@pytest.mark.parametrize("value", [pd.Timestamp("2020-01-01"), (1, 2), 1j, b"x", None, float("inf")])
def test_values_without_a_form_are_named(value):
    model = flags(values=("no", value))
    for export in ("to_json", "to_sql"):
        with pytest.raises(ValueError, match="attribute 'flag'|inf cannot"):
            getattr(model, export)()
    if value != float("inf"):
        with pytest.raises(ValueError, match="attribute 'flag'"):
            model.to_python()
    else:
        assert run_python(model, [[value]]) == [True]


@pytest.mark.parametrize("labels", [np.array(["2020-01-01", "2021-01-01"], "M8[D]"), np.array([b"a", b"b"]),
                                    np.array([1j, 2j])])
def test_labels_without_a_form_are_named(labels):
    for export in ("to_json", "to_sql", "to_python"):
        with pytest.raises(ValueError, match="the classes"):
            getattr(replace(flags(), classes=labels), export)()


@pytest.mark.parametrize("labels", [
    np.array([1., 2.]), np.array([1., 2.], np.float32), np.array([1, 2], np.uint8), np.array([1, 2]),
    np.array(["a", "bc"]), np.array(["a", "bc"], "U9"), np.array(["a", "b"], object),
    np.array([1., 2.], object), np.array([np.float64(1), 2.], object), np.array([False, True])])
def test_labels_come_back_with_their_type(labels):
    model = replace(flags(), classes=labels)
    back = from_json(model.to_json())
    assert back.classes.dtype == labels.dtype and back.classes.tolist() == labels.tolist()
    assert run_sql(model, [[1], [0]]) == run_python(model, [[True], [False]]) == labels.tolist()[::-1]


def test_large_models():
    rng = np.random.default_rng(0)
    head = (Schema(tuple(Attribute(f"x{i}", "continuous") for i in range(5))), np.arange(4), "t")
    rules = tuple(Rule(tuple(Term(f"x{j}", "<=", float(x)) for j, x in enumerate(rng.normal(size=5))),
                       tuple(np.eye(4)[i % 4]), (0,) * 4, quality=1 / 64) for i in range(2000))
    default = Rule((), (1., 0, 0, 0), (0,) * 4)
    rows = rng.normal(size=(50, 5)).tolist()
    for model in (RuleList(*head, rules, default), RuleSet(*head, rules, default, "best"),
                  RuleSet(*head, rules, default)):
        truth, _ = answers(model, rows)
        assert run_sql(model, rows) == run_python(model, rows) == truth
        assert from_json(model.to_json()).to_text() == model.to_text()


# Reading what may come from anywhere

def valid_texts():
    models = []
    for labels in (["no", "yes"], [1, 2]):
        columns = (Attribute("a", "nominal", ("x", "y")), Attribute("b", "continuous"),
                   Attribute("c", "nominal", (False, True)))
        rules = (Rule((Term("a", "=", "x"), Term("b", "<=", 1.5)), (.25, .75), (1, 3), .5),
                 Rule((Term("c", "in", (True,)), Term("b", "interval", (1., 2.))), (1., 0.), (2, 0), .25))
        head = (Schema(columns), np.array(labels), "t", rules, Rule((), (.5, .5), (0, 0)))
        models += [RuleList(*head), RuleSet(*head), RuleSet(*head, "best")]
    return [model.to_json() for model in models]


VALID = valid_texts()
FRAME = pd.DataFrame({"a": ["x", "y", None], "b": [1.5, None, 2.], "c": [True, False, None]})
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6)


def read_or_refuse(text):
    "A model that works, or ModelFormatError; anything else fails the test."
    try:
        model = from_json(text)
    except ModelFormatError as error:
        assert error.where and str(error) and len(str(error)) < 500
        return None
    assert from_json(model.to_json()).to_json() == model.to_json()
    if set(model.schema.names) <= set(FRAME):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                chances = model.predict_proba(FRAME)
            except ValueError as error:                   # a column of words that is now continuous
                assert "held numbers" in str(error)
            else:
                assert np.allclose(chances.sum(1), 1)
    return model


@given(st.sampled_from(VALID), st.data())
def test_one_part_replaced_dropped_or_doubled(text, data):
    document = json.loads(text)
    inside, last = drawn_part(data, document)
    how = data.draw(st.sampled_from(["replace", "drop", "double"]))
    if how == "replace":
        inside[last] = data.draw(json_values)
    elif how == "drop":
        del inside[last]
    elif isinstance(inside, list):
        inside.append(inside[last])
    read_or_refuse(json.dumps(document))


@given(st.sampled_from(VALID), st.data())
def test_bytes_changed_or_cut(text, data):
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[:data.draw(st.integers(0, len(raw)))]
    read_or_refuse(bytes(raw))
    read_or_refuse(raw.decode("latin-1"))


@given(st.text() | st.binary() | json_values.map(json.dumps) | json_values)
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example("9" * 100_000)
@example("1e999")
@example('"\\ud800"')
@example("\ufeff{}")
def test_arbitrary_input(text):
    assert read_or_refuse(text) is None


def changed(**parts):
    return json.dumps(json.loads(VALID[1]) | parts)


@pytest.mark.parametrize("where, text", [
    ("version", changed(version=2)), ("version", changed(version="1")), ("version", changed(version=True)),
    ("kind", changed(kind="forest")), ("kind", changed(kind=[])), ("format", changed(format="other")),
    ("policy", changed(policy="first")), ("target", changed(target=3)),
    ("classes.labels", changed(classes={"dtype": "U3", "labels": ["a", "a"]})),
    ("classes.labels", changed(classes={"dtype": "U1", "labels": ["a", "bc"]})),
    ("classes.labels", changed(classes={"dtype": "uint8", "labels": [1, -1]})),
    ("classes.labels", changed(classes={"dtype": "float16", "labels": [1, 1e300]})),
    ("classes.dtype", changed(classes={"dtype": "U9999999", "labels": ["a", "b"]})),
    ("classes.dtype", changed(classes={"dtype": "O", "labels": ["a", "b"]})),
    ("attributes", changed(attributes=[{"name": "a", "kind": "continuous"}] * 2)),
    ("attributes[0].values", changed(attributes=[{"name": "a", "kind": "nominal", "type": "int",
                                                  "values": ["x"]}])),
    ("attributes[0].values", changed(attributes=[{"name": "a", "kind": "nominal", "type": "mixed",
                                                  "values": [1, True]}])),
    ("attributes[0]", changed(attributes=[{"name": "a", "kind": "continuous", "values": [1]}])),
    ("rules[0].terms[0].attribute", changed(attributes=[{"name": "z", "kind": "continuous"}])),
    ("rules[0].probabilities", VALID[0].replace("0.25, 0.75", "0.25, 0.25")),
    ("rules[0].probabilities", VALID[0].replace("0.25, 0.75", "-0.25, 1.25")),
    ("rules[0].probabilities", VALID[0].replace("0.25, 0.75", "0.25, 0.5, 0.25")),
    ("the text", VALID[0].replace("0.25, 0.75", "NaN, 0.75")),
    ("rules[0].quality", VALID[1].replace('"quality": 0.5', '"quality": null')),
    ("default.terms", changed(default=json.loads(VALID[1])["rules"][0])),
])
def test_the_place_is_named(where, text):
    with pytest.raises(ModelFormatError) as caught:
        from_json(text)
    assert caught.value.where == where


def test_types_that_others_write_differently():
    """A program that has no floats of its own writes 1.0 as 1; the model is the same."""
    model = replace(flags(values=(0.0, 1.0)), classes=np.array([1.0, 2.0]))
    text = re.sub(r"(\d)\.0\b", r"\1", model.to_json())
    assert ".0" not in text
    back = from_json(text)
    assert back.classes.dtype == float
    assert [type(v) for v in back.schema.attributes[0].values] == [float, float]


# What every learner hands on

@learners()
def test_a_rule_is_a_line_with_its_record(learner):
    "IF ... THEN ... (cases/errors): a line for each rule, the default last, every case counted once."
    X, y = mixed_table()
    rules = learner().fit(X, y).rules_
    lines = rules.to_text().splitlines()
    assert len(lines) == len(rules.all_rules) and lines[-1].startswith("OTHERWISE")
    shape = re.compile(r"(IF .+ THEN|OTHERWISE|OTHERWISE OR ON A TIE) verdict = (yes|no|maybe) +\(([\d.]+)/([\d.]+)\)")
    told = [shape.fullmatch(line) for line in lines]
    assert all(told), lines
    assert sum(float(m[3]) for m in told) == pytest.approx(len(X), abs=.05)
    for m, rule in zip(told, rules.all_rules):
        assert (float(m[3]), float(m[4])) == pytest.approx((rule.covered, rule.errors), abs=.01)


@learners()
def test_the_rule_that_decided_is_known_for_each_case(learner):
    "Of the training cases, those that a rule is said to have decided are those of its record."
    X, y = mixed_table(holes=False)
    fitted = learner().fit(X, y)
    reasons = fitted.explain(X)
    assert (reasons.prediction == fitted.predict(X)).all()
    known = {rule.condition for rule in fitted.rules_.all_rules} | {otherwise(fitted.rules_), "all cases"}
    for _, rows in reasons.groupby("rule" if "rule" in reasons else "condition"):
        assert set(rows.condition) <= known and (rows.covered == len(rows)).all()
        assert (rows.errors == (rows.prediction != y[rows.index]).sum()).all()


@learners()
@pytest.mark.parametrize("dialect", ["postgres", "tsql"])
def test_sql_of_every_learner_is_one_expression(learner, dialect):
    sqlglot = pytest.importorskip("sqlglot")
    X, y = mixed_table()
    fitted = learner().fit(X.rename(columns={"word": "a word"}), y)
    query = sqlglot.parse_one(f"SELECT {fitted.to_sql(dialect)} AS answer FROM t", read=dialect)
    assert len(query.selects) == 1
    columns = {c.name for c in query.find_all(sqlglot.exp.Column) if not c.find_ancestor(sqlglot.exp.Subquery)}
    assert set(fitted.features_used_) <= {c.name for c in query.find_all(sqlglot.exp.Column)} and columns


def test_trees_whose_shares_or_counts_are_made_up():
    "What a fuzzer found: chances that did not sum to 1, and counts too large for exact sums."
    X, y = mixed_table(60)
    tree = json.loads(make("c45").fit(X, y).to_json())
    tree["nodes"][1]["share"] /= 2
    with pytest.raises(ModelFormatError, match="shares of its branches do not sum to 1"):
        from_json(json.dumps(tree))
    rules = json.loads(make("cn2-unordered").fit(X, y).to_json())
    rules["tallies"][0][0] = 10**280
    with pytest.raises(ModelFormatError, match=r"tallies\[0\]\[0\]"):
        from_json(json.dumps(rules))
