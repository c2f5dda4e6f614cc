"""How fast formulas are computed and bred here, in gplearn, in deap and in Operon, in one run.

    python benchmarks/compare_sbgp_speed.py [--only programs runs] [--far 10] [--out FILE]

programs  the same programs, scored at 50, 101 and 10,000 points: 1500 programs as a search starts
          with them, and 1500 as it has them after 10 generations (standard crossover). Programs
          are made anew for each of the packages, which is not counted.
runs      whole searches with 500 and 1500 programs, 50 generations at 50 points and (--far) 10 at
          10,000: seven functions, tournaments of 7, crossover .9, mutation .01, and no goal that
          would end them early

Needed besides swarmlit, for this comparison only: pip install gplearn deap pyoperon. What is not
installed is left out. Everything runs on one thread; times are processor times, here and for Operon
the shortest of three (programs: of five), for gplearn and deap of one. Operon computes in single
precision, the others in double. Operon and deap only compute and compare here; gplearn and swarmlit
also keep a diary.
"""
import argparse
import operator
import platform
import random
import time
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd

from swarmlit.base import Threads
from swarmlit.bits import streams
from swarmlit.data import Attribute, Schema, Table
from swarmlit.sbgp import (CONSTANT, OPERATORS, SLIDES_FUNCTIONS, Evolution, SwarmGPRegressor,
                           chosen_functions, fitness_of)

NAMES = list(OPERATORS)


def points(n):
    x = np.linspace(-1, 1, n)
    return x[:, None], np.cos(x**2) + np.sin(x**2) + x**2


def shortest(work, times=3):
    "Processor seconds of the fastest of a few calls."
    seconds = []
    for _ in range(times):
        started = time.process_time()
        with np.errstate(all="ignore"): work()
        seconds.append(time.process_time() - started)
    return min(seconds)


# ------------------------------------------------------------------------------- the same programs

def bred(n_programs, n_points, generations, threads):
    "A population on F1."
    X, y = points(n_points)
    table = Table(Schema((Attribute("x", "continuous"),)), np.empty((n_points, 0), np.int32), X, y)
    world = Evolution(table, chosen_functions(SLIDES_FUNCTIONS)[0], (),
                      np.array([4, 6, 4, 15, 300]), np.array([1, .5, -4, 4, 1.0]), n_programs,
                      streams(np.random.SeedSequence(0), n_programs), 1e-5)
    world.populate(threads)
    for _ in range(generations):
        world.score(1e-3, "hits", threads)
        fitness = fitness_of(world.scores, world.y, "hits")
        world.breed(fitness, False, np.zeros(5), np.array([7, .9, .01]), threads)
    world.source[:] = -1
    return world


def programs_of(world):
    "Programs as lists of names, numbers and None for the column, in prefix order."
    for codes, values, n in zip(*world.programs):
        yield [float(v) if code == CONSTANT else None if code > CONSTANT else NAMES[code]
               for code, v in zip(codes[:n].tolist(), values[:n].tolist())]


def score_here(world, threads):
    def work():
        world.source[:] = -1
        world.score(.1, "hits", threads)
    work()
    return work


def limited_exp(a): return np.exp(np.clip(a, -700, 700))


def gplearn_functions():
    from gplearn import functions as f
    exp = f.make_function(function=limited_exp, name="exp", arity=1, wrap=False)
    return {"+": f.add2, "-": f.sub2, "*": f.mul2, "/": f.div2, "sin": f.sin1, "cos": f.cos1,
            "exp": exp}


def score_in_gplearn(world):
    from gplearn._program import _Program
    from gplearn.fitness import _fitness_map
    functions, (X, y) = gplearn_functions(), points(len(world.y))
    programs = [_Program(
        function_set=list(functions.values()), arities={1: [], 2: []}, init_depth=(4, 6),
        init_method="half and half", n_features=1, const_range=(-5, 5), parsimony_coefficient=0,
        metric=_fitness_map["mean absolute error"], p_point_replace=.05,
        random_state=np.random.RandomState(0),
        program=[0 if t is None else functions.get(t, t) for t in nodes])
        for nodes in programs_of(world)]
    weights = np.ones(len(y))
    return lambda: [p.raw_fitness(X, y, weights) for p in programs]


