"""Every regressor: scikit-learn's contract, hard inputs, seeds and threads, and all exports."""
import copy
import inspect
import json
import math
import pickle
import re
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import REGRESSORS, SMALL_REGRESSORS, make_regressor, regressors
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from swarmlit.data import Attribute, Schema
from swarmlit.export import ModelFormatError, SqlWriter, from_json
from swarmlit.sbgp import (
    CONSTANT,
    FIRST_COLUMN,
    OPERATORS,
    Formula,
    OwnFunction,
    SwarmGPRegressor,
    read_formula,
)

HERE = Path(__file__).parent


def numbers_table(n=60, seed=0):
    "Three columns of numbers and a target that depends on two of them."
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["speed (m/s)", "x; DROP TABLE t", "天气"])
    return X, pd.Series(X.iloc[:, 0] ** 2 - 2 * X.iloc[:, 1], name="way")


def silently(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments)


# --------------------------------------------------------------------------------- scikit-learn

def test_every_regressor_has_fast_settings():
    assert set(SMALL_REGRESSORS) == set(REGRESSORS), "enter it in SMALL_REGRESSORS of tests/registry.py"


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        make_regressor(name, **more)
        for name in REGRESSORS
        for more in ({}, {"fitness": "scaled_r2", "population_size": 300, "generations": 10})
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@regressors
def test_parameters_are_stored_as_given(regressor):
    estimator = regressor()
    signature = inspect.signature(type(estimator).__init__).parameters
    assert set(estimator.get_params()) == set(signature) - {"self"}
    for name in set(signature) - {"self"}:
        marker = object()
        assert getattr(type(estimator)(**{name: marker}), name) is marker
    assert "sample_weight" not in inspect.signature(estimator.fit).parameters


@regressors
def test_fit_changes_neither_parameters_nor_table(regressor):
    X, y = numbers_table()
    estimator, before = regressor(), X.copy(deep=True)
    parameters = dict(estimator.get_params())
    assert estimator.fit(X, y) is estimator and estimator.get_params() == parameters
    pd.testing.assert_frame_equal(X, before)
    assert clone(estimator).fit(X, y).to_json() == estimator.to_json()
    assert list(estimator.feature_names_in_) == list(X) and estimator.n_features_in_ == 3
    assert set(estimator.features_used_) <= set(X)


