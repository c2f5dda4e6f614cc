"""One tree per class: beside slow and obvious code, in every export, and on the paper's folds."""
import json
import sqlite3
import warnings
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import CASES, check_answers, drawn_part, make, mixed_table
from sklearn.model_selection import cross_val_score

from swarmlit import C45Classifier, load_dataset
from swarmlit.data import encode, make_table
from swarmlit.export import ModelFormatError, from_json
from swarmlit.models import with_counts
from swarmlit.multitree import (FloorKFold, MultiTree, MultiTreeClassifier, count_decided, greedy_tree,
                                n_terms, one_against_rest)

STRATEGIES = [case for case, (name, _) in CASES.items() if name == "multitree"]


def random_table(seed, rows=60, k=3, holes=.15):
    "Words with a value nobody has, numbers with ties, and classes that depend on both."
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "word": pd.Categorical(draw.choice(list("abc"), rows), categories=list("abcd")),
        "number": draw.integers(0, 6, rows) / 2, "flag": draw.random(rows) < .5,
        "other": draw.normal(size=rows).round(1)})
    score = (frame.word.cat.codes + frame.number + draw.normal(0, .7, rows)) % k
    frame["flag"] = frame.flag.astype(object)
    return frame.mask(draw.random(frame.shape) < holes), np.array([f"c{int(s)}" for s in score])


def some_model(seed, k=3, laplace=1.0, **how):
    X, y = random_table(seed, k=k)
    table = make_table(X, y)
    trees = tuple(greedy_tree(one_against_rest(table, c), laplace, **{"confidence": None} | how)
                  for c in range(table.n_classes))
    return count_decided(MultiTree(table.schema, table.classes, "verdict", trees), table), table


def asked(seed, rows=120):
    "Rows to ask about: with more holes, and words nobody has seen."
    X, _ = random_table(1000 + seed, rows, holes=.4)
    words = X.word.astype(object)
    words.iloc[::7] = "new"
    return X.assign(word=words)


def quiet(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)             # of values never seen
        return function(*arguments)


# ------------------------------------------------------------------------- slow and obvious answers

def chance(tree, row, node=0):
    "P(C = l | x) of a row (a dict) below a node, by recursion over the nodes."
    t = tree.nodes
    rest, own = t.class_weights[node]
    here = (own + tree.laplace) / (rest + own + 2 * tree.laplace)
    if t.attribute[node] < 0:
        return here
    attribute = tree.schema.attributes[t.attribute[node]]
    value, children = row[attribute.name], t.first_child[node] + np.arange(t.n_children[node])
    if pd.isna(value):
        return sum(t.share[c] * chance(tree, row, c) for c in children if t.share[c] > 0)
    if attribute.is_nominal:
        known = [c for v, c in zip(attribute.values, children) if v == value and t.share[c] > 0]
        return chance(tree, row, known[0]) if known else here
    return chance(tree, row, children[int(value > t.threshold[node])])


def slow_answer(model, row):
    "The class of a row: highest chance, then more cases, then class order."
    chances = [chance(tree, row) for tree in model.trees]
    cases = [tree.nodes.class_weights[0, 1] for tree in model.trees]
    return max(range(len(chances)), key=lambda c: (round(chances[c], 10), round(cases[c], 9), -c)), chances


@pytest.mark.parametrize("laplace", [0.0, 1.0])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(10))
def test_answers_as_slow_code_gives_them(seed, k, laplace):
    model, _ = some_model(seed, k, laplace)
    rows = asked(seed)
    said, scores = quiet(model.predict, rows), quiet(model.class_scores, rows)
    for i, row in enumerate(rows.to_dict("records")):
        c, chances = slow_answer(model, row)
        np.testing.assert_allclose(scores[i], chances, atol=1e-12)
        assert said[i] == model.classes[c]


@pytest.mark.parametrize("seed", range(10))
def test_each_case_is_counted_under_the_rule_that_decides_it(seed):
    model, table = some_model(seed, 4)
    plain = replace(model, counts=()).to_rules()
    assert [rule.counts for rule in with_counts(plain, table).all_rules] == list(model.counts)
    assert np.sum(model.counts) == table.n_cases


