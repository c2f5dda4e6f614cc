"""Repeat the slides' experiment: genetic programming with standard and with ant-colony crossover.

    python benchmarks/compare_sbgp.py table [--runs 20] [--threshold 0.1] [--out FILE]
    python benchmarks/compare_sbgp.py options [--runs 40] [--threshold 0.1] [--out FILE]

table    the slides' table: three functions, populations of 200 to 1500, both kinds of crossover
options  variants of ant-colony crossover (and controls without pheromone) against standard
         crossover on the same rows

A run ends when all 20 points in [-1, 1] are hit (no error above the threshold), after 50
generations at the latest; a run without success counts 50. Run number r has the seed FIRST + r.
Each row of the result tells the seeds, the threshold, the versions and the seconds it took.
"""
import argparse
import platform
import time
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

import swarmlit
from swarmlit.sbgp import SwarmGPRegressor

FUNCTIONS = {
    "F1": lambda x: np.cos(x**2) + np.sin(x**2) + x**2,
    "F2": lambda x: np.cos(x**2) + np.sin(x**2) + x**2 + np.cos(x) + np.sin(x),
    "F3": lambda x: np.sin(x) * (x**4 + x**3 + x**2 + x)}
PRINTED = pd.DataFrame(  # generations needed, as the slides print them
    [("F1", 1500, 6.6, 2.01, 4.35, .75, .0001), ("F1", 500, 24.73, 18.9, 6.18, 2.89, .0043),
     ("F1", 200, 37.7, 19.8, 24.4, 22.1, .1745), ("F2", 800, 27.8, 19.6, 11.6, 4.69, .0043),
     ("F3", 500, 43.1, 14.5, 28.2, 16.8, .0488)],
    columns=["function", "population", "printed GP", "printed GP sd", "printed SB-GP",
             "printed SB-GP sd", "printed p"])
STANDARD = {"crossover": "standard"}
NO_PHEROMONE = {"initial_pheromone": 1e9, "evaporation": 1.0}  # all couplings stay equal
CHILD = {"edges": "program", "cut": "child"}
OPTIONS = {
    "standard": STANDARD,
    "slides": {},
    "slides, evaporation .1": {"evaporation": .1},
    "slides, evaporation .5": {"evaporation": .5},
    "slides, evaporation .99": {"evaporation": .99},
    "slides, coupling once a program": {"deposit": "program"},
    "slides, exploitation .5": {"exploitation": .5},
    "slides, contrast 1": {"contrast": 1.0},
    "slides, contrast 2": {"contrast": 2.0},
    "control: branch, no pheromone": NO_PHEROMONE,
    "branch, child": {"cut": "child"},
    "branch, child, weak": {"cut": "child", "prefer": "weak"},
    "control: branch, child, no pheromone": {"cut": "child"} | NO_PHEROMONE,
    "program": {"edges": "program"},
    "program, contrast 1": {"edges": "program", "contrast": 1.0},
    "control: program, no pheromone": {"edges": "program"} | NO_PHEROMONE,
    "program, child": CHILD,
    "program, child, contrast 1": CHILD | {"contrast": 1.0},
    "program, child, weak": CHILD | {"prefer": "weak"},
    "program, child, weak, contrast .5": CHILD | {"prefer": "weak", "contrast": .5},
    "program, child, weak, contrast 1": CHILD | {"prefer": "weak", "contrast": 1.0},
    "program, child, weak, contrast 2": CHILD | {"prefer": "weak", "contrast": 2.0},
    "program, child, weak, contrast 1, once a program":
        CHILD | {"prefer": "weak", "contrast": 1.0, "deposit": "program"},
    "program, child, weak, contrast 1, evaporation .5":
        CHILD | {"prefer": "weak", "contrast": 1.0, "evaporation": .5},
    "control: program, child, no pheromone": CHILD | NO_PHEROMONE}


def runs(
    function: str, population: int, settings: dict, seeds: range, threshold: float
) -> pd.DataFrame:
    """One row a run: generations (50 without success), success, nodes of the population at the end."""
    x, rows = np.linspace(-1, 1, 20), []
    for seed in seeds:
        gp = SwarmGPRegressor(population_size=population, threshold=threshold, random_state=seed,
                              **settings).fit(x[:, None], FUNCTIONS[function](x))
        last = gp.history_.iloc[-1]
        rows.append((int(last.generation), gp.hits_ == 20, last.mean_nodes))
    return pd.DataFrame(rows, columns=["generations", "success", "nodes"])


def measured(function, population, option, settings, seeds, threshold) -> tuple[dict, pd.DataFrame]:
    """A row of the result, and the runs it sums up."""
    started = time.process_time()
    table = runs(function, population, settings, seeds, threshold)
    row = {"function": function, "population": population, "option": option, "runs": len(seeds),
           "mean": table.generations.mean(), "sd": table.generations.std(),
           "successes": int(table.success.sum()), "nodes": table.nodes.mean(),
           "seeds": f"{seeds.start}-{seeds.stop - 1}", "threshold": threshold,
           "cpu_seconds": time.process_time() - started}
    return row, table


def experiment(options: dict, seeds: range, threshold: float) -> pd.DataFrame:
    """All rows of the slides' table for all options; p by Welch's t against standard crossover."""
    results = []
    for function, population in PRINTED[["function", "population"]].itertuples(index=False):
        rows, first = [], None
        for option, settings in options.items():
            row, table = measured(function, population, option, settings, seeds, threshold)
            first = table if first is None else first
            row["welch_p"] = 1.0 if table is first else ttest_ind(
                table.generations, first.generations, equal_var=False).pvalue
            rows.append(row)
            print(f"{function} {population:5} {option:50} {row['mean']:6.2f} ± {row['sd']:5.2f}, "
                  f"{row['successes']} of {len(seeds)}, p {row['welch_p']:.4f}", flush=True)
        results += rows
    return pd.DataFrame(results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "options"])
    parser.add_argument("--runs", type=int, help="runs of each row (table: 20, options: 40)")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--threshold", type=float, default=.1)
    parser.add_argument("--only", nargs="+", help="some of the options; the first is compared with")
    parser.add_argument("--out", type=Path, help="CSV to write; rows are added if it exists")
    options = parser.parse_args()
    n = options.runs or {"table": 20, "options": 40}[options.what]
    chosen = {"standard": STANDARD, "slides": {}} if options.what == "table" else OPTIONS
    if options.only:
        chosen = {name: OPTIONS[name] for name in options.only}
    started = time.monotonic()
    result = experiment(chosen, range(options.first_seed, options.first_seed + n), options.threshold)
    versions = {"swarmlit": swarmlit.__version__, "numba": numba.__version__, "numpy": np.__version__,
                "python": platform.python_version()}
    result["versions"] = " ".join(f"{name} {version}" for name, version in versions.items())
    result["wall_seconds"] = round(time.monotonic() - started, 1)
    if options.out:
        old = [pd.read_csv(options.out)] if options.out.exists() else []
        pd.concat([*old, result]).to_csv(options.out, index=False, float_format="%.6g")
    means = result.pivot_table("mean", "option", ["function", "population"], sort=False)
    print("\nMean generations\n" + means.round(1).to_string())
    gap = (result[result.option == "standard"]["mean"].to_numpy() - PRINTED["printed GP"]).abs()
    if len(gap) == len(PRINTED):
        print(f"\nStandard crossover is off the printed means by {gap.mean():.2f} on average.")


if __name__ == "__main__":
    main()