@regressors
def test_in_pipelines_searches_and_importances(regressor):
    X, y = numbers_table()
    assert make_pipeline(StandardScaler(), regressor()).fit(X, y).predict(X).shape == (60,)
    assert np.isfinite(cross_val_score(regressor(), X, y, cv=3)).all()
    search = GridSearchCV(regressor(), {"verbose": [0], "random_state": [0, 1]}, cv=3,
                          error_score="raise").fit(X, y)
    assert search.best_estimator_.predict(X).shape == (60,)
    importance = permutation_importance(regressor().fit(X, y), X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.shape == (3,)


@regressors
def test_unfitted(regressor):
    estimator = regressor()
    for ask in (lambda: estimator.predict([[1.0]]), estimator.to_text, estimator.to_sql, estimator.to_json,
                estimator.to_python, estimator.to_latex, estimator.to_html, estimator.plot,
                lambda: estimator.features_used_):
        with pytest.raises(NotFittedError):
            ask()
    assert str(estimator) == repr(estimator)


@regressors
@pytest.mark.parametrize("name, value", [
    ("n_jobs", 0), ("n_jobs", 1.5), ("max_time", 0), ("callbacks", 3), ("random_state", "seed"),
    ("verbose", -1), ("population_size", 1), ("functions", ["tan"]), ("functions", []),
    ("constants", (3, 1)), ("constants", "some"), ("start_depth", (9, 3)), ("start_depth", 4),
    ("max_nodes", 5), ("fitness", "best"), ("crossover", "bee"), ("threshold", -1.0),
    ("crossover_probability", 2.0), ("contrast", 0.0), ("evaporation", 1.5), ("n_best", 0)])
def test_wrong_settings_are_refused_at_fit(regressor, name, value):
    if name not in regressor().get_params():
        pytest.skip(f"has no {name}")
    with pytest.raises((ValueError, TypeError), match=name):
        regressor(**{name: value}).fit(*numbers_table())


# ---------------------------------------------------------------------------------- hard inputs

@regressors
@pytest.mark.parametrize(
    "value, word", [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_holes_are_named_and_counted(regressor, value, word):
    X, y = numbers_table()
    spoilt, target = X.copy(), y.copy()
    spoilt.iloc[[3, 5], 1] = value
    target.iloc[:4] = value
    with pytest.raises(ValueError, match=rf"Input X contains {word} in column 'x; DROP TABLE t' \(2 of 60"):
        regressor().fit(spoilt, y)
    with pytest.raises(ValueError, match=rf"Input y contains {word} in the target 'way' \(4 of 60"):
        regressor().fit(X, target)
    fitted = regressor().fit(X, y)
    for ask in (fitted.predict, fitted.model_.predict):
        with pytest.raises(ValueError, match=rf"{word} in column 'x; DROP TABLE t' \(2 of 60"):
            ask(spoilt)
    with pytest.raises(ValueError, match=rf"{word} in column 'x1' \(2 of 60"):
        regressor().fit(spoilt.to_numpy(), y.to_numpy())


@regressors
def test_words_are_named(regressor):
    X, y = numbers_table()
    for words in (["a", "b", "c"] * 20, pd.Categorical(["1", "2"] * 30), [None, "x"] * 30):
        with pytest.raises(ValueError, match="column 'w' holds words"):
            regressor().fit(X.assign(w=words), y)
    with pytest.raises(ValueError, match="no number"):
        regressor().fit(X, ["a"] * 60)


@regressors
def test_dates_are_no_numbers(regressor):
    X, y = numbers_table()
    days = pd.Series(pd.date_range("2020-01-01", periods=60), name="when")
    for times in (days, days.dt.date, days.astype(object), days.dt.to_period("D"), days - days[0],
                  days.astype("category")):
        with pytest.raises(TypeError, match="Column 'when' holds dates or durations"):
            regressor().fit(X.assign(when=times), y)
        with pytest.raises(TypeError, match="The target 'when' holds dates or durations"):
            regressor().fit(X, times)
        with pytest.raises(TypeError, match="The target 'y' holds dates or durations"):
            regressor().fit(X, times.to_numpy())


@regressors
def test_markdown(regressor):
    X, y = numbers_table()
    shown = regressor().fit(X, y).to_markdown()
    assert shown.startswith("$$") and "`" in shown and shown.splitlines()[-1].startswith("| ")


@regressors
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float32", "Int64", "Float64", "boolean", object]
)
def test_kinds_of_numbers(regressor, dtype):
    X = pd.DataFrame({"a": np.arange(20) % 2, "b": np.ones(20, int)})
    y = X.a * 2.0
    plain = regressor().fit(X.astype(float), y)
    other = regressor().fit(X.astype(dtype), y)
    assert other.to_json() == plain.to_json()
    assert (other.predict(X.astype(dtype)) == plain.predict(X.astype(float))).all()


HARD = {
    "constant y": (np.arange(30.0)[:, None], np.full(30, 3.25)),
    "zero y": (np.arange(30.0)[:, None], np.zeros(30)),
    "one sample": (np.array([[2.0, 3.0]]), np.array([5.0])),
    "column of zeros": (np.c_[np.zeros(30), np.arange(30.0)], np.arange(30.0) * 2),
    "only zeros": (np.zeros((30, 2)), np.arange(30.0)),
    "huge X": (np.arange(30.0)[:, None] * 1e300, np.arange(30.0)),
    "huge y": (np.arange(30.0)[:, None], 1.7e308 * np.linspace(-1, 1, 30)),
    "tiny": (np.arange(30.0)[:, None] * 5e-324, np.arange(30.0) * 1e-310),
    "17 points": (np.linspace(-1, 1, 17)[:, None], np.linspace(-1, 1, 17)),
    "257 points": (np.linspace(-1, 1, 257)[:, None], np.linspace(-1, 1, 257)),
    "200 columns": (np.random.default_rng(0).normal(size=(40, 200)), np.arange(40.0)),
}


@regressors
@pytest.mark.parametrize("fitness", ["hits", "r2", "scaled_r2"])
@pytest.mark.parametrize("case", HARD)
def test_hard_tables_give_finite_answers(regressor, case, fitness):
    X, y = HARD[case]
    if (case, fitness) == ("huge y", "r2"):                # its squares are no numbers
        with pytest.raises(ValueError, match="'y' reaches 1.7e\\+308.*Divide it by a constant"):
            silently(regressor(fitness=fitness).fit, X, y)
        return
    fitted = silently(regressor(fitness=fitness).fit, X, y)
    answers = silently(fitted.predict, X)
    assert answers.shape == y.shape and answers.dtype == np.float64 and np.isfinite(answers).all()
    far = silently(fitted.predict, np.full((3, X.shape[1]), 1e308))
    assert np.isfinite(far).all()
    assert from_json(fitted.to_json()) == fitted.model_


@regressors
def test_very_large_and_very_small_targets_are_explained_like_others(regressor):
    X, y = numbers_table()
    settings = {"fitness": "scaled_r2", "generations": 10, "population_size": 200}
    plain = regressor(**settings).fit(X, y)
    for unit in (2.0**900, 2.0**-900):
        other = regressor(**settings).fit(X, y * unit)
        np.testing.assert_allclose(other.predict(X) / unit, plain.predict(X), rtol=1e-9)


@regressors
def test_few_hits_are_told(regressor):
    X, y = numbers_table()
    with pytest.warns(UserWarning, match=r"Only \d+ of 60 points are hit.*fitness='scaled_r2'"):
        regressor(fitness="hits", threshold=1e-9).fit(X, y * 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regressor(fitness="scaled_r2").fit(X, y * 100)
        regressor(fitness="r2").fit(X, y / 1e4)


@regressors
def test_hits_that_a_constant_has_are_told(regressor):
    X, y = numbers_table()
    told = r"The constant -?[\d.e-]+ alone hits 60 of 60 points.*a threshold in the units of 'way'"
    with pytest.warns(UserWarning, match=told):
        regressor(fitness="hits", threshold=.1).fit(X, y / 1e4)


@regressors
@pytest.mark.parametrize("fitness", ["hits", "r2", "scaled_r2"])
@pytest.mark.parametrize("value", [5.0, .1, 0.0, -1e300, 1e-300])
def test_constant_targets_are_answered_by_the_constant(regressor, fitness, value):
    X, _ = numbers_table()
    if fitness == "r2" and value == -1e300: return                      # its square is no number
    with pytest.warns(UserWarning, match="'y' is .* everywhere; the formula is that constant") as said:
        fitted = regressor(fitness=fitness).fit(X, np.full(len(X), value))
    assert len(said) == 1 and len(fitted.history_) == 1 and fitted.hits_ == len(X)
    assert (fitted.predict(X) == value).all() and fitted.features_used_ == []


def test_functions_of_numpy_join_by_their_number_of_arguments():
    X, y = numbers_table()
    estimator = SwarmGPRegressor(functions=(("two", np.hypot), np.tanh, "+"), fitness="scaled_r2",
                                 population_size=50, generations=3, random_state=0).fit(X, y)
    assert estimator.score(X, y) > 0 and np.isfinite(estimator.predict(X)).all()
    again = pickle.loads(pickle.dumps(estimator))
    assert (again.predict(X) == estimator.predict(X)).all()


@regressors
def test_list_input_and_column_targets(regressor):
    X, y = numbers_table()
    expected = regressor().fit(X.to_numpy(), y.to_numpy()).predict(X.to_numpy())
    assert (regressor().fit(X.values.tolist(), y.tolist()).predict(X.values.tolist()) == expected).all()
    with pytest.warns(Warning, match="column-vector y"):
        regressor().fit(X, y.to_numpy()[:, None])
    assert regressor().fit(X, y.to_frame()).model_.target == "way"
    for bad in (X.iloc[:, ::-1], X.iloc[:, :2]):
        with pytest.raises(ValueError, match="feature names|features"):
            regressor().fit(X, y).predict(bad)


@regressors
@pytest.mark.parametrize("labels", [[0, 1, 2], [np.int64(5), np.int64(6), 7], [("a", 1), ("a", 2), ("b", 1)]],
                         ids=["int", "int64", "tuple"])
def test_column_labels_that_are_not_words(regressor, labels):
    "They are turned into words; in another order they are not taken silently."
    X, y = numbers_table()
    table = X.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)
    fitted = regressor().fit(table, y)
    assert fitted.model_.schema.names == [str(label) for label in labels]
    assert (fitted.predict(table) == regressor().fit(X.to_numpy(), y).predict(X.to_numpy())).all()
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(table.iloc[:, ::-1])


@regressors
def test_tables_that_cannot_be_used(regressor):
    X, y = numbers_table()
    for table, target, message in (
        (X[:0], y[:0], r"shape=\(0, 3\)"), (X[[]], y, r"shape=\(60, 0\)"), (X, y[:-1], "inconsistent numbers"),
        (X.set_axis(["a", "a", "b"], axis=1), y, "occur twice: a"), (X.set_axis([0, "a", 1], axis=1), y, "string names")):
        estimator = regressor()
        with pytest.raises((ValueError, TypeError), match=message):
            estimator.fit(table, target)
        assert not [n for n in vars(estimator) if n.endswith("_") and n[0] != "_"]
    with pytest.raises(TypeError, match=r"fit\(\) got .* 'sample_weight': .* Repeat rows instead"):
        regressor().fit(X, y, sample_weight=np.ones(60))


@regressors
def test_refit_forgets_the_first_table(regressor):
    X, y = numbers_table()
    estimator = regressor().fit(X, y)
    parameters, two = estimator.get_params(), X.iloc[:, :2]
    fresh = regressor().fit(two, -y)
    assert estimator.fit(two, -y).to_json() == fresh.to_json() and estimator.n_features_in_ == 2
    assert sorted(vars(estimator)) == sorted(vars(fresh)) and estimator.get_params() == parameters
    assert not hasattr(estimator.fit(X.to_numpy(), y), "feature_names_in_")


@regressors
def test_numbers_outside_the_training_range(regressor):
    X, y = numbers_table()
    fitted = regressor().fit(X, y)
    for far in (X * 1e3, X - 1e9, X * 1e300):
        assert np.isfinite(silently(fitted.predict, far)).all()


# ------------------------------------------------------------------------- seeds, threads, stops

@regressors
def test_same_seed_same_model(regressor):
    X, y = numbers_table()
    first = regressor(random_state=7).fit(X, y)
    np.random.seed(3)
    for seed in (7, np.int64(7), np.random.RandomState(7)):
        other = regressor(random_state=seed).fit(X, y)
        assert other.to_json() == first.to_json()
        pd.testing.assert_frame_equal(other.history_, first.history_)
    assert len({regressor(random_state=s).fit(X, y).history_.to_csv() for s in range(4)}) > 1
    np.random.seed(5)
    expected = np.random.random(3)
    np.random.seed(5)
    regressor().fit(X, y).predict(X)
    assert (np.random.random(3) == expected).all()             # the global state is left alone


@regressors
@pytest.mark.parametrize(
    "odd_settings", [{}, {"population_size": 41}, {"crossover": "standard"}], ids=str
)
def test_number_of_threads_does_not_matter(regressor, odd_settings):
    X, y = numbers_table()
    models = [regressor(n_jobs=n, **odd_settings).fit(X, y) for n in (None, 1, 2, 3, -1)]
    assert len({m.to_json() for m in models}) == 1
    for other in models[1:]:
        pd.testing.assert_frame_equal(models[0].history_, other.history_)


@regressors
def test_fits_in_several_threads_at_once(regressor):
    tables = [numbers_table(seed=s) for s in range(4)]
    fit = lambda table: regressor().fit(*table).to_json()
    alone = [fit(table) for table in tables]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fit, tables * 3)) == alone * 3


