"""Compare PARTClassifier with Weka's PART, fold by fold.

    python benchmarks/compare_part.py TABLES FOLDS [--types TYPES] [--error-bound c45]

TABLES  folder with one CSV a table (header, class last, `?` where a value is missing), searched
        with its subfolders
FOLDS   tab-separated: data, learner, fold, accuracy (percent), rules (the default counted),
        terms_or_size (terms; each bound of an interval is one), seconds; the folds are
        StratifiedKFold(10, shuffle=True, random_state=0) on the order of the rows
TYPES   tab-separated: name, attribute, type (nominal or continuous); TABLES/TYPES.tsv by default
"""
import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from compare_j48 import read
from cross_validation import ten_folds, verdict

from swarmlit.baselines import PARTClassifier


def terms(model) -> int:
    """Terms of all rules as Weka counts them: an interval has two."""
    return sum(1 + (term.operator == "interval") for rule in model.rules_.rules for term in rule.terms)


def cross_validate(X: pd.DataFrame, y: np.ndarray, **parameters) -> pd.DataFrame:
    """One row a fold: accuracy in percent, rules, terms, seconds of `fit`."""
    rows = []
    for train, test in ten_folds(X, y):
        X_train, y_train = X.iloc[train], y[train]
        started = time.perf_counter()
        model = PARTClassifier(**parameters).fit(X_train, y_train)
        seconds = time.perf_counter() - started
        rows.append((100 * model.score(X.iloc[test], y[test]), len(model.rules_), terms(model), seconds))
    return pd.DataFrame(rows, columns=["accuracy", "rules", "terms", "seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("folds", type=Path)
    parser.add_argument("--types", type=Path)
    parser.add_argument("--max-rows", type=int, default=2500)
    parser.add_argument("--error-bound", default="normal", choices=["c45", "normal"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    types = pd.read_csv(options.types or options.tables / "TYPES.tsv", sep="\t",
                        keep_default_na=False)
    part = pd.read_csv(options.folds, sep="\t").query("learner == 'PART'")
    files = {path.name.split(".")[0]: path for path in sorted(options.tables.rglob("*.csv*"))}
    PARTClassifier().fit([[1, "a"], [2, "b"], [3, "a"], [4, None]], [0, 1, 0, 1])   # compiles
    rows = []
    for name, theirs in part.groupby("data"):
        X, y = read(files[name], types[types.name == name].set_index("attribute").type.to_dict())
        if len(y) > options.max_rows:
            continue
        theirs = theirs.sort_values("fold").reset_index(drop=True)
        ours = cross_validate(X, y, error_bound=options.error_bound)
        rows.append((name, len(y), ours.accuracy.mean(), theirs.accuracy.mean(),
                     verdict(ours.accuracy, theirs.accuracy), ours.rules.mean(), theirs.rules.mean(),
                     int(((ours.accuracy - theirs.accuracy).abs() < .01).sum()),
                     int((ours.rules == theirs.rules).sum()),
                     int((ours.terms == theirs.terms_or_size).sum()),
                     1000 * ours.seconds.median(), 1000 * theirs.seconds.median()))
    table = pd.DataFrame(rows, columns=["table", "rows", "accuracy", "PART", "t", "rules", "PART rules",
                                        "equal accuracy", "equal rules", "equal terms", "ms", "PART ms"])
    print(table.round(2).to_string(index=False))
    points, n = (table.accuracy - table.PART).abs(), 10 * len(table)
    size = table.rules / table["PART rules"]
    print(f"\n{len(table)} tables: accuracies differ by {points.mean():.2f} points on average, "
          f"{points.max():.2f} at most; rules {np.exp(np.log(size).mean()):.3f} times PART's "
          f"({size.min():.2f} to {size.max():.2f}); of {n} folds the same accuracy in "
          f"{table['equal accuracy'].sum()}, as many rules in {table['equal rules'].sum()}, as many "
          f"terms in {table['equal terms'].sum()}")


if __name__ == "__main__":
    main()