@pytest.mark.parametrize("seed", range(10))
def test_rules_say_what_a_sure_tree_says(seed):
    "Where nothing is missing or new, some tree is sure and no rule was dropped for another."
    model, table = some_model(seed, 3)
    whole = table.take((table.codes >= 0).all(1) & ~np.isnan(table.numbers).any(1))
    sure = (model.class_scores(whole) > .5).any(1)
    paths = [sum(tree.verdict(v)[0] for v in tree.walk() if tree.is_end(v)) for tree in model.trees]
    rules = model.to_rules()
    if len(rules.rules) == sum(paths):
        assert (rules.predict(whole)[sure] == model.predict(whole)[sure]).all()
    assert len(rules.rules) <= sum(paths)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_of_one_leaf_is_the_last_line_of_the_rules(seed):
    "Its path has no condition and always holds: one line without IF, which says what the trees say."
    X, y = random_table(seed)
    y = np.where(np.random.default_rng(seed).random(len(y)) < .7, "often", y)
    for options in (dict(min_cases=len(y)), dict(min_cases=len(y) // 4), dict(confidence=.01)):
        fitted = MultiTreeClassifier(strategy="greedy", **options).fit(X, y)
        rules, asked_for = fitted.rules_, asked(seed)
        assert rules.to_text().count("OTHERWISE") == 1 and all(rule.terms for rule in rules.rules)
        often = fitted.model_.trees[list(fitted.classes_).index("often")]
        if options.get("min_cases") == len(y):
            assert often.n_nodes == 1 and len(rules) == 1
            assert set(quiet(rules.predict, asked_for)) == set(quiet(fitted.predict, asked_for)) == {"often"}
            chance = quiet(rules.predict_proba, asked_for).max()
            assert chance == pytest.approx(often.chances[0, 1])
        table = make_table(X, y)
        counted = with_counts(rules, table)
        assert [rule.counts for rule in counted.all_rules] == [rule.counts for rule in rules.all_rules]
        assert from_json(rules.to_json()).to_text() == rules.to_text()


def test_ties_go_to_the_more_frequent_class_then_to_the_first():
    for y, winner in ((["a"] * 3 + ["b"] * 5 + ["c"] * 5, "b"), (["a"] * 5 + ["b"] * 3 + ["c"] * 5, "a"),
                      (["a"] * 2 + ["b"] * 3 + ["c"] * 5, "c")):
        X = pd.DataFrame({"x": [f"v{i}" for i in range(len(y))]})
        model = MultiTreeClassifier(strategy="greedy", laplace=0, min_cases=1).fit(X, y).model_
        even = tuple(replace(t, nodes=t.nodes._replace(class_weights=t.nodes.class_weights * 0 + [1, 1]))
                     for t in model.trees)
        cases = np.array([[13 - y.count(c), y.count(c)] for c in "abc"], float)
        for tree, row in zip(even, cases):
            tree.nodes.class_weights[0] = row
        tied = MultiTree(model.schema, model.classes, "t", even)
        assert tied.predict(X).tolist() == [winner] * len(y)
        assert in_sqlite(tied, X) == in_python(tied, X) == [winner] * len(y)


# ---------------------------------------------------------------------------------------- exports

def in_sqlite(model, frame):
    with closing(sqlite3.connect(":memory:")) as db:
        cells = frame.astype(object).where(frame.notna(), None)
        numbers = {a.name: "REAL" for a in model.schema.attributes if not a.is_nominal}
        columns = ", ".join('"{}" {}'.format(n, numbers.get(n, "")) for n in cells)
        db.execute(f"CREATE TABLE t ({columns})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * cells.shape[1])})", cells.to_numpy().tolist())
        return [answer for answer, in db.execute(f"SELECT {model.to_sql()} FROM t")]


def in_python(model, frame):
    space = {}
    exec(model.to_python(), space)
    return [space["predict"](row) for row in frame.to_dict("records")]


def exports_agree(model, frame):
    said = quiet(model.predict, frame).tolist()
    assert in_sqlite(model, frame) == said
    assert in_python(model, frame) == said
    back = from_json(model.to_json())
    assert quiet(back.predict, frame).tolist() == said
    assert (quiet(back.predict_proba, frame) == quiet(model.predict_proba, frame)).all()
    assert back.to_json() == model.to_json() and back.to_text() == model.to_text()
    assert back.to_rules().to_text() == model.to_rules().to_text()
    assert quiet(model.explain, frame).prediction.tolist() == said


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([0.0, 1.0, .3]),
       st.sampled_from([None, .25]), st.sampled_from([1, 2, 5]))
def test_exports_agree_row_by_row(seed, k, laplace, confidence, min_cases):
    model, _ = some_model(seed, k, laplace, confidence=confidence, min_cases=min_cases)
    exports_agree(model, asked(seed))


@pytest.mark.parametrize("case", STRATEGIES)
@pytest.mark.parametrize("name", ["zoo", "wine", "car", "voting", "heart-c"])
def test_real_tables(case, name):
    "Words, numbers and holes: learned, printed, drawn, exported; also where more values are missing."
    import matplotlib.pyplot as plt
    X, y = load_dataset(name, return_X_y=True)
    if len(X) > 600: X = X.sample(600, random_state=0)
    y = y[X.index]
    fitted = make(case).fit(X, y)
    check_answers(fitted, X, y)
    holed = X.mask(np.random.default_rng(0).random(X.shape) < .2)
    exports_agree(fitted.model_, X)
    exports_agree(fitted.model_, holed)
    assert len(fitted.plot()) == len(fitted.classes_) == len(fitted.model_.trees)
    plt.close("all")
    assert f"= {fitted.classes_[0]}?" in fitted.to_text()
    assert set(fitted.to_frame()["class"]) == set(fitted.classes_)
    assert fitted.score(X, y) > y.value_counts(normalize=True).max()
    assert set(fitted.features_used_) >= set(fitted.rules_.features_used)
    assert n_terms(fitted.model_) <= sum(n_terms(tree) for tree in fitted.model_.trees)


def test_sql_in_other_dialects():
    sqlglot = pytest.importorskip("sqlglot")
    model, _ = some_model(3, 4)
    for dialect in {d.value for d in sqlglot.Dialects} - {"", "prql", "dax"}:
        query = sqlglot.parse_one(f"SELECT {model.to_sql(dialect)} AS answer FROM t", read=dialect)
        assert isinstance(query.selects[0].this, sqlglot.exp.Case)
        assert {c.name for c in query.find_all(sqlglot.exp.Column)} <= set(model.schema.names)


def test_sql_without_nulls():
    model, table = some_model(1, 3)
    X, _ = random_table(1, holes=0)
    with closing(sqlite3.connect(":memory:")) as db:
        X.astype(object).to_sql("t", db, index=False)
        short = [answer for answer, in db.execute(f"SELECT {model.to_sql(nulls=False)} FROM t")]
        X.assign(number=None, word=None, other=None).to_sql("gaps", db, index=False)
        gaps = {answer for answer, in db.execute(f"SELECT {model.to_sql(nulls=False)} FROM gaps")}
    assert short == model.predict(X).tolist() and gaps == {None}
    assert len(model.to_sql(nulls=False)) < len(model.to_sql())


def test_three_hundred_classes():
    "More than a database lets one function compare at once."
    X = pd.DataFrame({"number": np.arange(300.0)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = MultiTreeClassifier(strategy="greedy").fit(X, np.arange(300) // 2 * 10)
    assert len(fitted.model_.trees) == 150
    exports_agree(fitted.model_, X)


TEXT = some_model(5, 3, min_cases=5)[0].to_json()
values = st.none() | st.integers(-3, 10**6) | st.floats() | st.text(max_size=3) | st.just([]) | st.just({})


@settings(max_examples=200)
@given(st.data())
def test_spoiled_texts_are_refused_or_work(data):
    document = json.loads(TEXT)
    inside, last = drawn_part(data, document)
    if data.draw(st.booleans()):
        inside[last] = data.draw(values)
    else:
        del inside[last]
    try:
        model = from_json(json.dumps(document))
    except ModelFormatError as error:
        assert error.where and len(str(error)) < 500
        return
    chances = model.predict_proba(quiet(encode, asked(0), model.schema))
    assert np.isfinite(chances).all() and np.allclose(chances.sum(1), 1)


# ------------------------------------------------------------------------------------ the estimator

def test_greedy_is_c45_for_each_class():
    X, y = load_dataset("voting", return_X_y=True)
    fitted = MultiTreeClassifier(strategy="greedy", min_cases=2, laplace=0).fit(X, y)
    for c, tree in zip(fitted.classes_, fitted.model_.trees):
        single = C45Classifier().fit(X, np.where(y == c, c, f"! not {c}")).model_
        for one, other in zip(tree.nodes, single.nodes):
            np.testing.assert_allclose(one, other)
    assert (fitted.predict(X) == C45Classifier().fit(X, y).predict(X)).mean() > .99


def test_min_cases_is_the_papers_for_each_strategy():
    X, y = load_dataset("heart-c", return_X_y=True)
    greedy = lambda **how: MultiTreeClassifier(strategy="greedy", **how).fit(X, y).to_text()
    assert greedy() == greedy(min_cases=2) != greedy(min_cases=3)


@pytest.mark.parametrize("case", STRATEGIES)
@pytest.mark.parametrize("name, value", [
    ("strategy", "all"), ("laplace", -1), ("min_cases", 0), ("confidence", 0), ("colony_size", 0),
    ("max_iterations", 0), ("quality", "beauty"), ("convergence", "never"), ("evaporation_factor", 2)])
def test_wrong_settings_are_refused(case, name, value):
    with pytest.raises(ValueError, match=name):
        make(case, **{name: value}).fit(*mixed_table())


@pytest.mark.parametrize("case", STRATEGIES)
def test_more_cases_asked_for_than_there_are(case):
    X, y = mixed_table()
    fitted = make(case, min_cases=1000).fit(X, y)
    check_answers(fitted, X, y)
    assert all(tree.n_nodes == 1 for tree in fitted.model_.trees)
    assert set(fitted.predict(X)) == {y.mode()[0]}


@pytest.mark.parametrize("case", STRATEGIES)
def test_only_one_class_weighs_anything(case):
    X, y = mixed_table()
    only = y.mode()[0]
    for quality in ("accuracy", "sensitivity_specificity"):
        weights = {label: float(label == only) for label in set(y)}
        fitted = make(case, class_weight=weights, quality=quality).fit(X, y)
        assert set(fitted.predict(X)) == {only}


# --------------------------------------------------------------------------------- the paper's folds

@given(st.lists(st.integers(0, 30), min_size=1, max_size=5), st.integers(2, 12), st.integers(0, 99))
def test_floor_folds(sizes, n_splits, seed):
    sizes = [1 + size for size in sizes]
    y = np.repeat(np.arange(len(sizes)), sizes)
    if max(sizes) < n_splits:
        with pytest.raises(ValueError, match="n_splits"):
            list(FloorKFold(n_splits, random_state=seed).split(y, y))
        return
    folds = list(FloorKFold(n_splits, random_state=seed).split(np.zeros((len(y), 1)), y))
    assert len(folds) == n_splits
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(y)))
        assert [int((y[test] == c).sum()) for c in range(len(sizes))] == [s // n_splits for s in sizes]
    tested = np.concatenate([test for _, test in folds])
    assert len(set(tested.tolist())) == len(tested)


def test_floor_folds_in_scikit_learn():
    X, y = load_dataset("zoo", return_X_y=True)
    folds = FloorKFold(random_state=0)
    assert [len(test) for _, test in folds.split(X, y)] == [8] * 10
    assert folds.get_n_splits(X, y) == 10 and "FloorKFold" in repr(folds)
    first = [test.tolist() for _, test in folds.split(X, y)]
    assert first == [test.tolist() for _, test in FloorKFold(random_state=0).split(X, y)]
    assert cross_val_score(C45Classifier(), X, y, cv=folds).mean() > .9