FRESH = """
import json, sys
sys.path.insert(0, ".")
from test_regressors import REGRESSORS, make_regressor, numbers_table
print(json.dumps({name: make_regressor(name).fit(*numbers_table()).to_json() for name in REGRESSORS}))
"""


def test_fresh_process():
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, timeout=300, cwd=HERE)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {name: make_regressor(name).fit(*numbers_table()).to_json()
                                       for name in REGRESSORS}


@regressors
def test_copies_and_pickles(regressor):
    X, y = numbers_table()
    fitted = regressor(warm_start=True).fit(X, y)
    for other in (copy.copy(fitted), copy.deepcopy(fitted), *(pickle.loads(pickle.dumps(fitted, p)) for p in (2, 5))):
        assert (other.predict(X) == fitted.predict(X)).all() and other.to_json() == fitted.to_json()
    assert b"numba" not in pickle.dumps(fitted)                           # nothing that was compiled


@regressors
def test_warm_start_is_the_same_as_one_go(regressor):
    X, y = numbers_table()
    in_one = regressor(generations=9, threshold=0.0).fit(X, y)
    steps = regressor(generations=4, threshold=0.0, warm_start=True).fit(X, y)
    again = pickle.loads(pickle.dumps(steps)).set_params(generations=9).fit(X, y)
    steps.set_params(generations=9, n_jobs=2).fit(X, y)
    assert steps.to_json() == in_one.to_json() == again.to_json()
    assert steps.history_.generation.tolist() == [4, 5, 6, 7, 8, 9]
    with pytest.raises(ValueError, match="warm_start"):
        steps.set_params(population_size=50).fit(X, y)
    with pytest.raises(ValueError, match="warm_start"):
        regressor(warm_start=True).fit(X, y).fit(X.iloc[:, :2], y)
    other_rows = regressor(warm_start=True, generations=2).fit(X, y).set_params(generations=4)
    assert np.isfinite(other_rows.fit(X.head(30), y.head(30)).predict(X)).all()


