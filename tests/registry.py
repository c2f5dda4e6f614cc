"""Every learner and discretizer there is, with settings that make its tests fast."""
import importlib
import inspect
import pkgutil
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import swarmlit

for module in pkgutil.iter_modules(swarmlit.__path__):
    if not module.name.startswith("_"):
        importlib.import_module(f"swarmlit.{module.name}")

from swarmlit.base import LEARNERS, REGRESSORS  # noqa: E402
from swarmlit import discretize  # noqa: E402
from swarmlit.models import RuleList  # noqa: E402

DISCRETIZERS = getattr(discretize, "DISCRETIZERS", {})

SMALL = {  # name -> settings under which a fit of a small table takes milliseconds
    "antminer": dict(n_ants=30, min_cases_per_rule=2, max_uncovered_cases=2),
    "anttree": dict(max_iterations=4, colony_size=5, min_cases=2),
    "c45": {},
    "cart": {},
    "cn2": dict(significance=.9),
    "part": {},
    "clip4": dict(genetic=True),
    "garules": dict(n_individuals=20, n_generations=30, patience=8),
    "datasqueezer": {},
    "multitree": dict(max_iterations=3, colony_size=5, min_cases=2),
    "psoaco": dict(n_particles=9, n_iterations=8, min_true_positives=2, max_uncovered_cases=2),
}
VARIANTS = {  # name -> settings under which its tests run too: one list entry, one more learner
    "anttree": [dict(cuts="mdl", quality="quadratic_loss", small_subsets="paper", laplace=0.0)],
    "cn2": [dict(evaluation="entropy"), dict(mode="unordered")],
    "clip4": [dict(missing="fill")],
    "datasqueezer": [dict(must_stay=2, negatives="reduced")],
    "multitree": [dict(strategy="integrated"), dict(strategy="greedy")],
    "psoaco": [dict(optimizer="de/best/1"), dict(optimizer="de/rand-to-best/1")],
}
NO_CHANCE = {"multitree-greedy"}  # cases that draw nothing, though their learner takes a seed
SMALL_REGRESSORS = {
    "sbgp": dict(population_size=60, generations=5),
}
SMALL_DISCRETIZERS = {"c45": {}, "mdlp": {}, "caim": {}}

LONG = {  # name or case -> (settings, kind of columns, cases, columns): a fit that takes seconds
    "antminer": (dict(n_ants=3 * 10**6, n_rules_converge=10**8, discretizer=None), "words", 2000, 6),
    "anttree": (dict(max_iterations=10**6, n_trees_converge=10**6), "numbers", 20_000, 10),
    "cart": (dict(), "numbers", 200_000, 10),
    "cn2": (dict(significance=0), "numbers", 20_000, 6),
    "part": (dict(gain_correction=False, average_gain_filter=False), "numbers", 100_000, 10),
    "c45": (dict(gain_correction=False, average_gain_filter=False), "numbers", 200_000, 10),
    "clip4": (dict(pruning_threshold=None, discretizer=None), "words", 6000, 12),
    "garules": (dict(n_generations=10**6, patience=10**6, discretizer=None), "words", 6000, 12),
    "datasqueezer": (dict(generalization_threshold=0.), "words", 60_000, 12),
    "multitree": (dict(max_iterations=10**6, n_trees_converge=10**6), "words", 2000, 6),
    "multitree-greedy": (dict(min_cases=1), "numbers", 200_000, 10),
    "psoaco": (dict(n_iterations=10**6), "numbers", 2000, 6),
}


def case_name(name, settings):
    "A variant by the values that set it apart, fit to name a file: multitree-greedy."
    return "-".join([name, *map(str, settings.values())]).replace("/", "-")


CASES = {name: (name, {}) for name in LEARNERS} | {  # what the tests loop over: case -> (name, settings)
    case_name(name, settings): (name, settings)
    for name in LEARNERS for settings in VARIANTS.get(name, [])}


def long_fit(case):
    "Settings, table and labels of a fit that takes seconds, most of them in kernels."
    name, variant = CASES[case]
    settings, kind, n, m = LONG.get(case) or LONG[name]
    settings = settings | variant
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, m))
    X = numbers if kind == "numbers" else rng.choice(list("abc"), (n, m))
    y = np.where(np.sin(9 * numbers).sum(1) + rng.normal(size=n) > 0, "yes", "no")
    return settings, pd.DataFrame(X).rename(columns=str), y


def make(case, /, **settings):
    "A learner by name or case, with fast settings and a seed where it takes one."
    name, variant = CASES[case]
    defaults = SMALL.get(name, {}) | variant
    if takes(LEARNERS[name], "random_state"):
        defaults = {"random_state": 0, **defaults}
    return LEARNERS[name](**{**defaults, **settings})


