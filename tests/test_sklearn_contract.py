"""Every learner and every discretizer is a scikit-learn estimator, in each way that users rely on."""
import inspect
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from registry import (CASES, DISCRETIZERS, LEARNERS, REGRESSORS, SMALL, SMALL_DISCRETIZERS, check_answers,
                      discretizers, learners, make, make_discretizer, make_regressor, mixed_table, takes)
from sklearn.base import RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, learning_curve
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

EXPECTED_FAILURES = {}  # class name -> {check: why it must fail}; empty is the aim

every = [make(name) for name in CASES] + [make_discretizer(name) for name in DISCRETIZERS]


def reasons(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


def test_every_learner_has_fast_settings():
    "A new learner is held to all contracts of this folder as soon as it stands in the registry."
    assert set(SMALL) == set(LEARNERS), "enter the learner in SMALL of tests/registry.py"
    assert set(SMALL_DISCRETIZERS) == set(DISCRETIZERS)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(every, expected_failed_checks=reasons)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@learners()
def test_parameters_are_stored_as_given(learner):
    estimator = learner()
    signature = inspect.signature(type(estimator).__init__).parameters
    assert set(estimator.get_params()) == set(signature) - {"self"}
    for name, parameter in signature.items():
        if name == "self": continue
        assert parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is not parameter.empty
        marker = object()
        assert getattr(type(estimator)(**{name: marker}), name) is marker      # no check, no copy
        assert getattr(estimator.set_params(**{name: marker}), name) is marker


@learners()
def test_fit_changes_no_parameter_and_clone_learns_the_same(learner):
    X, y = mixed_table()
    estimator = learner(categorical_features=["switch"])
    before = dict(estimator.get_params())
    before_text, columns = repr(estimator), X.copy(deep=True)
    assert estimator.fit(X, y) is estimator
    assert estimator.get_params() == before and repr(estimator) == before_text
    assert clone(estimator).fit(X, y).to_text() == estimator.to_text()
    pd.testing.assert_frame_equal(X, columns)                            # nor is the table
    check_answers(estimator, X, y)


@learners()
def test_arrays_are_not_written_to(learner):
    X, y = mixed_table()
    cells, labels = X.to_numpy(object), y.to_numpy(object)
    cells.flags.writeable = labels.flags.writeable = False
    check_answers(learner().fit(cells, labels), cells, labels)


@learners()
def test_positional_and_keyword_fit(learner):
    fit = inspect.signature(type(learner()).fit)
    assert list(fit.parameters)[:3] == ["self", "X", "y"]
    X, y = mixed_table()
    name = type(learner()).__name__
    if "sample_weight" not in fit.parameters:
        with pytest.raises(TypeError, match=rf"{name}.fit\(\) got .* 'sample_weight': .* Repeat rows instead"):
            learner().fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match=rf"{name}.*'weights'|'weights'"):
        learner().fit(X, y, weights=np.ones(len(X)))


