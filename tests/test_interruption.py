"""Ctrl-C, clocks, callbacks, and tables on which other implementations never come back."""
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from registry import (CASES, LEARNERS, LONG, check_answers, fitted_names, learners, long_fit,
                      mixed_table)

from swarmlit import load_dataset
from swarmlit.base import Threads

HERE = Path(__file__).parent

LONG_FIT = """
import os, signal, sys, threading, time
sys.path.insert(0, ".")
from registry import fitted_names, long_fit, make, mixed_table
signal.signal(signal.SIGINT, signal.default_int_handler)
name, n_jobs = sys.argv[1], int(sys.argv[2])
settings, X, y = long_fit(name)
small, labels = mixed_table()
estimator = make(name)
expected = estimator.fit(small, labels).to_text()                 # kernels are compiled now
usual = estimator.get_params()
if n_jobs > 1: settings = settings | {"n_jobs": n_jobs, "colony_size": 50}
for delay in (.002, .1, .2, .3, .5, .7):
    estimator.set_params(**settings)
    clock = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    try:                                            # on a busy machine it goes off before `start` returns
        clock.start()
        estimator.fit(X, y)
        sys.exit(f"not interrupted within {time.monotonic() - started:.1f} s")
    except KeyboardInterrupt:
        took = time.monotonic() - started
    clock.join()
    before_fit = delay < .01 and hasattr(estimator, "model_")     # it came before `fit` had begun
    assert before_fit or fitted_names(estimator) == [], fitted_names(estimator)
    assert threading.active_count() == 1, threading.enumerate()
    assert estimator.set_params(**usual).fit(small, labels).to_text() == expected
    print(f"interrupted at {delay} s, back after {took:.2f} s", flush=True)
"""


def interrupt(name, n_jobs=1):
    "Starts long fits in a process and interrupts each at another moment by a signal from outside Python."
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", LONG_FIT, name, str(n_jobs)],
                          capture_output=True, text=True, cwd=HERE, timeout=600)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr[:1500]}"
    assert done.stdout.count("interrupted at") == 6, done.stdout
    return [float(line.split()[-2]) for line in done.stdout.splitlines()]


def test_every_learner_has_a_long_fit():
    assert set(LEARNERS) <= set(LONG) <= set(CASES), "enter the learner in LONG of tests/registry.py"


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
@pytest.mark.parametrize("name", list(CASES))
def test_ctrl_c(name):
    "The estimator is unfitted and can be used again, and Python has not died on the way."
    interrupt(name)


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_ctrl_c_while_threads_work():
    assert max(interrupt("antminer", n_jobs=2)) < 10


def test_no_thread_works_on_if_ctrl_c_comes_while_it_starts(monkeypatch):
    "The pool does not know a thread yet that is just being started, so does not wait for it."
    start, others, at_work, done = threading.Thread.start, threading.active_count(), threading.Event(), []

    def interrupted(thread):
        start(thread)
        if thread.name.endswith("_1"):
            at_work.wait(60)
            raise KeyboardInterrupt

    def work(first, last):
        if first == 1:
            at_work.set()
        at_work.wait(60)                            # so that each thread has its own part
        time.sleep(.2)
        done.append((first, last))

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        with Threads(2) as threads:
            threads.share(work, 2)
    assert sorted(done) == [(0, 1), (1, 2)]
    assert threading.active_count() == others, threading.enumerate()


class Stop(Exception):
    "Something that goes wrong in a callback."


@learners("callbacks")
@pytest.mark.parametrize("problem", [KeyboardInterrupt, Stop, SystemExit, MemoryError])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_callback_raises_comes_out(learner, problem, n_jobs):
    X, y = mixed_table()
    threads = {"n_jobs": n_jobs} if hasattr(learner(), "n_jobs") else {}
    if n_jobs > 1 and not threads:
        pytest.skip("takes no n_jobs")
    estimator = learner(**threads).fit(X, y)
    expected = estimator.to_text()

    def fail(state): raise problem

    estimator.set_params(callbacks=[fail])
    with pytest.raises(problem):
        estimator.fit(X, y)
    assert fitted_names(estimator) == [] and "feature_names_in_" not in vars(estimator)
    assert estimator.get_params()["callbacks"] == [fail]
    assert estimator.set_params(callbacks=None).fit(X, y).to_text() == expected


