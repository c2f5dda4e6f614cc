"""Ten-fold cross-validation as the comparisons of this folder share it.

The folds are `StratifiedKFold(10, shuffle=True, random_state=0)` on the order of the rows, the
same for every learner and every seed, so that figures of one table can be paired fold by fold.
"""
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from swarmlit import list_datasets, load_dataset, read_table


def load(name: str, folder: Path | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """A table that travels with the package, or a CSV of `folder` whose last column is the class."""
    if name in list_datasets().index:
        return load_dataset(name, return_X_y=True)
    paths = sorted(Path(folder).rglob(f"{name}.csv*")) if folder else []
    if not paths:
        raise SystemExit(f"No table '{name}' in the package{f' or under {folder}' if folder else ''}.")
    frame = read_table(paths[0])
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)


def ten_folds(X, y, n_folds: int = 10, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to test on, fold by fold."""
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y))


def size(model) -> tuple[int, int]:
    """Rules, the default counted, and terms of a fitted classifier."""
    rules = model.rules_.all_rules
    return len(rules), sum(len(rule.terms) for rule in rules)


def cross_validate(learners: dict, names: list, seeds=(0,), folder=None, measure=size,
                   folds=ten_folds) -> pd.DataFrame:
    """One row a (table, learner, seed, fold): accuracy in percent, rules, terms, seconds of `fit`.

    `learners` maps a name to a function of the seed that returns an unfitted classifier.
    """
    rows = []
    for name in names:
        X, y = load(name, folder)
        for learner, make in learners.items():
            for seed in seeds:
                for fold, (train, test) in enumerate(folds(X, y)):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)
                        started = time.perf_counter()
                        model = make(seed).fit(X.iloc[train], y.iloc[train])
                        seconds = time.perf_counter() - started
                        accuracy = 100 * np.mean(model.predict(X.iloc[test]) == y.iloc[test])
                    rows.append((name, learner, seed, fold, accuracy, *measure(model), seconds))
            print(f"{name}: {learner}", file=sys.stderr)
    columns = ["table", "learner", "seed", "fold", "accuracy", "rules", "terms", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def corrected_t(differences, n_test_over_n_train: float = 1 / 9) -> float:
    """p-value of Nadeau and Bengio's corrected resampled t-test of paired differences."""
    d = np.asarray(differences, float)
    spread = d.var(ddof=1) * (1 / d.size + n_test_over_n_train)
    if spread == 0:
        return 1.0 if d.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(d.mean()) / np.sqrt(spread), d.size - 1))


def verdict(ours, theirs, more_is_better: bool = True, level: float = .05) -> str:
    """"+" for a significant win of `ours`, "-" for a loss, "0" otherwise."""
    d = np.asarray(ours, float) - np.asarray(theirs, float)
    if corrected_t(d) >= level:
        return "0"
    return "+" if (d.mean() > 0) == more_is_better else "-"
