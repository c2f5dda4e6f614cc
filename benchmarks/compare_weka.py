"""C4.5, PART and PSO/ACO2 beside Weka's J48 and PART, fold by fold.

    python benchmarks/compare_weka.py FOLDS --learner c45                      # beside J48
    python benchmarks/compare_weka.py FOLDS --learner part [--folder TABLES]   # beside PART
    python benchmarks/compare_weka.py FOLDS --learner psoaco:min_rule_gain=3 --peer PART

FOLDS   tab-separated: data, learner, fold, accuracy (percent), rules (leaves of a tree; of a list
        the default is counted), terms_or_size (terms; each bound of an interval is one), seconds;
        the folds are those of `compare`: StratifiedKFold(10, shuffle=True, random_state=0)
TABLES  folder, searched with its subfolders, of tables that do not travel with the package: one CSV
        each (header, class last, `?` where a value is missing), and a TYPES.tsv (name, attribute,
        type) that says which attributes are nominal

"+" and "-" are wins and losses by the corrected resampled t-test at 5 %; fewer rules are better.
PSO/ACO2's paper (Holden & Freitas, 2008, table 5) counts wins minus losses over 27 tables: accuracy
+1, rules +14, terms a rule -6.
"""
import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from swarmlit import compare, list_datasets
from swarmlit.cli import named_learner
from swarmlit.evaluate import corrected_t_test

PEERS = {"c45": "J48"}  # PART for the others


def tables(names: list, folder: Path | None, max_rows: int) -> dict:
    """Name -> name on the shelf, or frame of `folder` whose nominal columns declare their values."""
    known = list_datasets().cases
    found = {name: name for name in names if known.get(name, max_rows + 1) <= max_rows}
    if folder is None:
        return found
    files = {path.name.split(".")[0]: path for path in sorted(folder.rglob("*.csv*"))}
    types = pd.read_csv(folder / "TYPES.tsv", sep="\t", keep_default_na=False)
    for name in [name for name in names if name in files and name not in known]:
        frame = pd.read_csv(files[name], dtype=str, na_values="?", keep_default_na=False)
        nominal = set(types[(types.name == name) & (types.type == "nominal")].attribute)
        X = pd.DataFrame({column: frame[column].astype("category") if column in nominal
                          else pd.to_numeric(frame[column]).astype(float)
                          for column in frame.columns[:-1]})
        if len(X) <= max_rows:
            found[name] = X, frame.iloc[:, -1]
    return found


def weka_sizes(model, X, y) -> dict:
    """Sizes as Weka counts them: a leaf without cases is a leaf, and an interval has two terms."""
    terms = [term for rule in model.rules_.rules for term in rule.terms]
    intervals = sum(term.operator == "interval" for term in terms)
    return {"rules": len(model.model_), "terms": len(terms) + intervals}


def beside(ours: pd.DataFrame, theirs: pd.DataFrame, measure: str, sign: int) -> dict:
    """Both means, folds that are equal, and the verdict, of one table."""
    a, b = ours[measure].to_numpy(float), theirs[measure].to_numpy(float)
    test = corrected_t_test(a - b, (ours.n_test / ours.n_train).mean())
    verdict = "0" if not test.p < .05 else "+" if test.difference * sign > 0 else "-"
    return {measure: a.mean(), f"Weka {measure}": b.mean(), f"({measure})": verdict,
            f"= {measure}": int((abs(a - b) < .01).sum())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folds", type=Path)
    parser.add_argument("--learner", default="part", help="as for swarmlit compare: name:key=value")
    parser.add_argument("--peer", help="learner of FOLDS; by default J48 for c45, else PART")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--max-rows", type=int, default=2500)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    peer = options.peer or PEERS.get(options.learner.partition(":")[0], "PART")
    weka = pd.read_csv(options.folds, sep="\t").rename(columns={"terms_or_size": "terms"})
    weka = weka[weka.learner == peer]
    names = [n for n in weka.data.unique() if not options.tables or n in options.tables]
    results = compare({"ours": named_learner(options.learner)},
                      tables(names, options.folder, options.max_rows), repeats=options.repeats,
                      store=options.store, measure=weka_sizes, verbose=1)
    rows = {}
    for name, runs in results.frame.groupby("dataset", sort=False):
        ours = runs.groupby("fold")[["accuracy", "rules", "terms", "n_test", "n_train"]].mean()
        theirs = weka[weka.data == name].set_index("fold").loc[ours.index]
        rows[name] = {}
        for measure in ("accuracy", "rules") + ("terms",) * (peer == "PART"):
            rows[name] |= beside(ours, theirs, measure, 1 if measure == "accuracy" else -1)
        rows[name] |= {"ms": 1000 * runs.fit_seconds.median(), "Weka ms": 1000 * theirs.seconds.median()}
    table = pd.DataFrame.from_dict(rows, orient="index")
    print(table.round(2).to_string())
    points, ratio = (table.accuracy - table["Weka accuracy"]).abs(), table.rules / table["Weka rules"]
    print(f"\n{len(table)} tables: accuracies differ by {points.mean():.2f} points on average, "
          f"{points.max():.2f} at most; rules {np.exp(np.log(ratio).mean()):.3f} times {peer}'s "
          f"({ratio.min():.2f} to {ratio.max():.2f}); of {10 * len(table)} folds the same accuracy in "
          f"{table['= accuracy'].sum()}, as many rules in {table['= rules'].sum()}")
    for column in [column for column in table if column.startswith("(")]:
        won, lost = (table[column] == "+").sum(), (table[column] == "-").sum()
        print(f"{column[1:-1]}: {won} significant wins, {lost} losses ({won - lost:+d})")


if __name__ == "__main__":
    main()
