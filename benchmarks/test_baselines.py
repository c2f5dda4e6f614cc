"""What PART, CN2 and CART cost: a whole `fit` beside Weka's PART, and how it grows."""
import numpy as np
import pandas as pd
import pytest

from swarmlit.baselines import CARTClassifier, CN2Classifier, PARTClassifier
from swarmlit.read import load_dataset

# Milliseconds that Weka 3.9.7 (PART, warm, one core of a small machine) takes to fit the table.
PART = {"tic-tac-toe": 16.8, "pima": 18.3, "vehicle": 30.3, "soybean": 20.7, "ionosphere": 23.4}
LEARNERS = {"PART": PARTClassifier(), "CN2": CN2Classifier(), "CN2, set": CN2Classifier(mode="unordered"),
            "CART": CARTClassifier(), "CART, pruned": CARTClassifier(ccp_alpha="cv")}


@pytest.mark.parametrize("name", PART)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.benchmark(group="baselines: fit, from the data frame")
def test_fit(benchmark, learner, name):
    X, y = load_dataset(name, return_X_y=True)
    if learner == "PART":
        benchmark.extra_info["Weka's PART (ms)"] = PART[name]
    estimator = LEARNERS[learner]
    assert len(benchmark.pedantic(lambda: estimator.fit(X, y), rounds=3, warmup_rounds=1).rules_) > 1


@pytest.mark.parametrize("kind", ["20 numbers", "20 words"])
@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.parametrize("learner", ["PART", "CN2"])
@pytest.mark.benchmark(group="baselines: how it grows")
def test_growth(benchmark, learner, n, kind):
    random = np.random.default_rng(0)
    if kind == "20 numbers":
        X = pd.DataFrame(random.normal(size=(n, 20))).add_prefix("a")
        y = X.a0 + X.a1 * X.a2 > 0
    else:
        codes = random.integers(0, 4, (n, 20))
        X = pd.DataFrame(codes.astype(str)).add_prefix("a")
        y = np.where(random.random(n) < .05, random.integers(0, 3, n), (codes[:, 0] + codes[:, 1]) % 3)
    estimator = LEARNERS[learner]
    fitted = benchmark.pedantic(lambda: estimator.fit(X, y), rounds=1, warmup_rounds=0)
    benchmark.extra_info["rules"] = len(fitted.rules_)     # CN2's grow with the cases of "20 numbers"
    assert len(fitted.rules_) > 1