@regressors
def test_stopping(regressor):
    X, y = numbers_table()
    seen = []
    fitted = regressor(callbacks=[lambda state: seen.append(state) or len(seen) == 3], threshold=0.0).fit(X, y)
    assert len(fitted.history_) == 3 and [s["generation"] for s in seen] == [0, 1, 2]
    hurried = regressor(max_time=1e-9, threshold=0.0, population_size=200).fit(X, y)
    assert len(hurried.history_) == 1 and np.isfinite(silently(hurried.predict, X)).all()
    nothing = regressor(generations=0).fit(X, y)
    assert len(nothing.history_) == 1


@regressors
def test_max_time_holds_within_a_generation(regressor):
    X = np.random.default_rng(0).normal(size=(200_000, 2))
    slow = regressor(population_size=2000, generations=1000, threshold=0.0, max_time=.5)
    slow.fit(X[:100], X[:100, 0])                                              # compiled by now
    started = time.monotonic()
    slow.fit(X, X[:, 0] * 3)
    assert time.monotonic() - started < 10


@regressors
def test_interrupt_leaves_nothing_behind(regressor):
    X, y = numbers_table()
    def interrupt(state): raise KeyboardInterrupt
    estimator = regressor().fit(X, y)
    estimator.set_params(callbacks=interrupt)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert not [n for n in vars(estimator) if n.endswith("_") and not n.startswith("_")]
    assert estimator.set_params(callbacks=None).fit(X, y).predict(X).shape == (60,)