@learners()
def test_a_fit_that_fails_leaves_the_estimator_unfitted(learner):
    X, y = mixed_table()
    estimator = learner().fit(X, y)
    expected = estimator.to_text()
    for bad_X, bad_y in ((X, y[:-1]), (X.assign(number=np.inf), y), (X, np.linspace(0, 1, len(X))), (X[:0], y[:0])):
        with pytest.raises(ValueError):
            estimator.fit(bad_X, bad_y)
        assert fitted_names(estimator) == []
        assert estimator.fit(X, y).to_text() == expected


@learners("callbacks")
def test_callbacks(learner):
    "They hear of every step in order; True ends the search with what it has; one function will do."
    X, y = mixed_table()
    heard = []
    fitted = learner(callbacks=[heard.append]).fit(X, y)
    assert heard and all(isinstance(state, dict) for state in heard)
    assert all(set(state) == set(heard[0]) for state in heard)
    steps = [tuple(state.values())[:2] for state in heard]
    assert steps == sorted(steps)
    stopped = learner(callbacks=[lambda state: True]).fit(X, y)
    check_answers(stopped, X, y)
    assert len(stopped.history_) <= len(fitted.history_)
    alone = learner(callbacks=lambda state: True).fit(X, y)
    assert alone.to_text() == stopped.to_text()


@learners("max_time")
def test_max_time(learner):
    settings, X, y = long_fit(learner.args[0])
    learner().fit(X[:60], y[:60])                                        # kernels are compiled now
    started = time.process_time()                                        # others may be busy too
    with pytest.warns(UserWarning, match="time was up .max_time=0.3 seconds"):
        fitted = learner(max_time=.3, **settings).fit(X, y)
    assert time.process_time() - started < 5
    check_answers(fitted, X, y)


@learners("max_time")
def test_time_that_is_long_enough_changes_nothing(learner):
    X, y = mixed_table()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*time was up")
        assert learner(max_time=1e6).fit(X, y).to_text() == learner().fit(X, y).to_text()


# -------------------------------------------------------------------------------- every loop has an end

def tables_on_which_loops_hang():
    rng = np.random.default_rng(0)
    words = lambda n, m, k=3: pd.DataFrame(rng.choice(list("abcdefgh")[:k], (n, m))).rename(columns=str)
    labels = lambda n, k=2: rng.choice([f"c{i}" for i in range(k)], n)
    holed = words(60, 4).mask(rng.random((60, 4)) < .6)
    rows_known = lambda known: holed.where(np.broadcast_to(known[:, None], (60, 4)))
    yield "most cells missing", holed, labels(60)
    yield "a class without a known cell", rows_known(np.arange(60) >= 30), np.repeat(["a", "b"], 30)
    yield "rows without a known cell", rows_known(np.arange(60) % 2 == 1), labels(60)
    yield "one known cell", words(60, 3).mask((np.arange(180) != 7).reshape(60, 3)), labels(60)
    yield "nothing known", words(60, 3).mask(np.ones((60, 3), bool)), labels(60)
    yield "numbers, nothing known", pd.DataFrame(np.full((60, 3), np.nan)).rename(columns=str), labels(60)
    numbers = pd.DataFrame(rng.normal(size=(60, 4))).rename(columns=str)
    yield "numbers with holes", numbers.mask(rng.random((60, 4)) < .6), labels(60, 3)
    yield "numbers and words with holes", pd.concat([holed, numbers.add_prefix("n")], axis=1), labels(60)
    yield "equal rows of two classes", pd.DataFrame({"x": ["a"] * 60}), labels(60)
    yield "equal pairs of two classes", words(30, 3).loc[np.repeat(np.arange(30), 2)], np.tile(["a", "b"], 30)
    yield "a class a row", words(60, 3), np.arange(60)
    yield "a value a row", pd.DataFrame({"x": [f"v{i}" for i in range(60)]}), labels(60)
    yield "a value a row, holes", pd.DataFrame({"x": [f"v{i}" if i % 2 else None for i in range(60)]}), labels(60)
    yield "one case against all", words(60, 3), ["a"] + ["b"] * 59
    yield "equal numbers but one", pd.DataFrame({"x": [0.0] * 59 + [1.0]}), labels(60)
    yield "neighbouring numbers", pd.DataFrame({"x": np.nextafter(1, [0, 1, 2] * 20)}), np.tile(["a", "b", "c"], 20)
    yield "two rows", words(2, 2), ["a", "b"]
    yield "parity", pd.DataFrame({c: np.arange(64) >> i & 1 for i, c in enumerate("uvwxyz")}).astype(bool), \
        [f"p{bin(i).count('1') % 2}" for i in range(64)]


