"""What symbolic regression costs: node evaluations, whole runs, and gplearn beside it in the same run.

gplearn is needed for the comparisons only: pip install gplearn
"""
import time

import numpy as np
import pytest

from swarmlit.base import Threads
from swarmlit.bits import streams
from swarmlit.data import Attribute, Schema, Table
from swarmlit.sbgp import (CONSTANT, FIRST_COLUMN, OPERATORS, SLIDES_FUNCTIONS, Evolution,
                           SwarmGPRegressor, chosen_functions)

GPLEARN = "gplearn is not installed (it is needed for this comparison only)"


def f1(x): return np.cos(x**2) + np.sin(x**2) + x**2


def points(n):
    x = np.linspace(-1, 1, n)
    return x[:, None], f1(x)


def population(n_programs, n_points, threads):
    "Random programs on F1, as a search starts with them."
    X, y = points(n_points)
    table = Table(Schema((Attribute("x", "continuous"),)), np.empty((n_points, 0), np.int32), X, y)
    world = Evolution(table, chosen_functions(SLIDES_FUNCTIONS)[0], (), np.array([4, 6, 4, 15, 300]),
                      np.array([1, .5, -4, 4, 1.0]), n_programs,
                      streams(np.random.SeedSequence(0), n_programs), 1e-5)
    world.populate(threads)
    world.score(.1, "hits", threads)
    return world


def score_all(world, threads):
    world.source[:] = -1
    world.score(.1, "hits", threads)


def gplearn_programs(world):
    "The same programs for gplearn."
    from gplearn import functions
    from gplearn._program import _Program
    from gplearn.fitness import _fitness_map
    exp = functions.make_function(function=lambda a: np.exp(np.clip(a, -700, 700)), name="exp",
                                  arity=1, wrap=False)
    theirs = {"+": functions.add2, "-": functions.sub2, "*": functions.mul2, "/": functions.div2,
              "sin": functions.sin1, "cos": functions.cos1, "exp": exp}
    names, programs = list(OPERATORS), []
    for codes, values, n in zip(*world.programs):
        nodes = [values[i] if codes[i] == CONSTANT else int(codes[i] - FIRST_COLUMN)
                 if codes[i] > CONSTANT else theirs[names[codes[i]]] for i in range(n)]
        programs.append(_Program(
            function_set=list(theirs.values()), arities={1: [], 2: []}, init_depth=(4, 6),
            init_method="half and half", n_features=1, const_range=(-5, 5),
            metric=_fitness_map["mean absolute error"], p_point_replace=.05,
            parsimony_coefficient=0, random_state=np.random.RandomState(0), program=nodes))
    return programs


@pytest.mark.parametrize("n_points", [20, 50, 101, 10_000])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.benchmark(group="sbgp: scoring 1500 random programs")
def test_scoring(benchmark, n_points, n_jobs):
    with Threads(n_jobs) as threads:
        world = population(1500, n_points, threads)
        benchmark(score_all, world, threads)
    nodes, seconds = int(world.programs[2].sum()), benchmark.stats.stats.min
    benchmark.extra_info |= {"ns_per_node_and_point": round(1e9 * seconds / nodes / n_points, 3),
                             "programs_per_second": round(1500 / seconds),
                             "mean_nodes": round(nodes / 1500, 1)}
    print(f"\n{n_points} points, {n_jobs} threads: {benchmark.extra_info}")
    assert benchmark.extra_info["ns_per_node_and_point"] <= 5