CTRL_C = """
import _thread, sys, threading, time
sys.path.insert(0, ".")
import numpy as np
from registry import make_regressor
X, y = np.random.default_rng(0).normal(size=(100_000, 2)), np.random.default_rng(1).normal(size=100_000)
e = make_regressor(sys.argv[1], population_size=3000, generations=10**6, threshold=0.0)
e.set_params(generations=1).fit(X[:50], X[:50, 0])
e.set_params(generations=10**6)
threading.Timer(1.0, _thread.interrupt_main).start()
started = time.monotonic()
try: e.fit(X, y)                                         # noise, so that no formula ends it
except KeyboardInterrupt: print("interrupted", time.monotonic() - started < 12, hasattr(e, "model_"))
"""


@pytest.mark.parametrize("name", REGRESSORS)
def test_ctrl_c(name):
    done = subprocess.run([sys.executable, "-c", CTRL_C, name], capture_output=True, text=True, timeout=120, cwd=HERE)
    assert done.stdout.strip() == "interrupted True False", done.stdout + done.stderr


# --------------------------------------------------------------------------------------- exports

NAMES = [
    "x",
    "petal width (cm)",
    'a "quoted" name',
    "it's",
    "天气",
    "x; DROP TABLE t",
    "",
    "row",
    "$x$",
    "a\\b",
    "two\nlines",
    "number",
    "math",
]
SIMPLE = [name for name in OPERATORS]
SAFE = st.sampled_from([-4.0, -3.0, -1.0, -.5, 0.0, .1 + .2, 1.0, 2.0, 3.75, 1e-5])


@st.composite
def formulas(draw, max_depth=5):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    codes, values = [], []
    def add(depth):
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            is_constant = draw(st.booleans())
            codes.append(CONSTANT if is_constant else FIRST_COLUMN + draw(st.integers(0, len(names) - 1)))
            values.append(draw(SAFE) if is_constant else 0.0)
            return
        code = draw(st.integers(0, len(OPERATORS) - 1))
        codes.append(code)
        values.append(0.0)
        for _ in range(list(OPERATORS.values())[code].arity): add(depth - 1)
    add(max_depth)
    schema = Schema(tuple(Attribute(name, "continuous") for name in names))
    formula = Formula(schema, draw(st.sampled_from(NAMES)), tuple(codes), tuple(values), (), draw(SAFE))
    rows = draw(st.lists(st.lists(SAFE, min_size=len(names), max_size=len(names)), min_size=1, max_size=5))
    return formula, np.array(rows)


def slowly(formula, row, note=lambda v: v):
    "The value for one row in plain Python, written down independently of the kernels."
    def quiet(f, *arguments):
        with np.errstate(all="ignore"): return float(f(*map(np.float64, arguments)))
    def quotient(a, b):
        q = quiet(np.divide, a, b)
        return 1.0 if b == 0 or q != q else q
    def logarithm(a): return 0.0 if a == 0 or a != a else quiet(np.log, abs(a))

    meaning = {
        "+": partial(quiet, np.add),
        "-": partial(quiet, np.subtract),
        "*": partial(quiet, np.multiply),
        "/": quotient,
        "aq": lambda a, b: quiet(np.divide, a, quiet(np.sqrt, 1 + quiet(np.square, b))),
        "sin": partial(quiet, np.sin),
        "cos": partial(quiet, np.cos),
        "exp": lambda a: quiet(np.exp, a if a != a else min(max(a, -700.0), 700.0)),
        "log": logarithm,
        "sqrt": lambda a: math.sqrt(abs(a)),
        "abs": abs,
        "neg": lambda a: -a,
    }
    leaf = lambda i: (formula.values[i] if formula.codes[i] == CONSTANT else row[formula.codes[i] - FIRST_COLUMN])
    return formula.fold(leaf, lambda i, parts: note(meaning[formula.operator(formula.codes[i]).name](*parts)))


