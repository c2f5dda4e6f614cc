"""CN2's settings beside the CN2 that Ant-Miner was compared with, table by table.

    python benchmarks/compare_cn2.py [--raw] [--settings "ordered laplace 0.99" ...] [--store runs.sqlite]

Printed are Parpinelli, Lopes & Freitas (2002, tables III to V), ten-fold cross-validation; there
C4.5-Disc cut the continuous attributes beforehand. Here it does so in each training part, unless
--raw is given. Tables differ a little: 282 cases of Ljubljana (here 286), 683 of Wisconsin (699), 366
of dermatology (the 358 of known age), 303 of Cleveland (297 without holes).
"""
import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from swarmlit import compare
from swarmlit.baselines import CN2Classifier
from swarmlit.discretize import C45Discretizer
from swarmlit.evaluate import distance

PRINTED = pd.DataFrame({  # accuracy, rules, terms a rule of CN2
    "breast-l": (67.69, 55.40, 2.21), "bcw": (94.88, 18.60, 2.39), "tic-tac-toe": (97.38, 39.70, 2.90),
    "dermatology-358": (90.38, 18.50, 2.47), "hepatitis": (90.00, 7.20, 1.58),
    "heart-c5-297": (57.48, 42.40, 2.79)}, index=["accuracy", "rules", "terms_per_rule"]).T
SETTINGS = {f"{mode} {evaluation} {level}": dict(mode=mode, evaluation=evaluation, significance=level)
            for mode, evaluation, level in product(["ordered", "unordered"], ["entropy", "laplace"],
                                                   [0, .95, .99])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--raw", action="store_true", help="leave numbers to CN2 itself")
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    before = [] if options.raw else [C45Discretizer()]
    learners = {name: make_pipeline(*before, CN2Classifier(**SETTINGS[name]))
                for name in options.settings}
    results = compare(learners, list(PRINTED.index), store=options.store, verbose=1)
    print(results)
    for measure in PRINTED:
        printed = pd.concat({name: PRINTED[measure] for name in learners}, axis=1)
        table = results.beside(printed, measure)
        summary = distance(table)
        factors = np.exp(np.log(table.ours / table.printed).groupby(table.learner).mean())
        print(f"\n{measure}\n{summary.assign(**{'ours / printed': factors}).round(2).to_string()}")


if __name__ == "__main__":
    main()