def protected(a, b):
    out = np.ones(np.broadcast_shapes(np.shape(a), np.shape(b)))
    return np.divide(a, b, out=out, where=np.asarray(b) != 0)


def deap_primitives():
    from deap import gp
    table = gp.PrimitiveSet("main", 1, "x")
    for name, function, arity in (("add", operator.add, 2), ("sub", operator.sub, 2),
                                  ("mul", operator.mul, 2), ("div", protected, 2),
                                  ("sin", np.sin, 1), ("cos", np.cos, 1), ("exp", limited_exp, 1)):
        table.addPrimitive(function, arity, name=name)
    table.addEphemeralConstant(f"whole{id(table)}", partial(random.randint, -4, 4))
    return table


def mean_error(table, x, y, tree):
    from deap import gp
    error = np.abs(gp.compile(tree, table)(x) - y).mean()
    return (error if np.isfinite(error) else 1e300,)


def score_in_deap(world):
    from deap import gp
    table, (X, y) = deap_primitives(), points(len(world.y))
    theirs = dict(zip(("+", "-", "*", "/", "sin", "cos", "exp"),
                      [p for p in table.primitives[object]]))
    column = next(t for t in table.terminals[object] if getattr(t, "conv_fct", None) is str)
    leaf = lambda t: column if t is None else gp.Terminal(t, False, object)
    trees = [gp.PrimitiveTree([theirs[t] if isinstance(t, str) else leaf(t) for t in nodes])
             for nodes in programs_of(world)]
    return lambda: [mean_error(table, X[:, 0], y, tree) for tree in trees]


def score_in_operon(world):
    import pyoperon as op
    X, y = points(len(world.y))
    data = op.Dataset(np.asfortranarray(np.c_[X, y]))
    place = data.Variables[0].Hash
    functions = {"+": op.Node.Add, "-": op.Node.Sub, "*": op.Node.Mul, "/": op.Node.Div,
                 "sin": op.Node.Sin, "cos": op.Node.Cos, "exp": op.Node.Exp}
    def leaf(t):
        node = op.Node(op.NodeType.Variable, place) if t is None else op.Node(op.NodeType.Constant)
        node.Value = 1.0 if t is None else t
        return node
    trees = [op.Tree([functions[t]() if isinstance(t, str) else leaf(t) for t in nodes[::-1]])
             .UpdateNodes() for nodes in programs_of(world)]
    out = np.empty(len(trees) * len(y), np.float32)
    return lambda: op.EvaluateTrees(trees, data, op.Range(0, len(y)), out, 1)


SCORERS = {"gplearn": score_in_gplearn, "deap": score_in_deap, "pyoperon": score_in_operon}


def compare_programs(installed, far):
    for n_points in (50, 101, 10_000):
        for generation in (0, 10):
            n = 1500
            with Threads(1) as threads:
                world = bred(n, n_points, generation, threads)
                works = {"swarmlit": score_here(world, threads)}
                works |= {name: SCORERS[name](world) for name in installed}
                for name, work in works.items():
                    seconds = shortest(work, 1 if name in ("gplearn", "deap") else 5)
                    yield {"what": "programs", "programs": n, "points": n_points,
                           "generations": generation, "package": name, "seconds": seconds,
                           "per_second": n / seconds, "nodes": world.programs[2].mean()}


# ----------------------------------------------------------------------------------- whole searches

def run_here(n, X, y, generations, crossover="standard"):
    gp = SwarmGPRegressor(population_size=n, generations=generations, threshold=1e-9,
                          fitness="hits", crossover=crossover, random_state=0)
    with np.errstate(all="ignore"): gp.fit(X, y)
    return gp.history_.mean_nodes.mean()


def run_gplearn(n, X, y, generations):
    from gplearn.genetic import SymbolicRegressor
    functions = gplearn_functions()
    gp = SymbolicRegressor(
        population_size=n, generations=generations + 1, tournament_size=7, init_depth=(4, 6),
        const_range=(-5, 5), p_crossover=.9, p_subtree_mutation=.01, p_hoist_mutation=0,
        p_point_mutation=0, parsimony_coefficient=0, stopping_criteria=-1, random_state=0,
        function_set=("add", "sub", "mul", "div", "sin", "cos", functions["exp"]))
    gp.fit(X, y)
    return np.mean(gp.run_details_["average_length"])