@learners()
@pytest.mark.parametrize("seed", range(5))
def test_weights_are_repetitions(learner, seed):
    "Where sample weights are accepted, a case of weight 2 is a case that occurs twice."
    if "sample_weight" not in inspect.signature(type(learner()).fit).parameters:
        pytest.skip("takes no sample_weight")
    X, y = mixed_table(seed=seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    weighted = learner().fit(X, y, sample_weight=weights)
    repeated = learner().fit(X.iloc[rows], y.iloc[rows])
    assert weighted.to_text() == repeated.to_text()
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


@learners("min_cases")
def test_weights_that_are_shares_are_told(learner):
    "AdaBoost's add up to 1: less than one case, of which nothing can be learned that asks for cases."
    X, y = mixed_table()
    if "sample_weight" not in inspect.signature(type(learner()).fit).parameters:
        pytest.skip("takes no sample_weight")
    with pytest.warns(UserWarning, match=f"add up to 1, .* to the {len(X)} rows"):
        learner().fit(X, y, sample_weight=np.full(len(X), 1 / len(X)))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*add up to")
        learner().fit(X, y, sample_weight=np.ones(len(X)))


@learners("class_weight")
def test_class_weight_changes_what_is_predicted(learner):
    "A class that counts for much is found more often; the other way round, less often."
    X, y = mixed_table(200)
    y = y.where(y != "maybe", "no")
    share = lambda weight: np.mean(learner(class_weight=weight).fit(X, y).predict(X) == "yes")
    assert share({"yes": 20, "no": 1}) > share({"yes": 1, "no": 20})
    assert learner(class_weight="balanced").fit(X, y).predict(X).shape == (200,)


@learners("class_weight")
def test_class_weight_times_sample_weight(learner):
    "Where cases have weights as well, a case counts for the product of both."
    if "sample_weight" not in inspect.signature(type(learner()).fit).parameters:
        pytest.skip("takes no sample_weight")
    X, y = mixed_table(120)
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    both = learner(class_weight={"yes": 3.0, "no": .5}).fit(X, y, sample_weight=weights)
    product = learner().fit(X, y, sample_weight=weights * y.map({"yes": 3.0, "no": .5, "maybe": 1.0}))
    assert (both.predict(X) == product.predict(X)).all()
    np.testing.assert_allclose(both.predict_proba(X), product.predict_proba(X), atol=1e-9)


@learners("class_weight")
@pytest.mark.parametrize("weight", [{"yes": -1.0}, {"yes": np.nan}, {"yes": np.inf}, {"perhaps": 2.0},
                                    {"yes": 0.0, "no": 0.0, "maybe": 0.0}, {"yes": "x"}, {"no": None}, "unfair", 3])
def test_class_weight_that_makes_no_sense(learner, weight):
    with pytest.raises(ValueError, match="class_weight"):
        learner(class_weight=weight).fit(*mixed_table())


@learners("class_weight")
def test_equal_class_weights_change_nothing(learner):
    X, y = mixed_table()
    plain = learner().fit(X, y)
    same = learner(class_weight=dict.fromkeys(["yes", "no", "maybe"], 1.0)).fit(X, y)
    assert same.to_text() == plain.to_text()


@learners()
@pytest.mark.parametrize("name, value", [
    ("handle_unknown", "drop"), ("categorical_features", ["no such column"]),
    ("categorical_features", [99]), ("categorical_features", [True]), ("discretizer", "no such method"),
    ("verbose", -1), ("n_jobs", 0), ("n_jobs", 1.5), ("max_time", 0), ("callbacks", 3),
    ("random_state", "seed")])
def test_wrong_settings_are_refused_at_fit(learner, name, value):
    if not takes(type(learner()), name):
        pytest.skip(f"has no {name}")
    with pytest.raises((ValueError, TypeError), match=name):
        learner(**{name: value}).fit(*mixed_table())


class Odd:
    "Nothing that a parameter could be."


NONSENSE = [True, np.True_, np.nan, np.inf, -np.inf, -1, -.5, 1.5, 10**30, "x", "", None, [], [1], ["x"], (1, 2),
            {}, Odd(), np.array([1, 2]), 1j, pd.NA, b"x"]
ESTIMATORS = {f"{kind}-{name}": partial(maker, name) for kind, maker, names in (
    ("classifier", make, LEARNERS), ("regressor", make_regressor, REGRESSORS),
    ("discretizer", make_discretizer, DISCRETIZERS)) for name in names}
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=list(ESTIMATORS))


def small_table(estimator):
    "A table that this kind of estimator can be fitted to."
    X, y = mixed_table(30, holes=False)
    return (X[["number"]], X["number"]) if isinstance(estimator, RegressorMixin) else (X, y)


def counts(estimator, name):
    "Whether a parameter is a number, or a number or None: then True, 'x' or a list cannot be meant."
    default = estimator.get_params()[name]
    return isinstance(default, (int, float)) and not isinstance(default, bool)


@every_estimator
@pytest.mark.filterwarnings("ignore")
def test_nonsense_as_a_parameter(estimator, capfd):
    """Each parameter, each kind of nonsense: a fit that works or a message with parameter, value, way out.

    A truth value is no number, though Python would count with it."""
    X, y = small_table(estimator())
    for name in estimator().get_params(deep=False):
        for value in NONSENSE:
            what = f"{name}={value!r}"
            try:
                fitted = estimator(**{name: value}).fit(X, y)
            except (ValueError, TypeError) as error:
                told = str(error)
                parts = [value, *(value if isinstance(value, (list, tuple, np.ndarray)) else ())]
                assert name in told and any(repr(part) in told for part in parts), f"{what}: {told}"
                assert re.search("must be|is not|no such|is none of|needs|use one of|in this order", told), f"{what}: {told}"
                continue
            if counts(estimator(), name) and name != "verbose":
                assert isinstance(value, (int, float)) and not isinstance(value, bool) or value is None, what
            assert len(fitted.predict(X) if hasattr(fitted, "predict") else fitted.transform(X)) == len(X), what