HANG = list(tables_on_which_loops_hang())

EVERY_TABLE = """
import sys, warnings
sys.path.insert(0, ".")
warnings.simplefilter("ignore")
from registry import check_answers, make
from test_interruption import HANG, hard_settings
for settings in hard_settings(sys.argv[1]):
    for what, X, y in HANG:
        print(what, settings, flush=True)
        fitted = make(sys.argv[1], **settings).fit(X, y)
        check_answers(fitted, X, y)
print("done")
"""


def hard_settings(name):
    "Settings at the edge of what is allowed."
    yield {}
    name = CASES[name][0]
    if name == "antminer":
        yield dict(min_cases_per_rule=1, max_uncovered_cases=0)
        yield dict(min_cases_per_rule=1, max_uncovered_cases=0, remove="covered", accept_ties=True)
        yield dict(min_cases_per_rule=1, max_uncovered_cases=0, prune=False, n_ants=1)
        yield dict(min_cases_per_rule=1000)
        yield dict(pheromone_update="evaporation", evaporation=1.0, exploitation=1.0, quality="laplace",
                   min_cases_per_rule=1, max_uncovered_cases=0)
        yield dict(class_weight={}, colony_size=100, heuristic="none", convergence="no_improvement",
                   min_cases_per_rule=1, max_uncovered_cases=0)
    if name == "part":
        yield dict(pruning=False, min_cases=1, gain_correction=False, average_gain_filter=False)
        yield dict(confidence=1.0, min_cases=.1)
        yield dict(confidence=1e-9, min_cases=1000)
    if name == "cn2":
        for mode in ("ordered", "unordered"):
            for evaluation in ("entropy", "laplace"):
                yield dict(mode=mode, evaluation=evaluation, significance=0)
        yield dict(beam_width=1, significance=0, min_cases=.1)
        yield dict(beam_width=50, significance=.999999, min_cases=1000)
    if name == "cart":
        yield dict(min_samples_leaf=1000)
        yield dict(max_depth=1, criterion="entropy")
    if name == "c45":
        yield dict(pruning=False, min_cases=1, collapse=False, gain_correction=False, average_gain_filter=False)
        yield dict(confidence=1.0, min_cases=.1)
        yield dict(confidence=1e-9, min_cases=1000)
    if name == "psoaco":
        yield dict(max_uncovered_cases=0, min_true_positives=0, n_particles=1)
        yield dict(max_uncovered_cases=0, n_particles=2, n_iterations=0, quality="sensitivity_specificity")
        yield dict(max_uncovered_cases=0, max_uncovered_share=0, prune_on="all", laplace_k=1, topology="global",
                   disagreement="remove", order_by="uncovered", list_pruning=None)
        yield dict(max_uncovered_cases=0, nominal_part="fixed", accept_ties=False, velocity_clamp=.01, crossover=0.0,
                   list_pruning="unchanged", topology="ring")
        yield dict(rule_for_every_class=False)


@pytest.mark.parametrize("name", list(CASES))
def test_every_loop_ends(name):
    "In a process of its own, so that a loop without an end is a failure and not a test run that hangs."
    try:
        done = subprocess.run([sys.executable, "-c", EVERY_TABLE, name], capture_output=True, text=True, timeout=120,
                              cwd=HERE)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"no end on: {late.stdout.decode().splitlines()[-1]}")
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout[-200:] + done.stderr[-2000:]


@learners()
def test_warnings_are_few(learner):
    "A fit of an ordinary table with holes says nothing."
    X, y = mixed_table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner().fit(X, y).predict(X)


@learners("class_weight")
def test_cases_of_weight_zero_do_not_keep_a_search_going(learner):
    "Three classes of which only the others weigh anything; the rest is described by the default."
    X = pd.DataFrame({"a": ["a"] * 15 + [f"v{i}" for i in range(12)]})
    y = ["z"] * 15 + ["p", "q"] * 6
    model = learner(class_weight={"p": 1, "q": 1, "z": 0}).fit(X, y)
    check_answers(model, X)
    X, y = load_dataset("soybean", return_X_y=True)
    model = learner(class_weight={"cyst-nematode": 0}).fit(X, y)
    assert "cyst-nematode" not in set(model.predict(X))


@learners("class_weight")
def test_weights_of_labels_that_are_digits(learner):
    X, y = load_dataset("dermatology-358", return_X_y=True)
    assert learner(class_weight={"2": .5}).fit(X, y).score(X, y) > .5