def make_regressor(name, /, **settings):
    "A regressor by name, with fast settings and a seed."
    return REGRESSORS[name](**{"random_state": 0, **SMALL_REGRESSORS.get(name, {}), **settings})


def regressors(test):
    "Decorator: the test runs for each regressor, as `regressor(**settings)`."
    makers = [partial(make_regressor, n) for n in REGRESSORS]
    return pytest.mark.parametrize("regressor", makers, ids=list(REGRESSORS))(test)


def make_discretizer(name, /, **settings):
    return DISCRETIZERS[name](**{**SMALL_DISCRETIZERS.get(name, {}), **settings})


def takes(learner, parameter):
    return parameter in inspect.signature(learner.__init__).parameters


def learners(*parameters):
    "Decorator: the test runs for each case whose learner has these parameters, as `learner(**settings)`."
    names = [c for c, (n, _) in CASES.items() if all(takes(LEARNERS[n], p) for p in parameters)]
    return pytest.mark.parametrize("learner", [partial(make, n) for n in names], ids=names)


def discretizers():
    makers = [partial(make_discretizer, n) for n in DISCRETIZERS]
    return pytest.mark.parametrize("discretizer", makers, ids=list(DISCRETIZERS))


# ------------------------------------------------------------------------------------------ tables

def mixed_table(n=80, seed=0, holes=True):
    "A word, a colour, a switch and a number; the class depends on the word and the number."
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"word": rng.choice(["a", "b", "c"], n), "colour": rng.choice(["red", "blue"], n),
                      "switch": rng.random(n) < .5, "number": rng.normal(size=n).round(2)})
    y = np.where((X["word"] == "a") | (X["number"] > .5), "yes", "no")
    y = np.where(rng.random(n) < .05, "maybe", y)
    if holes:
        X.loc[rng.random(n) < .1, "word"] = None
        X.loc[rng.random(n) < .1, "number"] = np.nan
    return X, pd.Series(y, name="verdict")


def signal(n=40):
    "One yes-no signal and the labels that follow it, with two exceptions."
    on = np.arange(n) % 2 == 0
    y = np.where(on, "up", "down")
    y[:2] = y[:2][::-1]
    return on, y


def check_answers(fitted, X, y=None):
    "What must hold of every fitted classifier on every table; returns the predictions."
    n, k = len(X), len(fitted.classes_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        predicted, chances, reasons = fitted.predict(X), fitted.predict_proba(X), fitted.explain(X)
    assert predicted.shape == (n,) and predicted.dtype == fitted.classes_.dtype
    assert chances.shape == (n, k) and np.isfinite(chances).all() and (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(1), 1, rtol=0, atol=1e-9)
    assert (predicted == fitted.classes_[chances.argmax(1)]).all()
    assert len(reasons) == n
    assert isinstance(str(fitted), str) and len(fitted.to_text().splitlines()) >= 1
    assert all(rule.terms for rule in fitted.rules_.rules)                        # but the default
    assert "\n".join(map(str, fitted.rules_)) == fitted.rules_.to_text()          # each prints its line
    if y is not None:                                   # X, y is what it was fitted with
        counts = np.sum([rule.counts for rule in fitted.rules_.all_rules], axis=0)
        truth = np.array([np.sum(np.asarray(y) == c) for c in fitted.classes_])
        np.testing.assert_allclose(counts, truth, atol=1e-6)      # each case in exactly one row
        check_default(fitted, truth)
    return predicted


def check_default(fitted, truth):
    "Rules in order end in the majority class of what is left, or of all cases if nothing is."
    rules = fitted.rules_
    if type(rules) is not RuleList or fitted.get_params().get("class_weight") is not None:
        return                                           # rules that vote answer with the majority of all
    default = rules.default
    counts = np.array(default.counts) if default.covered > 1e-9 else truth
    assert counts[default.prediction] >= counts.max() - 1e-9, f"{counts} and {default}"


def fitted_names(estimator):
    return sorted(name for name in vars(estimator) if name.endswith("_") and name[0] != "_")


def places(document, path=()):
    "Paths to all parts of a JSON document."
    yield path
    items = document.items() if isinstance(document, dict) else \
        enumerate(document) if isinstance(document, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def drawn_part(data, document):
    "Where hypothesis changes a document: what holds the part, and the part's key or position."
    *path, last = data.draw(st.sampled_from(list(places(document))[1:]))
    for step in path:
        document = document[step]
    return document, last