@every_estimator
def test_the_name_of_the_target_is_not_the_target(estimator):
    X, y = small_table(estimator())
    with pytest.raises(TypeError, match=r"y is 'play'.*y=X\['play'\]"):
        estimator().fit(X.assign(play=y), "play")


@every_estimator
@pytest.mark.filterwarnings("ignore")
def test_numbers_of_numpy_are_numbers(estimator, capfd):
    X, y = small_table(estimator())
    given = estimator().get_params(deep=False)
    kinds = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}
    numpy = {name: kinds.get(type(value), lambda v: v)(value) for name, value in given.items()}
    numpy |= {name: np.float32(.5) for name, value in given.items() if value == .5}
    answer = lambda settings: estimator(**settings).fit(X, y)
    plain, same = answer(given), answer(numpy)
    ask = "predict" if hasattr(plain, "predict") else "transform"
    assert (getattr(plain, ask)(X) == getattr(same, ask)(X)).all()


@learners()
def test_cross_validation_of_a_mixed_table(learner):
    X, y = mixed_table(150)
    scores = cross_val_score(learner(), X, y, cv=5)
    assert scores.shape == (5,) and scores.mean() > y.value_counts(normalize=True).max()
    chances = cross_val_predict(learner(), X, y, cv=5, method="predict_proba")
    assert chances.shape == (150, 3) and np.allclose(chances.sum(1), 1)
    assert cross_val_score(learner(), X, y == "yes", cv=3, scoring="roc_auc").mean() > .6
    sizes, _, tests = learning_curve(learner(), X, y, cv=3, train_sizes=[.5, 1.0])
    assert np.isfinite(tests).all()


@learners()
@pytest.mark.filterwarnings("ignore:All cases are of class")
def test_folds_of_one_class(learner):
    "A training fold without the other class gives a constant model; the others are fitted as ever."
    X, y = mixed_table(60)
    y = np.sort(np.where(y == "maybe", "no", y))
    scores = cross_val_score(learner(), X, y == "no", cv=KFold(3), error_score="raise")
    assert scores.shape == (3,) and np.isfinite(scores).all()
    halves = [(np.flatnonzero(y == c), np.flatnonzero(y != c)) for c in ("no", "yes")]
    assert cross_val_score(learner(), X, y, cv=halves, error_score="raise").tolist() == [0, 0]


