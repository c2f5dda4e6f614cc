"""CLIP4 and DataSqueezer beside the figures that their authors printed, table by table.

    python benchmarks/compare_clip4_datasqueezer.py datasqueezer [FOLDER] [--tables bcw bld ...]
    python benchmarks/compare_clip4_datasqueezer.py clip4:keep_rules=best [FOLDER] [--store runs.sqlite]

The learner is written as for `swarmlit compare`. FOLDER holds the tables that do not travel with the
package, one CSV each (header, class last, `?` where a value is missing), searched with its subfolders;
tables that cannot be found are passed over. Ten-fold cross-validation where the source has it. Tables
that the source tested on a fixed part have their rows in the source's order (training part first); dna,
whose order is lost, is split at random; led is drawn anew (7 segments, 10 % noise). Cases left
unclassified count as errors, as in the source.

Tables of more than six points' difference for DataSqueezer, and what brings some of them closer:

    datasqueezer:rules_for=tested_negative,pruning_threshold=.2 --tables pid      rules for one class
    datasqueezer:rules_for=0,pruning_threshold=.3 --tables spect                  the same
    datasqueezer:generalization_threshold=.5 --tables tae                         16 rows a test fold
"""
import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from swarmlit import compare, list_datasets, load_dataset, read_table
from swarmlit.cli import named_learner
from swarmlit.datasqueezer import led_display
from swarmlit.evaluate import Results, distance

PRINTED = Path(__file__).parents[1] / "data" / "published" / "clip4-datasqueezer.csv"
SUBSTITUTES = {"thyroid-ann": "thyroid-ann-fann"}  # the same rows in another order
IN_ORDER = {"satimage", "thyroid-ann", "spect", "covertype", "waveform21"}  # training part first
TEST_FILES = {"adult": "adult-test", "census-income": "census-income-test",
              "kddcup99": "kddcup99-test"}
TOO_LARGE = {"cid", "forc", "kdd"}  # only if asked for by name


def load(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series] | None:
    """A table of the package or of the folder, nominal columns as its TYPES.tsv says; None without."""
    if name in list_datasets().index:
        return load_dataset(name, return_X_y=True)
    paths = sorted(folder.rglob(f"{name}.csv*")) if folder else []
    if not paths:
        return None
    frame = read_table(paths[0])
    X, y, types = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str), folder / "TYPES.tsv"
    if types.exists():
        declared = pd.read_csv(types, sep="\t", dtype=str, keep_default_na=False)
        nominal = declared[(declared.name == name) & (declared.type == "nominal")].attribute
        X = X.astype({column: "category" for column in nominal if column in X})
    return X, y


def both(training, test) -> tuple[pd.DataFrame, pd.Series]:
    """Two parts as one table; columns of words share their values."""
    X, y = (pd.concat(parts, ignore_index=True) for parts in zip(training, test))
    return X.astype({c: "category" for c in X if X[c].dtype == object}), y


def table_and_folds(row, folder: Path | None):
    """(X, y) and what to do for `cv`, or None if the table is not at hand."""
    if row.table == "led":
        table = both(led_display(2000, 7, seed=0), led_display(4000, 7, seed=1))
        return table, [(range(2000), range(2000, 6000))]
    table = load(row.table, folder) or load(SUBSTITUTES.get(row.table, ""), folder)
    if table is None:
        return None
    rows, n_test = np.arange(len(table[1])), row.test_cases
    if np.isnan(n_test):
        return table, 10
    test = load(TEST_FILES[row.table], folder) if row.table in TEST_FILES else None
    if test is not None:
        table = both(table, test)
        return table, [(rows, np.arange(len(rows), len(table[1])))]
    n_test = int(n_test) if n_test < len(rows) else len(rows) // 3
    if row.table in IN_ORDER:
        return table, [(rows[:-n_test], rows[-n_test:])]
    return table, [train_test_split(rows, test_size=n_test, random_state=0, stratify=table[1])]


def selectors(model, X, y) -> dict:
    """Selectors as the source counts them: an excluded interval is one."""
    return {"selectors": float(np.sum(model.n_selectors_))} if hasattr(model, "n_selectors_") else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("learner", help="as for swarmlit compare: clip4, datasqueezer:key=value")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--tables", nargs="*", help="short names as printed: bcw bld ...")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    system = options.learner.partition(":")[0]
    printed = pd.read_csv(PRINTED).dropna(subset=["table", "accuracy"])
    printed = printed[printed.learner.str.lower() == system]
    frames = []
    for row in printed.itertuples():
        if (row.set not in options.tables) if options.tables else row.set in TOO_LARGE:
            continue
        found = table_and_folds(row, options.folder)
        if found is None:
            print(f"no table '{row.table}' at hand")
            continue
        one = compare({system: named_learner(options.learner)}, {row.table: found[0]}, found[1],
                      options.repeats, store=options.store, measure=selectors)
        frames.append(one.frame)
        print(f"{row.set}: {one.table('strict_accuracy').iloc[0, 0]:.1f} ({row.accuracy:.0f})", flush=True)
    runs = pd.concat(frames, ignore_index=True)
    results = Results(runs, [system], list(runs.dataset.unique()))
    indexed = printed.set_index(["table", "learner"]).rename(index=str.lower, level="learner")
    for measure, column in (("strict_accuracy", "accuracy"), ("rules", "rules"),
                            ("selectors" if "selectors" in runs else "terms", "selectors")):
        table = results.beside(indexed[column], measure)
        print(f"\n{column}\n{table.round(1).to_string(index=False)}\n{distance(table).round(2).to_string()}")


if __name__ == "__main__":
    main()
