"""Compare PSOACO2Classifier with Weka's PART, fold by fold, and its optimisers with each other.

    python benchmarks/compare_psoaco.py FOLDS [--folder TABLES] [--seeds 0 1] [--set NAME=VALUE ...]
    python benchmarks/compare_psoaco.py FOLDS --optimizers

FOLDS   tab-separated: data, learner, fold, accuracy (percent), rules, terms_or_size, seconds; the
        folds are StratifiedKFold(10, shuffle=True, random_state=0) on the order of the rows
TABLES  folder with one CSV a table, for tables that do not travel with the package
--set   settings that depart from the defaults, for example --set min_true_positives=20

A term of a rule is a comparison with one value, as PART prints them: an interval counts as two.
"+" and "-" are wins and losses by the corrected resampled t-test at 5 %, where fewer rules and
fewer terms a rule are better. The paper (Holden & Freitas, 2008, table 5) counts over 27 tables:
accuracy +1, rule-set size +14, terms a rule -6.
"""
import argparse
import ast
import time
from pathlib import Path

import numpy as np
import pandas as pd
from cross_validation import cross_validate, verdict

from swarmlit.psoaco import PSOACO2Classifier

FIRST = ("iris wine glass pima heart-c heart-statlog zoo hepatitis voting breast-l tic-tac-toe "
         "credit-a vehicle ionosphere lymphography balance").split()
OTHER = ("sonar breast-w bcw credit-g ecoli haberman bupa automobile dermatology-358 hayes-roth "
         "monks-1 soybean-307 tae labor horse-colic").split()
NUMBERS = "iris wine glass pima vehicle ionosphere sonar breast-w ecoli bupa segmentation".split()
PAPER = {"accuracy": 1, "rules": 14, "terms a rule": -6}


def size(model) -> tuple[int, int]:
    """Rules, the default counted, and comparisons of a fitted classifier."""
    rules = model.rules_.all_rules
    terms = [2 if t.operator == "interval" else 1 for rule in rules for t in rule.terms]
    return len(rules), sum(terms)


def run(names, settings, seeds, folder) -> pd.DataFrame:
    """One row a (table, learner, fold), means over the seeds."""
    learners = {name: lambda seed, how=how: PSOACO2Classifier(random_state=seed, **how)
                for name, how in settings.items()}
    rows = cross_validate(learners, names, seeds, folder, size)
    rows["terms a rule"] = rows.terms / np.maximum(rows.rules - 1, 1)
    means = rows.groupby(["table", "learner", "fold"], sort=False)[
        ["accuracy", "rules", "terms a rule", "seconds"]].mean()
    return means.reset_index()


def beside_part(ours: pd.DataFrame, folds: pd.DataFrame) -> pd.DataFrame:
    """One row a table: both learners' means and the three verdicts."""
    part = folds.query("learner == 'PART'").assign(
        **{"terms a rule": lambda f: f.terms_or_size / np.maximum(f.rules - 1, 1)})
    rows = []
    for name, mine in ours.groupby("table", sort=False):
        theirs = part[part.data == name].sort_values("fold").reset_index(drop=True)
        mine = mine.sort_values("fold").reset_index(drop=True)
        row = {"table": name}
        for what in PAPER:
            row[what], row[f"PART {what}"] = mine[what].mean(), theirs[what].mean()
            row[f"({what})"] = verdict(mine[what], theirs[what], what == "accuracy")
        rows.append(row | {"ms": 1000 * mine.seconds.median()})
    return pd.DataFrame(rows)


def summary(table: pd.DataFrame, title: str) -> None:
    """Mean accuracy difference, ratio of rules, wins and losses."""
    counts = {what: (sum(table[f"({what})"] == "+"), sum(table[f"({what})"] == "-"))
              for what in PAPER}
    ratio = np.exp(np.log(table.rules / table["PART rules"]).mean())
    print(f"{title}, {len(table)} tables: accuracy "
          f"{(table.accuracy - table['PART accuracy']).mean():+.2f} points, rules {ratio:.2f} times "
          f"PART's, {table['terms a rule'].mean():.2f} terms a rule "
          f"(PART {table['PART terms a rule'].mean():.2f})")
    print("   significant wins-losses: " + ", ".join(
        f"{what} {won}-{lost} ({won - lost:+d})" for what, (won, lost) in counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folds", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--optimizers", action="store_true",
                        help="the three optimisers on tables of numbers, instead of PART")
    parser.add_argument("--brief", action="store_true", help="only the summaries")
    options = parser.parse_args()
    settings = {}
    for pair in options.set:
        name, value = pair.split("=", 1)
        try:
            settings[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[name] = value
    folds, started = pd.read_csv(options.folds, sep="\t"), time.process_time()
    if options.optimizers:
        compare_optimizers(options.tables or NUMBERS, settings, options.seeds, options.folder, folds)
    else:
        names = options.tables or FIRST + OTHER
        ours = run(names, {"PSO/ACO2": settings}, options.seeds, options.folder)
        table = beside_part(ours, folds)
        if not options.brief:
            print(table.round(2).to_string(index=False))
        for title, group in (("first", FIRST), ("other", OTHER)):
            if (chosen := table[table.table.isin(group)]).size:
                summary(chosen, title)
        summary(table, "all")
    print(f"settings {settings or 'default'}, seeds {options.seeds}, "
          f"{time.process_time() - started:.0f} s of processor time")


def compare_optimizers(names, settings, seeds, folder, folds) -> None:
    """Accuracy and rules of the optimisers, with each DE variant's verdict against PSO."""
    kinds = ("pso", "de/best/1", "de/rand-to-best/1")
    rows = run(names, {kind: settings | {"optimizer": kind} for kind in kinds}, seeds, folder)
    lines = []
    for name, of_table in rows.groupby("table", sort=False):
        by = {kind: of_table[of_table.learner == kind].sort_values("fold") for kind in kinds}
        line = {"table": name}
        for kind in kinds:
            line[kind] = by[kind].accuracy.mean()
            if kind != "pso":
                line[f"({kind})"] = verdict(by[kind].accuracy, by["pso"].accuracy)
        for kind in kinds:
            line[f"rules {kind}"] = by[kind].rules.mean()
        lines.append(line)
    table = pd.DataFrame(lines)
    print(table.round(2).to_string(index=False))
    print("means:", ", ".join(f"{kind} {table[kind].mean():.2f}" for kind in kinds))
    for kind in kinds[1:]:
        verdicts = table[f"({kind})"]
        print(f"{kind} against pso: {sum(verdicts == '+')} significant wins, "
              f"{sum(verdicts == '-')} losses, better on {sum(table[kind] > table.pso)}, worse on "
              f"{sum(table[kind] < table.pso)}")


if __name__ == "__main__":
    main()