def sensitivity(formula, rows):
    "How far apart answers lie for rows that differ in the last digits: chaos cannot be compared."
    seen = [0.0]
    for row in rows.tolist(): slowly(formula, row, lambda v: seen.append(abs(v)) or v)
    if not max(seen) < 1e8:                        # the sine of such a number is a matter of luck
        return np.full(len(rows), np.nan)
    steps = [formula.evaluate(rows * (1 + e)) for e in (-1e-13, 0, 1e-13)]
    return np.ptp(steps, axis=0) if np.isfinite(steps).all() else np.full(len(rows), np.nan)


def same(one, other, tolerance):
    one, other = np.array(one, float), np.array(other, float)
    return (np.abs(one - other) <= 1e-9 * (1 + np.abs(one)) + tolerance).all()


def run_sql(formula, rows, **options):
    writer = SqlWriter(formula.schema)
    columns = ", ".join(writer.name(a.name) for a in formula.schema.attributes)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE t ({columns})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(formula.schema.names))})", rows.tolist())
        return [v for v, in db.execute(f"SELECT {formula.to_sql(**options)} FROM t ORDER BY rowid")]


def run_python(formula, rows):
    namespace = {}
    exec(formula.to_python(), namespace)
    return [namespace["predict"](dict(zip(formula.schema.names, row))) for row in rows.tolist()]


@settings(max_examples=300)
@given(formulas())
def test_every_form_agrees_with_predict(case):
    formula, rows = case
    wobble = sensitivity(formula, rows)
    if np.isnan(wobble).any() or (wobble > 1e-6 * (1 + np.abs(formula.evaluate(rows)))).any():
        return
    expected = formula.predict(rows)
    assert same([slowly(formula, row) for row in rows.tolist()], expected, 100 * wobble)
    assert same(run_python(formula, rows), expected, 100 * wobble)
    assert same(run_sql(formula, rows), expected, 100 * wobble)
    assert same(run_sql(formula, rows, table="t"), expected, 100 * wobble)
    back = from_json(formula.to_json())
    assert back == formula and (back.predict(rows) == expected).all()
    for dialect in ("postgres", "duckdb", "mysql", "tsql", "bigquery"):
        assert formula.to_sql(dialect).startswith("CASE")
    assert formula.to_latex().count("{") == formula.to_latex().count("}")


@settings(max_examples=200)
@given(formulas())
def test_overflow_is_the_fallback_in_every_form(case):
    formula, rows = case
    rows = rows * 1e200
    expected = silently(formula.predict, rows)
    assert np.isfinite(expected).all()
    with np.errstate(all="ignore"):
        raw = np.array([slowly(formula, row) for row in rows.tolist()])
    lost = ~np.isfinite(raw)
    assert (expected[lost] == formula.fallback).all()
    assert all(math.isfinite(v) for v in run_python(formula, rows))
    assert all(math.isfinite(v) for v in run_sql(formula, rows))


def test_no_number_from_a_quotient_is_1():
    "Infinity by infinity, as 0 by 0, in every form."
    for text in ("x * x / (x * x)", "x * x / (x * x * (-1))", "(x - x) / (x - x)"):
        formula, rows = read_formula(text + " + 1"), np.array([[1e200]])
        assert formula.predict(rows) == run_python(formula, rows) == run_sql(formula, rows) == [2]


@settings(max_examples=200)
@given(formulas())
def test_text_is_read_back(case):
    formula, _ = case
    names = [f"c{i}" for i in range(len(formula.schema.names))]
    formula = Formula(Schema(tuple(Attribute(n, "continuous") for n in names)), "y", formula.codes, formula.values)
    assert read_formula(formula.to_text(), names) == formula


@settings(max_examples=60)
@given(formulas(max_depth=3))
def test_sympy_agrees(case):
    sympy = pytest.importorskip("sympy", reason="sympy is an extra: pip install 'swarmlit[formula]'")
    formula, rows = case
    wobble = sensitivity(formula, rows)
    if not np.isfinite(wobble).all() or (wobble > 1e-9).any():
        return
    expression = formula.to_sympy(protected=True)
    symbols = {name: sympy.Symbol(name, real=True) for name in formula.schema.names}
    for row, expected in zip(rows, formula.predict(rows)):
        exact = {symbols[n]: sympy.Rational(v) for n, v in zip(formula.schema.names, row.tolist())}
        value = complex(expression.subs(exact).evalf(30))
        assert abs(value - expected) <= 1e-7 * (1 + abs(expected))


def test_sql_gives_null_for_null_and_reads_integers_as_numbers():
    formula = read_formula("a / b + 1", ["a", "b"])
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [(1, 2), (None, 2), (1, None), (1, 0)])
        found = [v for v, in db.execute(f"SELECT {formula.to_sql()} FROM t ORDER BY rowid")]
    assert found == [1.5, None, None, 2.0]


