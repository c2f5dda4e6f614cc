"""Compare CLIP4Classifier with the published results of CLIP4, table by table.

    python benchmarks/compare_clip4.py [FOLDER] [--tables bcw,pima] [--settings "keep_rules='best'"]

FOLDER holds the tables that do not travel with the package, one CSV each (header, class last, `?`
where a value is missing), searched with its subfolders; tables that cannot be found are passed
over. Tables that the source tested on a fixed part have their rows in the source's order there
(training part first); dna, whose order is lost, is split at random; led is generated.

Printed is accuracy with unclassified cases counted as errors, as in the source. `default` is the
accuracy if the most frequent class answers for them. Sensitivity and specificity are means over
the classes. Selectors are inequalities, an excluded interval being one.
"""
import argparse
import ast
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from cross_validation import load, ten_folds
from sklearn.model_selection import train_test_split

from swarmlit import CLIP4Classifier

PRINTED = Path(__file__).parent / "printed" / "clip4_datasqueezer.csv"
SEGMENTS = np.array([[int(bit) for bit in digit] for digit in (
    "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011").split()])
TRAINING_ROWS = {"satimage": 4435, "waveform21": 600, "thyroid-ann": 3772, "spect": 80}


def led(n: int = 6000, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Digits on a display of seven segments, each of which is wrong with 10 %."""
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, 10, n)
    lit = SEGMENTS[digits] ^ (rng.random((n, 7)) < .1)
    return pd.DataFrame(lit).rename(columns="segment{}".format).astype("category"), pd.Series(digits)


def splits(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series, list]:
    """A table and its (training rows, test rows): ten folds, or the one split of the source."""
    X, y = led() if name == "led" else load(name, folder)
    rows = np.arange(len(X))
    if name == "adult":
        X_test, y_test = load("adult-test", folder)
        X, y = pd.concat([X, X_test], ignore_index=True), pd.concat([y, y_test], ignore_index=True)
        for column in X.columns:
            if X[column].dtype == "category":
                X[column] = X[column].astype(object)
        return X, y, [(rows, np.arange(len(rows), len(X)))]
    if name == "dna":
        return X, y, [train_test_split(rows, train_size=2000, random_state=0, stratify=y)]
    n = 2000 if name == "led" else TRAINING_ROWS.get(name)
    return X, y, [(rows[:n], rows[n:])] if n else ten_folds(X, y)


def recalls(predicted, truth, labels) -> tuple[float, float]:
    """Sensitivity and specificity in percent, means over the classes."""
    sensitivity = [np.mean(predicted[truth == c] == c) for c in labels if (truth == c).any()]
    specificity = [np.mean(predicted[truth != c] != c) for c in labels if (truth != c).any()]
    return 100 * np.mean(sensitivity), 100 * np.mean(specificity)


def measure(model, X, y) -> dict:
    """What one fitted classifier does on test cases."""
    predicted, unclassified, truth = model.predict(X), model.unclassified(X), y.to_numpy()
    strict = np.where(unclassified, None, predicted.astype(object))
    sensitivity, specificity = recalls(strict, truth, model.classes_)
    return {"accuracy": 100 * np.mean((predicted == truth) & ~unclassified),
            "default": 100 * np.mean(predicted == truth), "unclassified": 100 * unclassified.mean(),
            "sensitivity": sensitivity, "specificity": specificity,
            "rules": len(model.rules_.rules), "selectors": sum(model.n_selectors_)}


def compare(names, folder=None, **settings) -> pd.DataFrame:
    """One row a table: means over its folds."""
    rows = []
    for name in names:
        try:
            X, y, folds = splits(name, folder)
        except SystemExit as error:
            print(error)
            continue
        results = []
        for train, test in folds:
            started = time.process_time()
            model = CLIP4Classifier(**settings).fit(X.iloc[train], y.iloc[train])
            seconds = time.process_time() - started
            results.append(measure(model, X.iloc[test], y.iloc[test]) | {"seconds": seconds})
        rows.append({"table": name} | pd.DataFrame(results).mean().to_dict())
        print(pd.DataFrame(rows[-1:]).round(2).to_string(index=False, header=len(rows) == 1), flush=True)
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--tables", default="")
    parser.add_argument("--settings", default="", help="parameters, as in a call of Python")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    call = ast.parse(f"f({options.settings})", mode="eval").body
    settings = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    printed = pd.read_csv(PRINTED).query("learner == 'CLIP4' and accuracy == accuracy")
    printed = printed.dropna(subset="table").set_index("table")
    known = [n for n in printed.index if n not in ("census-income", "covertype", "kddcup99")]
    names = options.tables.split(",") if options.tables else known
    table = compare(names, options.folder, **settings).set_index("table")
    beside = printed.loc[table.index, ["accuracy", "rules", "selectors"]]
    table = table.join(beside, rsuffix=" printed")
    table["difference"] = table.accuracy - table["accuracy printed"]
    print("\n" + table.round(1).to_string())
    gap, gap_default = table.difference.abs(), (table.default - table["accuracy printed"]).abs()
    print(f"\n{len(table)} tables: mean absolute difference {gap.mean():.2f} points "
          f"({gap_default.mean():.2f} with the default class), {table.unclassified.mean():.1f} % "
          f"unclassified; above 6 points: {', '.join(gap.index[gap > 6]) or 'none'}")
    if options.out:
        table.round(4).to_csv(options.out)


if __name__ == "__main__":
    main()
