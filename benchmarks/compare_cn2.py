"""Compare CN2Classifier with the CN2 that Ant-Miner was compared with, table by table.

    python benchmarks/compare_cn2.py [--raw] [--learner cn2 ...]

The printed figures are those of Parpinelli, Lopes & Freitas (2002, tables III to V), ten-fold
cross-validation; there C4.5-Disc cut the continuous attributes beforehand, as it does here unless
--raw is given. Tables differ a little: 282 cases of Ljubljana (here 286), 683 of Wisconsin (699),
366 of dermatology (the 358 of known age), 303 of Cleveland (297 without holes).
"""
import argparse

import numpy as np
import pandas as pd
from cross_validation import cross_validate
from sklearn.pipeline import make_pipeline

from swarmlit.baselines import CN2Classifier
from swarmlit.discretize import C45Discretizer

PRINTED = {  # table -> accuracy, rules, terms a rule of CN2
    "breast-l": (67.69, 55.40, 2.21), "bcw": (94.88, 18.60, 2.39), "tic-tac-toe": (97.38, 39.70, 2.90),
    "dermatology-358": (90.38, 18.50, 2.47), "hepatitis": (90.00, 7.20, 1.58),
    "heart-c5-297": (57.48, 42.40, 2.79)}
SETTINGS = {
    f"{mode} {evaluation} {level}": dict(mode=mode, evaluation=evaluation, significance=level)
    for mode in ("ordered", "unordered") for evaluation in ("entropy", "laplace") for level in (0, .95, .99)}


def size(model) -> tuple[int, int]:
    """Rules, the default counted, and terms of a pipeline's classifier."""
    rules = model[-1].rules_.all_rules
    return len(rules), sum(len(rule.terms) for rule in rules)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--raw", action="store_true", help="leave numbers to CN2 itself")
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS))
    options = parser.parse_args()
    before = [] if options.raw else [C45Discretizer()]
    learners = {name: lambda seed, how=SETTINGS[name]: make_pipeline(*before, CN2Classifier(**how))
                for name in options.settings}
    found = cross_validate(learners, list(PRINTED), measure=size)
    found["terms"] /= (found.rules - 1).clip(1)
    means = found.groupby(["learner", "table"], sort=False)[["accuracy", "rules", "terms"]].mean()
    printed = pd.DataFrame(PRINTED, index=["accuracy", "rules", "terms"]).T
    for name in learners:
        ours = means.loc[name]
        print(f"\n{name}\n{pd.concat({'ours': ours, 'printed': printed}, axis=1).round(2)}")
        ratio = np.exp(np.log(ours.rules / printed.rules).abs().mean())
        print(f"mean absolute differences: accuracy {(ours.accuracy - printed.accuracy).abs().mean():.2f}"
              f" points, terms a rule {(ours.terms - printed.terms).abs().mean():.2f}; rules by a "
              f"factor of {ratio:.2f}")


if __name__ == "__main__":
    main()