@learners()
def test_grid_search(learner):
    X, y = mixed_table(150)
    grid = {"categorical_features": [None, ["switch"]], "handle_unknown": ["ignore", "error"]}
    search = GridSearchCV(learner(), grid, cv=3, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)
    check_answers(search.best_estimator_, X, y)
    with parallel_config("threading"):
        with_threads = GridSearchCV(learner(), grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    assert with_threads.best_params_ == search.best_params_
    assert with_threads.best_estimator_.to_text() == search.best_estimator_.to_text()


@learners()
def test_in_a_pipeline(learner):
    X, y = mixed_table()
    fill = ColumnTransformer([("numbers", SimpleImputer(), ["number"]),
                              ("words", SimpleImputer(strategy="most_frequent"), ["word", "colour"])],
                             remainder="passthrough", verbose_feature_names_out=False)
    for output in ("default", "pandas"):
        model = make_pipeline(clone(fill).set_output(transform=output), learner()).fit(X, y)
        assert model.score(X, y) > .5
        assert model.predict_proba(X).shape == (len(X), 3)
    assert set(model[-1].feature_names_in_) == set(X.columns)
    assert set(model[-1].features_used_) <= set(X.columns)
    alone = ColumnTransformer([("rest", "passthrough", ["word"])])
    make_pipeline(alone, learner()).fit(X, y).predict(X)


@learners()
def test_inside_other_estimators(learner):
    X, y = mixed_table(150)
    calibrated = CalibratedClassifierCV(learner(), cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(1), 1)
    votes = VotingClassifier([("one", learner()), ("two", learner())], voting="soft").fit(X, y)
    assert votes.score(X, y) > .5
    rest = OneVsRestClassifier(learner()).fit(X, y)
    assert set(rest.predict(X)) <= {"yes", "no", "maybe"}
    importance = permutation_importance(learner().fit(X, y), X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.shape == (4,)


@learners()
def test_unfitted(learner):
    from sklearn.exceptions import NotFittedError
    X, _ = mixed_table()
    estimator = learner()
    for ask in (lambda: estimator.predict(X), lambda: estimator.predict_proba(X),
                lambda: estimator.explain(X), estimator.to_text, estimator.to_sql, estimator.to_json,
                estimator.to_python, estimator.to_html, estimator.to_markdown, estimator.to_frame,
                lambda: estimator.rules_, lambda: estimator.features_used_):
        with pytest.raises(NotFittedError):
            ask()
    assert str(estimator) == repr(estimator)
    assert "text/html" in estimator._repr_mimebundle_()


@learners()
def test_refit_forgets_the_first_table(learner):
    X, y = mixed_table()
    estimator = learner().fit(X, y)
    fresh = learner().fit(X[["word", "number"]], y == "yes")
    estimator.fit(X[["word", "number"]], y == "yes")
    assert estimator.to_text() == fresh.to_text() and estimator.n_features_in_ == 2
    assert sorted(vars(estimator)) == sorted(vars(fresh))
    estimator.fit(X.to_numpy(object), y)
    assert not hasattr(estimator, "feature_names_in_") and estimator.n_features_in_ == 4
    with pytest.raises(ValueError):
        estimator.fit(X[:0], y[:0])
    assert "model_" not in vars(estimator)                       # a failed fit leaves nothing behind


# -------------------------------------------------------------------------------------- discretizers

@discretizers()
@pytest.mark.parametrize("encode", ["ordinal", "interval"])
def test_discretizer_output(discretizer, encode):
    X, y = mixed_table(150)
    X["noise"] = np.random.default_rng(0).normal(size=150)
    transformer = discretizer(encode=encode)
    cells = transformer.fit_transform(X, y)
    assert isinstance(cells, np.ndarray) and cells.shape == X.shape
    assert list(transformer.get_feature_names_out()) == list(X.columns)
    frame = transformer.set_output(transform="pandas").transform(X.set_axis(X.index * 2))
    assert list(frame.columns) == list(X.columns) and list(frame.index) == list(X.index * 2)
    assert frame["number"].isna().tolist() == X["number"].isna().tolist()      # holes stay holes
    assert frame["word"].isna().tolist() == X["word"].isna().tolist()
    known = X["word"].notna()
    assert (frame["word"][known.to_numpy()].to_numpy() == X["word"][known].to_numpy()).all()
    assert set(transformer.cut_points_) == {"number", "noise"}
    cuts = transformer.cut_points_["number"]
    assert len(cuts) and (np.diff(cuts) > 0).all()
    assert frame["number"].nunique() == len(cuts) + 1
    assert frame["noise"].nunique() == len(transformer.cut_points_["noise"]) + 1


@discretizers()
def test_discretizer_of_numbers_outside_the_training_range(discretizer):
    X, y = mixed_table(150)
    transformer = discretizer().fit(X[["number"]], y)
    ends = transformer.transform(pd.DataFrame({"number": [-1e300, 1e300]}))[:, 0]
    assert ends.tolist() == [0, len(transformer.cut_points_["number"])]


@discretizers()
def test_discretizer_at_a_cut(discretizer):
    "A number at a cut belongs below it, the next float above it."
    X, y = mixed_table(150)
    transformer = discretizer().fit(X[["number"]], y)
    cuts = np.asarray(transformer.cut_points_["number"])
    at = transformer.transform(pd.DataFrame({"number": cuts}))[:, 0]
    above = transformer.transform(pd.DataFrame({"number": np.nextafter(cuts, np.inf)}))[:, 0]
    assert at.tolist() == list(range(len(cuts))) and above.tolist() == list(range(1, len(cuts) + 1))


@discretizers()
def test_discretizer_in_a_pipeline(discretizer):
    X, y = mixed_table(150, holes=False)
    words = ColumnTransformer([("codes", OrdinalEncoder(), ["word", "colour", "switch"])],
                              remainder="passthrough", verbose_feature_names_out=False)
    model = make_pipeline(discretizer().set_output(transform="pandas"), words, CategoricalNB(min_categories=9))
    assert cross_val_score(model, X, y, cv=3, error_score="raise").mean() > .5
    name = type(discretizer()).__name__.lower()
    search = GridSearchCV(model, {f"{name}__categorical_features": [None, ["number"]]}, cv=3,
                          error_score="raise")
    with pytest.raises(ValueError):              # a number as a word is new in some fold: CategoricalNB
        search.fit(X, y)


@learners("discretizer")
@discretizers()
def test_discretizer_as_an_instance(learner, discretizer):
    X, y = mixed_table(150)
    name = next(n for n in DISCRETIZERS if DISCRETIZERS[n] is type(discretizer()))
    instance = discretizer()
    by_instance = learner(discretizer=instance).fit(X, y)
    assert by_instance.to_text() == learner(discretizer=name).fit(X, y).to_text()
    assert not [n for n in vars(instance) if n.endswith("_")]             # the parameter is not fitted
    assert clone(by_instance).fit(X, y).to_text() == by_instance.to_text()
    with pytest.raises(TypeError, match="'discretizer' parameter must be one of .* Got <class"):
        learner(discretizer=type(instance)).fit(X, y)                     # the parentheses are missing


@discretizers()
def test_discretizer_input(discretizer):
    X, y = mixed_table()
    fitted = discretizer().fit(X, y)
    for wrong, message in ((X[X.columns[::-1]], "same order"), (X[["word"]], "feature names"),
                           (X.assign(k=1), "feature names")):
        with pytest.raises(ValueError, match=message):
            fitted.transform(wrong)
    with pytest.raises(ValueError, match="infinity.*number"):
        fitted.transform(X.assign(number=np.inf))
    with pytest.raises((TypeError, ValueError), match="number"):
        fitted.transform(X.assign(number=pd.date_range("2020", periods=len(X))))
    with pytest.raises((TypeError, ValueError), match="when"):
        discretizer().fit(X.assign(when=pd.date_range("2020", periods=len(X))), y)
    fitted.transform(X.assign(word="never seen"))                  # words pass through as they are
    for column in (np.nan, 1.0):                                   # all missing, constant
        out = discretizer().fit_transform(pd.DataFrame({"x": [column] * len(X)}), y)
        assert pd.isna(out).all() if np.isnan(column) else (out == 0).all()


@discretizers()
def test_discretizer_of_few_rows_classes_and_columns(discretizer):
    X, y = mixed_table()
    with pytest.raises(ValueError, match=r"shape=\(0, 4\)"):
        discretizer().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=rf"shape=\({len(X)}, 0\)"):
        discretizer().fit(X[[]], y)
    for rows, labels in ((X.dropna()[:1], ["a"]), (X.dropna(), ["a"] * len(X.dropna()))):
        fitted = discretizer().fit(rows[["number"]], labels)            # nothing to tell apart: no cut
        assert fitted.cut_points_["number"].tolist() == [] and (fitted.transform(rows[["number"]]) == 0).all()


@discretizers()
def test_discretizer_of_columns_whose_labels_are_not_words(discretizer):
    X, y = mixed_table()
    for labels in (range(4), [np.int64(5), 6, 7, 8], [("a", 1), ("a", 2), ("b", 1), ("b", 2)]):
        table = X.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)
        fitted = discretizer().fit(table, y)
        assert list(fitted.get_feature_names_out()) == [str(label) for label in labels]
        assert fitted.transform(table).shape == table.shape
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.transform(table.iloc[:, ::-1])
    for labels, error in (([0, "a", 1, 2], TypeError), (["a", "a", "b", "c"], ValueError)):
        with pytest.raises(error, match="string names|occur twice: a"):
            discretizer().fit(X.set_axis(labels, axis=1), y)


