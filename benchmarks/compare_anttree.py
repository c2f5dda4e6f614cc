"""Trees by ants beside the figures of Salama and Otero (2014): accuracy and size, table by table.

    python benchmarks/compare_anttree.py [--tables zoo wine ...] [--learners C4.5 ATM_L ...]
        [--repeats 3] [--iterations 500] [--laplace 1] [--floor] [--store runs.sqlite] [--csv runs.csv]

C4.5, C4.5-MTree, ATM, ATM_L and ATM_I as the paper sets them (quality is training accuracy), printed
beside its Tables 3 (accuracy) and 5 (terms). `terms` of the package counts the conditions of the rules
that are shown; `n_terms` here counts as the paper does, every node on every path, also where no case
went. `--floor` uses the folds with which eight of its tables seem to have been tested (FloorKFold).
"""
import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from swarmlit import C45Classifier, MultiTreeClassifier, compare
from swarmlit.anttree import AntTreeMinerClassifier
from swarmlit.multitree import FloorKFold, n_terms

PUBLISHED = Path(__file__).parents[1] / "data" / "published"
ALIAS = {"post-operative": "pop", "heart-statlog": "s-heart", "monks-2-train": "monks",
         "heart-c5-297": "heart-c", "soybean-307": "soybean", "dermatology-358": "dermatology",
         "tic-tac-toe": "tic-tac-to", "horse-colic": "horse", "credit-a-14": "credit-a",
         "cylinder-bands-num": "cylinder", "audiology-200": "audiology"}  # ours -> the paper's
TABLES = ("balance breast-l dermatology-358 heart-c5-297 heart-statlog hepatitis ionosphere "
          "lymphography monks-2-train post-operative thyroid voting wine zoo").split()


def learners(iterations: int = 500, laplace: float = 1.0) -> dict:
    """Name in the paper -> unfitted classifier."""
    ants = dict(max_iterations=iterations, quality="accuracy")
    multi = lambda **more: MultiTreeClassifier(laplace=laplace, **more)
    return {"C4.5": C45Classifier(error_bound="normal"),               # as Weka's J48
            "C4.5-MTree": multi(strategy="greedy"),
            "ATM": AntTreeMinerClassifier(**ants),
            "ATM_L": multi(strategy="local", **ants),
            "ATM_I": multi(strategy="integrated", **ants)}


def sizes(model, X, y) -> dict:
    """Terms as the paper counts them."""
    return {"n_terms": n_terms(model.model_)}


def beside(results, measure: str, printed: pd.DataFrame) -> pd.DataFrame:
    """Our mean over folds and seeds, and the paper's figure, one row a table."""
    ours = results.table(measure)
    theirs = printed.loc[[ALIAS.get(name, name) for name in ours.index], list(ours)]
    return pd.concat({"ours": ours, "printed": theirs.set_axis(ours.index)}, axis=1).swaplevel(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--learners", nargs="+", default=list(learners()), choices=list(learners()))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=500, help="the paper's 500 by default")
    parser.add_argument("--laplace", type=float, default=1.0, help="0: shares, as in the paper")
    parser.add_argument("--floor", action="store_true", help="the paper's folds")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    chosen = {name: of for name, of in learners(options.iterations, options.laplace).items()
              if name in options.learners}
    cv = FloorKFold(10, random_state=0) if options.floor else 10
    results = compare(chosen, options.tables, cv, options.repeats, store=options.store,
                      measure=sizes, verbose=1)
    if options.csv:
        results.to_csv(options.csv)
    for measure, number in ("accuracy", 3), ("n_terms", 5):
        printed = pd.read_csv(PUBLISHED / f"multitree-table{number}.csv", index_col="dataset")
        table = beside(results, measure, printed).sort_index(axis=1, level=0, sort_remaining=False)
        print(f"\n{measure}\n{table.round(1).to_string()}")
        for name in chosen:
            ours, theirs = table[name, "ours"], table[name, "printed"]
            asks = ours > 0                                    # a single leaf has no ratio
            ratio = np.exp(np.log(ours[asks] / theirs[asks]).mean())
            print(f"{name}: mean absolute difference {(ours - theirs).abs().mean():.2f}, "
                  f"mean {(ours - theirs).mean():+.2f}, ours / printed {ratio:.2f}")
    print("\nProcessor seconds a fit\n", results.table("cpu_seconds").round(2).to_string(), sep="")


if __name__ == "__main__":
    main()