BAD_TEXTS = [
    ("kind", '"formula"', '"formulas"'),
    ("function", '"sin"', '"sinus"'),
    ("column", '"column": "x"', '"column": "q"'),
    ("two keys", '{"constant": 3.0}', '{"constant": 3.0, "column": "x"}'),
    ("no key", '{"constant": 3.0}', "{}"),
    ("text for a number", '{"constant": 3.0}', '{"constant": "3"}'),
    ("infinity", "3.0", "1e999"),
    ("NaN", "3.0", "NaN"),
    ("too many", '"program": [', '"program": [{"constant": 1},'),
    ("truth", '{"constant": 3.0}', '{"constant": true}'),
    ("null", '"fallback": 0.0', '"fallback": null'),
    ("nominal", '"continuous"', '"nominal", "type": "str", "values": ["a"]'),
    ("twice", '"attributes": [', '"attributes": [{"name": "x", "kind": "continuous"},'),
]


@pytest.mark.parametrize("what, old, new", BAD_TEXTS, ids=[b[0] for b in BAD_TEXTS])
def test_damaged_json(what, old, new):
    text = read_formula("3 * x + sin(x)").to_json()
    assert old in text
    with pytest.raises(ModelFormatError):
        from_json(text.replace(old, new))


def test_hostile_json():
    text = read_formula("x").to_json()
    deep = '{"function": "neg"}, ' * 100_000
    wide = '{"function": "+"}, {"column": "x"}, ' * 1000
    for program in (deep, wide, "", "[" * 10_000):
        with pytest.raises(ModelFormatError):
            from_json(re.sub(r'\{"column": "x"\}', lambda m: program + m.group(), text) if program else
                      re.sub(r'\{"column": "x"\}', "", text))
    for i in range(0, len(text), 7):
        with pytest.raises(ModelFormatError):
            from_json(text[:i])


@regressors
def test_every_form_of_what_was_learned_agrees(regressor):
    "Under odd names, asked for no more than the columns that the formula uses."
    X, y = numbers_table()
    X = X.set_axis(["petal width (cm)", "it's", "a = b"], axis=1)
    formula = regressor().fit(X, y).model_
    used = formula.features_used
    expected = formula.predict(X)
    assert used and same(formula.predict(X[used]), expected, 0)
    space = {}
    exec(formula.to_python(), space)
    assert same([space["predict"](row) for row in X[used].to_dict("records")], expected, 0)
    with closing(sqlite3.connect(":memory:")) as db:
        X[used].to_sql("t", db, index=False)
        found = [v for v, in db.execute(f"SELECT {formula.to_sql(table='t')} FROM t ORDER BY rowid")]
    assert same(found, expected, 0)


@regressors
def test_pictures_and_words(regressor):
    import matplotlib.pyplot as plt
    X, y = numbers_table()
    fitted = regressor().fit(X, y)
    ax = fitted.plot()
    ax.figure.canvas.draw()
    assert len(ax.texts) == len(fitted.model_) + 1
    assert fitted.model_.plot(plt.figure().add_subplot()) is not ax
    plt.close("all")
    assert str(fitted) == f"way = {fitted.to_text()}"
    assert "<script" not in fitted.to_html() and "text/html" in fitted._repr_mimebundle_()
    assert isinstance(fitted.to_latex(), str)


# ---------------------------------------------------------------------------- functions of one's own

def cube(a): return a * a * a


def hypotenuse(a, b): return math.sqrt(a * a + b * b)


@pytest.mark.parametrize(
    "functions",
    [("+", cube), ["+", hypotenuse], [["+", "cubed"][0], ("cubed", cube)]],
    ids=["one argument", "two arguments", "with a name"],
)
def test_own_functions_and_pickle(functions):
    X, y = numbers_table()
    fitted = SwarmGPRegressor(functions=functions, population_size=60, generations=3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(X) == fitted.predict(X)).all()
    assert str(again) == str(fitted) and clone(fitted).fit(X, y).to_text() == fitted.to_text()


def test_own_function_without_a_name_is_told_at_fit():
    X, y = numbers_table()
    estimator = SwarmGPRegressor(functions=("+", ("twice", lambda a: 2 * a)), population_size=60, generations=2)
    with pytest.warns(UserWarning, match="'twice' by its name, so the fitted model cannot be saved"):
        estimator.fit(X, y)
    assert np.isfinite(estimator.predict(X)).all()


def test_own_functions_that_cannot_work():
    X, y = numbers_table()
    def text(a): return str(a).upper()
    for functions, message in (
        ([text], "cannot compile the function 'text'"),
        ([max], "functions"),
        ([lambda: 1.0], "takes 0 arguments"),
        ([("sin", cube)], "give yours another"),
        ([("select", np.clip)], "'select' takes"),
    ):
        with pytest.raises(ValueError, match=message):
            SwarmGPRegressor(functions=functions).fit(X, y)