@pytest.mark.parametrize("n_points", [50, 101, 10_000])
def test_the_same_programs_in_gplearn(n_points):
    pytest.importorskip("gplearn", reason=GPLEARN)
    with Threads(1) as threads:
        world = population(300, n_points, threads)
        programs, (X, y) = gplearn_programs(world), points(n_points)
        theirs, ours = [], []
        for _ in range(3):
            started = time.process_time()
            with np.errstate(all="ignore"):
                for program in programs: program.raw_fitness(X, y, np.ones(n_points))
            theirs.append(time.process_time() - started)
            started = time.process_time()
            for _ in range(20): score_all(world, threads)
            ours.append((time.process_time() - started) / 20)
    ratio = min(theirs) / min(ours)
    print(f"\n{n_points} points: gplearn {300 / min(theirs):,.0f} programs a second, "
          f"here {300 / min(ours):,.0f}, {ratio:.0f} times as many")
    assert n_points > 1000 or ratio >= 20


@pytest.mark.parametrize("n_points", [50, 10_000])
@pytest.mark.parametrize("n_programs", [500, 1500])
@pytest.mark.parametrize("crossover", ["standard", "ant"])
@pytest.mark.benchmark(group="sbgp: 50 generations")
def test_whole_run(benchmark, n_programs, n_points, crossover):
    X, y = points(n_points)
    gp = SwarmGPRegressor(population_size=n_programs, threshold=1e-9, crossover=crossover,
                          random_state=0)
    gp.set_params(generations=1).fit(X, y)
    gp.set_params(generations=50)
    benchmark.pedantic(gp.fit, (X, y), rounds=3 if n_points < 1000 else 1)
    nodes = gp.history_.mean_nodes.sum() * n_programs
    benchmark.extra_info["mean_nodes"] = round(gp.history_.mean_nodes.mean(), 1)
    benchmark.extra_info["ns_per_node_and_point"] = round(
        1e9 * benchmark.stats.stats.min / nodes / n_points, 2)
    print(f"\n{n_programs} programs, {n_points} points, {crossover}: "
          f"{benchmark.stats.stats.min:.2f} s, {benchmark.extra_info}")


@pytest.mark.parametrize("n_programs, n_points, generations", [(500, 50, 50), (1500, 50, 50),
                                                               (500, 10_000, 5), (1500, 10_000, 3)])
@pytest.mark.slow
def test_whole_run_beside_gplearn(n_programs, n_points, generations):
    "Both with the slides' settings; time is taken per node and point, since lengths differ."
    genetic = pytest.importorskip("gplearn.genetic", reason=GPLEARN)
    from gplearn.functions import make_function
    exp = make_function(function=lambda a: np.exp(np.clip(a, -700, 700)), name="exp", arity=1,
                        wrap=False)
    X, y = points(n_points)
    theirs = genetic.SymbolicRegressor(
        population_size=n_programs, generations=generations + 1, tournament_size=7,
        init_depth=(4, 6), const_range=(-5, 5), p_crossover=.9, p_subtree_mutation=.01,
        p_hoist_mutation=0, p_point_mutation=0, parsimony_coefficient=0, stopping_criteria=-1,
        function_set=("add", "sub", "mul", "div", "sin", "cos", exp), random_state=0)
    ours = SwarmGPRegressor(population_size=n_programs, generations=1, threshold=1e-9,
                            crossover="standard", random_state=0).fit(X, y)
    ours.set_params(generations=generations)
    seconds = []
    for gp in (theirs, ours):
        started = time.process_time()
        with np.errstate(all="ignore"): gp.fit(X, y)
        seconds.append(time.process_time() - started)
    nodes = [sum(theirs.run_details_["average_length"]), ours.history_.mean_nodes.sum()]
    per_node = [1e9 * s / n / n_programs / n_points for s, n in zip(seconds, nodes)]
    print(
        f"\n{n_programs} programs, {n_points} points, {generations} generations: gplearn "
        f"{seconds[0]:.2f} s, here {seconds[1]:.3f} s, {seconds[0] / seconds[1]:.0f} times as fast; "
        f"ns per node and point {per_node[0]:.2f} and {per_node[1]:.2f}, a ratio of "
        f"{per_node[0] / per_node[1]:.0f}"
    )
    assert n_points > 1000 or per_node[0] / per_node[1] >= 20
