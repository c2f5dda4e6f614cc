"""Trees by ants beside the figures of Salama and Otero (2014): accuracy and size, table by table.

    python benchmarks/compare_anttree.py [TABLE ...] [--iterations 500] [--seeds 3] [--floor]
                                         [--learners C4.5 ATM_L ...] [--rows rows.csv]

Ten-fold cross-validation of C4.5, C4.5-MTree, ATM, ATM_L and ATM_I as the paper sets them (quality
is training accuracy), printed beside its Tables 3 (accuracy) and 5 (terms), with the mean absolute
differences and the ratio of the sizes of the multi-trees and the single tree. `--floor` uses the
folds with which eight of its tables seem to have been tested (`FloorKFold`). `--rows` keeps one row
a fold; rows that are there already are not computed again, so that a run can be continued.
"""
import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from cross_validation import cross_validate, ten_folds

from swarmlit import C45Classifier, MultiTreeClassifier
from swarmlit.anttree import AntTreeMinerClassifier
from swarmlit.multitree import FloorKFold, n_terms

LEARNERS = ["C4.5", "C4.5-MTree", "ATM", "ATM_L", "ATM_I"]

# Table 3: accuracy in percent, Table 5: terms. Columns as in LEARNERS.
ACCURACY = {
    "balance": (63.83, 65.67, 74.5, 78.5, 80.67),
    "breast-l": (72.86, 72.86, 72.91, 73, 73.31),
    "car": (93.27, 93.74, 93.8, 93.39, 93.8),
    "credit-a": (86.38, 86.38, 86.64, 86.65, 86.2),
    "heart-statlog": (74.81, 74.81, 75.56, 77.41, 77.78),
    "hepatitis": (79.38, 79.38, 81.29, 83.83, 83.29),
    "ionosphere": (89.67, 89.67, 90.21, 90.23, 90.26),
    "lymphography": (77.71, 78.57, 77.8, 79.19, 78.8),
    "pima": (74.73, 74.73, 71.23, 69.92, 69.54),
    "post-operative": (75, 75, 75, 73.75, 75),
    "thyroid": (91.6, 89.76, 91.6, 91.69, 92.14),
    "tic-tac-toe": (85.58, 85.58, 87.05, 89.68, 92.11),
    "voting": (94.48, 94.48, 94.91, 94.94, 94.91),
    "wine": (93.3, 92.75, 93.82, 93.3, 93.82),
    "zoo": (95, 97.5, 100, 97.5, 97.5),
}
TERMS = {
    "balance": (84.2, 71.8, 110.3, 91.2, 108.9),
    "breast-l": (16.4, 16.4, 116.6, 88, 126.6),
    "car": (605.4, 492, 612.8, 499.8, 524.9),
    "credit-a": (103.3, 90.6, 267.1, 272.3, 252.6),
    "heart-statlog": (82.9, 89.1, 130.8, 126.6, 121.1),
    "hepatitis": (37.9, 39.5, 37.1, 39.6, 46.8),
    "ionosphere": (75.7, 88.8, 85.9, 83.9, 103.7),
    "lymphography": (67.8, 49.6, 60.9, 58.4, 63.7),
    "pima": (123.9, 237.3, 748.3, 676.9, 686.8),
    "post-operative": (2, 2.4, 2, 3.6, 3.6),
    "thyroid": (30.3, 26.6, 36.1, 30.9, 40.3),
    "tic-tac-toe": (396.5, 396.5, 536, 507.2, 539.8),
    "voting": (18.2, 18.2, 25.7, 18.3, 27.1),
    "wine": (12.8, 19.4, 27.7, 24.2, 26.6),
    "zoo": (43.8, 28.8, 66.7, 19.1, 23.8),
}
DEFAULT_TABLES = ["balance", "breast-l", "heart-statlog", "hepatitis", "lymphography",
                  "post-operative", "thyroid", "voting", "wine", "zoo"]


def makers(iterations: int, laplace: float) -> dict:
    "Learner -> function of the seed that returns an unfitted classifier, set as in the paper."
    ants = dict(max_iterations=iterations, quality="accuracy")
    multi = partial(MultiTreeClassifier, laplace=laplace)
    return {
        "C4.5": lambda seed: C45Classifier(error_bound="normal"),          # as Weka's J48
        "C4.5-MTree": lambda seed: multi(strategy="greedy", min_cases=2),
        "ATM": lambda seed: AntTreeMinerClassifier(random_state=seed, **ants),
        "ATM_L": lambda seed: multi(strategy="local", random_state=seed, **ants),
        "ATM_I": lambda seed: multi(strategy="integrated", random_state=seed, **ants),
    }