@discretizers()
def test_discretizer_of_words_in_other_forms(discretizer):
    "Truth values and declared 0 and 1 are not cut; a category is read by value, in whatever order."
    X, y = mixed_table()
    bits = X.assign(switch=X["switch"].astype(int))
    by_truth, by_bits = discretizer().fit(X, y), discretizer(categorical_features=["switch"]).fit(bits, y)
    assert set(by_truth.cut_points_) == set(by_bits.cut_points_) == {"number"}
    assert (by_truth.cut_points_["number"] == by_bits.cut_points_["number"]).all()
    assert set(discretizer(categorical_features="from_dtype").fit(bits, y).cut_points_) == {"switch", "number"}
    turned = X.assign(word=pd.Categorical(X["word"], categories=["never", "c", "b", "a"]))
    assert by_truth.set_output(transform="pandas").transform(turned)["word"].equals(
        by_truth.transform(X)["word"])


@discretizers()
def test_discretizer_forgets_the_first_table(discretizer):
    X, y = mixed_table(150)
    fitted = discretizer().fit(X, y)
    parameters = fitted.get_params()
    fitted.fit(X[["number", "word"]], y == "yes")
    fresh = discretizer().fit(X[["number", "word"]], y == "yes")
    assert sorted(vars(fitted)) == sorted(vars(fresh)) and fitted.get_params() == parameters
    assert list(fitted.feature_names_in_) == ["number", "word"] and fitted.n_features_in_ == 2
    assert fitted.cut_points_["number"].tolist() == fresh.cut_points_["number"].tolist()
    assert not hasattr(fitted.fit(X[["number"]].to_numpy(), y), "feature_names_in_")