def run_deap(n, X, y, generations):
    from deap import algorithms, base, creator, gp, tools
    if not hasattr(creator, "Formula"):
        creator.create("Least", base.Fitness, weights=(-1.0,))
        creator.create("Formula", gp.PrimitiveTree, fitness=creator.Least)
    random.seed(0)
    table, box, lengths = deap_primitives(), base.Toolbox(), []
    box.register("expr", gp.genHalfAndHalf, pset=table, min_=4, max_=6)
    box.register("individual", tools.initIterate, creator.Formula, box.expr)
    box.register("evaluate", partial(mean_error, table, X[:, 0], y))
    box.register("select", tools.selTournament, tournsize=7)
    box.register("mate", gp.cxOnePoint)
    box.register("mutate", gp.mutUniform, expr=box.expr, pset=table)
    for step in ("mate", "mutate"):
        box.decorate(step, gp.staticLimit(operator.attrgetter("height"), 15))
        box.decorate(step, gp.staticLimit(len, 300))
    population = [box.individual() for _ in range(n)]
    count = tools.Statistics(lambda tree: lengths.append(len(tree)) or 0)
    count.register("n", len)
    algorithms.eaSimple(population, box, .9, .01, generations, stats=count, verbose=False)
    return np.mean(lengths)


def run_operon(n, X, y, generations):
    from pyoperon.sklearn import SymbolicRegressor
    gp = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,constant,variable", crossover_probability=.9,
        mutation_probability=.01, tournament_size=7, population_size=n, pool_size=n,
        generations=generations, max_evaluations=10**9, max_length=300, max_depth=15,
        initialization_max_length=50, initialization_max_depth=6, optimizer_iterations=0,
        local_search_probability=0.0, epsilon=0.0, n_threads=1, random_state=0)
    gp.fit(X, y)
    return np.nan


RUNNERS = {"gplearn": run_gplearn, "deap": run_deap, "pyoperon": run_operon}


def compare_runs(installed, far):
    for n_points, generations in ((10_000, far), (50, 50)):
        for n in (500, 1500):
            X, y = points(n_points)
            runs = {"swarmlit": run_here, "swarmlit, ants": partial(run_here, crossover="ant")}
            for name, run in (runs | {name: RUNNERS[name] for name in installed}).items():
                nodes = []
                work = lambda: nodes.append(run(n, X, y, generations))
                if name.startswith("swarmlit"): run(20, X[:50], y[:50], 1)  # compiled by now
                seconds = shortest(work, 1 if name in ("gplearn", "deap") else 3)
                done = n * (generations + 1)
                yield {"what": "runs", "programs": n, "points": n_points,
                       "generations": generations, "package": name, "seconds": seconds,
                       "per_second": done / seconds, "nodes": nodes[0]}


def known_version(package):
    "Of an installed package, else None."
    try: return version(package)
    except PackageNotFoundError: return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["programs", "runs"],
                        default=["programs", "runs"])
    parser.add_argument("--far", type=int, default=10, help="generations at 10,000 points")
    parser.add_argument("--out", type=Path, help="CSV to write")
    options = parser.parse_args()
    installed = [name for name in SCORERS if known_version(name)]
    packages = ("swarmlit", "numba", "numpy", *installed)
    versions = " ".join(f"{p} {known_version(p)}" for p in packages)
    same, rows = ("what", "programs", "points", "generations"), []
    for what in options.only:
        work = {"programs": compare_programs, "runs": compare_runs}[what]
        for row in work(installed, options.far):
            ours = next((r["seconds"] for r in rows if r["package"] == "swarmlit"
                         and all(r[key] == row[key] for key in same)), row["seconds"])
            row |= {"times_ours": row["seconds"] / ours,
                    "versions": f"{versions} python {platform.python_version()}"}
            rows.append(row)
            print(f"{row['what']:8} {row['programs']:5} programs {row['points']:6} points "
                  f"{row['generations']:3} generations {row['package']:15} {row['seconds']:9.4f} s "
                  f"{row['per_second']:10,.0f} programs/s {row['nodes']:5.1f} nodes "
                  f"{row['times_ours']:7.2f} times ours", flush=True)
            if options.out:
                pd.DataFrame(rows).to_csv(options.out, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