def measure(classifier) -> tuple[int, int]:
    "Rules, and terms as the paper counts them."
    return len(classifier.rules_.all_rules), n_terms(classifier.model_)


def floor_folds(X, y) -> list:
    "The paper's folds: floor(n / 10) cases of each class in each, the rest never tested."
    return list(FloorKFold(10, random_state=0).split(X, y))


def run(tables: list, learners: list, options) -> pd.DataFrame:
    "One row a fold; continues what `options.rows` holds."
    done = pd.DataFrame()
    if options.rows and options.rows.exists(): done = pd.read_csv(options.rows)
    make, folds = makers(options.iterations, options.laplace), ten_folds
    if options.floor: folds = floor_folds
    for table in tables:
        for learner in learners:
            if len(done) and ((done.table == table) & (done.learner == learner)).any(): continue
            seeds = range(options.seeds if learner.startswith("ATM") else 1)
            rows = cross_validate({learner: make[learner]}, [table], seeds, measure=measure,
                                  folds=folds)
            done = pd.concat([done, rows], ignore_index=True)
            if options.rows: done.to_csv(options.rows, index=False)
    return done[done.table.isin(tables) & done.learner.isin(learners)]


def beside(rows: pd.DataFrame, what: str, printed: dict, digits: int) -> pd.DataFrame:
    "Our mean, spread of the seeds' means and the paper's figure, a row a table."
    by_seed = rows.groupby(["table", "learner", "seed"], sort=False)[what].mean()
    columns = {}
    for learner in rows.learner.unique():
        ours = by_seed.xs(learner, level="learner").groupby("table", sort=False)
        columns[learner, "ours"] = ours.mean()
        if learner.startswith("ATM"): columns[learner, "sd"] = ours.std()
        columns[learner, "paper"] = pd.Series({t: p[LEARNERS.index(learner)]
                                               for t, p in printed.items()})
    return pd.DataFrame(columns).loc[rows.table.unique()].round(digits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tables", nargs="*", default=DEFAULT_TABLES, metavar="TABLE")
    parser.add_argument("--learners", nargs="+", default=LEARNERS, choices=LEARNERS)
    parser.add_argument("--iterations", type=int, default=500, help="the paper's 500 by default")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--laplace", type=float, default=1.0, help="0: shares, as in the paper")
    parser.add_argument("--floor", action="store_true", help="the paper's folds")
    parser.add_argument("--rows", type=Path, help="CSV with one row a fold, read and written")
    options = parser.parse_args()
    unknown = [t for t in options.tables if t not in ACCURACY]
    if unknown: parser.error(f"no figures for {unknown[0]}; there are: {', '.join(ACCURACY)}")
    rows = run(options.tables, options.learners, options)
    pd.set_option("display.width", 200, "display.max_columns", 30)

    accuracy = beside(rows, "accuracy", ACCURACY, 2)
    print(f"Accuracy, percent\n{accuracy.to_string()}\n")
    for learner in options.learners:
        apart = (accuracy[learner, "ours"] - accuracy[learner, "paper"])
        far = ", ".join(f"{t} {d:+.1f}" for t, d in apart.items() if abs(d) > 3)
        print(f"{learner}: mean absolute difference {apart.abs().mean():.2f} points, mean "
              f"{apart.mean():+.2f}; above 3 points: {far or 'none'}")

    terms = beside(rows, "terms", TERMS, 1)
    print(f"\nTerms\n{terms.to_string()}\n")
    asking = terms[(terms.xs("ours", axis=1, level=1) > 0).all(axis=1)]  # a single leaf has no ratio
    for learner in options.learners:
        ratio = asking[learner, "ours"] / asking[learner, "paper"]
        print(f"{learner}: geometric mean of ours / paper {np.exp(np.log(ratio).mean()):.2f}")
    for learner in {"ATM_L", "ATM_I"} & set(options.learners) if "ATM" in options.learners else []:
        ours = (asking[learner, "ours"] / asking["ATM", "ours"]).mean()
        paper = (asking[learner, "paper"] / asking["ATM", "paper"]).mean()
        print(f"{learner} / ATM: mean ratio {ours:.2f}, of the paper's figures for these tables "
              f"{paper:.2f}")
    seconds = rows.groupby(["table", "learner"], sort=False).seconds.mean().unstack()
    print(f"\nSeconds a fit\n{seconds[options.learners].round(2).to_string()}")


if __name__ == "__main__":
    main()
