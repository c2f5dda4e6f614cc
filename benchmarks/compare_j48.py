"""Compare C45Classifier with Weka's J48, fold by fold.

    python benchmarks/compare_j48.py TABLES FOLDS [--types TYPES] [--error-bound normal]

TABLES  folder with one CSV a table (header, class last, `?` where a value is missing), searched
        with its subfolders
FOLDS   tab-separated: data, learner, fold, accuracy (percent), rules (leaves), terms_or_size
        (nodes), seconds; the folds are StratifiedKFold(10, shuffle=True, random_state=0) on the
        order of the rows
TYPES   tab-separated: name, attribute, type (nominal or continuous); TABLES/TYPES.tsv by default
"""
import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from swarmlit.c45 import C45Classifier


def read(path: Path, types: dict) -> tuple[pd.DataFrame, np.ndarray]:
    """Attributes and classes; a nominal column declares the values it has in the whole table."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    cells = frame.iloc[:, :-1].where(frame.iloc[:, :-1] != "?")
    columns = {name: cells[name].astype("category") if types[name] == "nominal"
               else pd.to_numeric(cells[name]).astype(float) for name in cells}
    return pd.DataFrame(columns), frame.iloc[:, -1].to_numpy(str)


def cross_validate(X: pd.DataFrame, y: np.ndarray, **parameters) -> pd.DataFrame:
    """One row a fold: accuracy in percent, leaves, seconds of `fit`."""
    rows = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        X_train, y_train = X.iloc[train], y[train]
        started = time.perf_counter()
        model = C45Classifier(**parameters).fit(X_train, y_train)
        seconds = time.perf_counter() - started
        rows.append((100 * model.score(X.iloc[test], y[test]), len(model.model_), seconds))
    return pd.DataFrame(rows, columns=["accuracy", "leaves", "seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("folds", type=Path)
    parser.add_argument("--types", type=Path)
    parser.add_argument("--max-rows", type=int, default=2500)
    parser.add_argument("--error-bound", default="c45", choices=["c45", "normal"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    types = pd.read_csv(options.types or options.tables / "TYPES.tsv", sep="\t",
                        keep_default_na=False)
    j48 = pd.read_csv(options.folds, sep="\t").query("learner == 'J48'")
    files = {path.name.split(".")[0]: path for path in sorted(options.tables.rglob("*.csv*"))}
    C45Classifier().fit([[1, "a"], [2, "b"], [3, "a"], [4, None]], [0, 1, 0, 1])   # compiles
    rows = []
    for name, theirs in j48.groupby("data"):
        X, y = read(files[name], types[types.name == name].set_index("attribute").type.to_dict())
        if len(y) > options.max_rows:
            continue
        theirs = theirs.sort_values("fold").reset_index(drop=True)
        ours = cross_validate(X, y, error_bound=options.error_bound)
        rows.append((name, len(y), ours.accuracy.mean(), theirs.accuracy.mean(),
                     ours.leaves.mean(), theirs.rules.mean(),
                     int((ours.leaves == theirs.rules).sum()),
                     1000 * ours.seconds.median(), 1000 * theirs.seconds.median()))
    table = pd.DataFrame(rows, columns=["table", "rows", "accuracy", "J48", "leaves", "J48 leaves",
                                        "folds with equal leaves", "ms", "J48 ms"])
    print(table.round(2).to_string(index=False))
    points = (table.accuracy - table.J48).abs()
    size = (table.leaves / table["J48 leaves"] - 1).abs()
    print(f"\n{len(table)} tables: mean accuracy within 1 point on {(points <= 1).sum()}, mean "
          f"leaves within 15 % on {(size <= .15).sum()}; largest differences {points.max():.2f} "
          f"points, {size.max():.1%} leaves; equal leaves in "
          f"{table['folds with equal leaves'].sum()} of {10 * len(table)} folds")


if __name__ == "__main__":
    main()