def test_own_functions_have_no_form_elsewhere():
    formula = read_formula("cube(x) + 1", own=[OwnFunction("cube", cube)])
    assert formula.predict([[2.0]]).tolist() == [9.0] and formula.to_text() == "cube(x) + 1"
    for export in (formula.to_json, formula.to_sql, formula.to_python):
        with pytest.raises(ValueError, match="'cube' is your own"):
            export()


# -------------------------------------------------------------------------------- what it is for

def f1(x): return np.cos(x**2) + np.sin(x**2) + x**2


def test_the_slides_first_function_is_found():
    "All 20 hits in at least 18 of 20 seeds, population 1500, 50 generations, threshold .1."
    x = np.linspace(-1, 1, 20)
    found = [SwarmGPRegressor(random_state=s).fit(x[:, None], f1(x)).hits_ == 20 for s in range(20)]
    assert sum(found) >= 18


def test_depth_and_length_keep_their_limits():
    X, y = numbers_table()
    population = []
    estimator = SwarmGPRegressor(population_size=100, generations=8, min_depth=2, max_depth=5, start_depth=(2, 4),
                                 max_nodes=20, threshold=0.0, warm_start=True, random_state=0,
                                 callbacks=lambda state: population.append(state["mean_nodes"]))
    world = estimator.fit(X, y)._evolution
    codes, values, lengths = world.programs
    for k in range(100):
        formula = Formula(estimator.model_.schema, "y", tuple(codes[k, :lengths[k]].tolist()),
                          tuple(values[k, :lengths[k]].tolist()))
        assert 2 <= formula.depth <= 5 and len(formula) <= 20
    assert max(population) <= 20


@pytest.mark.parametrize("once", [False, True])
def test_pheromone_is_what_slow_code_lays(once):
    X, y = numbers_table()
    world = SwarmGPRegressor(population_size=40, generations=2, fitness="r2", warm_start=True,
                             random_state=0).fit(X, y)._evolution
    codes, _, lengths = world.programs
    rng = np.random.default_rng(0)
    fitness, merit = rng.normal(size=40), rng.random(40)
    expected = .7 * world.coupling
    for k in np.argsort(-fitness)[:5]:
        couplings, waiting = [], []  # (parent, child) in this program; parents short of children
        for code in codes[k, :lengths[k]]:
            if waiting:
                couplings.append((world.symbol[waiting[-1][0]], world.symbol[code]))
                waiting[-1][1] -= 1
            if waiting and waiting[-1][1] == 0: waiting.pop()
            if world.arity[code]: waiting.append([code, world.arity[code]])
        for pair in set(couplings) if once else couplings: expected[pair] += merit[k] / 5
    world.remember(fitness, merit, 5, .7, once)
    np.testing.assert_allclose(world.coupling, expected, rtol=1e-12)


def test_parsimony_shortens():
    X, y = numbers_table()
    size = lambda p: np.mean(
        [
            SwarmGPRegressor(
                population_size=200, generations=10, fitness="r2", parsimony=p, random_state=s
            )
            .fit(X, y)
            .history_.mean_nodes.iloc[-1]
            for s in range(3)
        ]
    )
    assert size(.01) < .8 * size(0.0)


def simple_scores(formula, X, y, threshold):
    "Hits, errors and squares of one formula on its own, with nothing shared."
    error = np.abs(formula.evaluate(X) - y)
    return [(error <= threshold).sum(), error.sum(), (error * error).sum()]


@pytest.mark.parametrize("n_points", [20, 64, 65, 300])
@pytest.mark.parametrize("crossover", ["ant", "standard"])
def test_equal_parts_of_a_population_are_computed_once_and_the_same(n_points, crossover):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_points, 3)), columns=list("abc"))
    y = X.a ** 2 - X.b
    fitted = SwarmGPRegressor(
        functions=("+", "-", "*", "/", "sin", "exp", "log", hypotenuse, cube), generations=5,
        population_size=150, warm_start=True, crossover=crossover, constants=(-2, 2),
        integer_constants=False, random_state=0)
    world = silently(fitted.fit, X, y)._evolution
    for codes, values, n, scores in zip(*world.programs, world.scores):
        formula = Formula(fitted.model_.schema, "y", tuple(codes[:n].tolist()),
                          tuple(values[:n].tolist()), world.own)
        with np.errstate(all="ignore"):
            expected = simple_scores(formula, X.to_numpy(), y.to_numpy(), .1)
        np.testing.assert_allclose(scores[:3], expected, rtol=1e-12)


def test_two_threads_may_predict_with_one_formula():
    formula = read_formula("sin(x) * x")
    X = np.linspace(-5, 5, 10_000)[:, None]
    expected, found = formula.predict(X), []
    threads = [threading.Thread(target=lambda: found.append(formula.predict(X))) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert all((f == expected).all() for f in found)
