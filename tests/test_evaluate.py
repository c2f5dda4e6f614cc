"""Experiments: nothing is lost in a kill, nothing is done twice, and the statistics are right."""
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import noted_experiment as noted
import swarmlit
from swarmlit import C45Classifier, evaluate, load_dataset
from swarmlit.evaluate import Store, compare, read_results

SCRIPT = Path(noted.__file__)
posix = pytest.mark.skipif(os.name == "nt", reason="processes are killed by signals")


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "log.txt"
    path.touch()
    monkeypatch.setenv("NOTED_LOG", str(path))
    return path


def start(store, jobs=1, seconds=0.0):
    "The experiment in a process of its own, at the head of a group that can be killed with it."
    env = os.environ | {"NOTED_SECONDS": str(seconds), "PYTHONPATH": str(Path(swarmlit.__path__[0]).parent)}
    return subprocess.Popen([sys.executable, SCRIPT, store, str(jobs)], env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def finish(process, timeout=120):
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out


def end(process):
    "Kills the process and its workers."
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def count(store, table="runs"):
    if not Path(store).exists():
        return 0
    with sqlite3.connect(store, timeout=60) as db:
        try:
            return db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        except sqlite3.OperationalError:                       # not made yet
            return 0


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(.01)


def notes(log):
    "The fits so far: (learner, seed, columns, fold) -> how often."
    return Counter(tuple(line.split()[:4]) for line in log.read_text().splitlines())


def stored(store):
    "The same for the runs in a store."
    folds = {}
    for name, (X, y) in noted.tables().items():
        cv = StratifiedKFold(noted.FOLDS, shuffle=True, random_state=0)
        folds[name] = [str(sum(X["row"].iloc[train])) for train, _ in cv.split(X, y)]
    with sqlite3.connect(store) as db:
        rows = db.execute("SELECT learner, seed, dataset, fold FROM runs").fetchall()
    return Counter((name, str(seed), {"one": "1", "two": "2"}[table], folds[table][fold])
                   for name, seed, table, fold in rows)


# ------------------------------------------------------------------------------- kills and sharing

@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    "The table of an experiment that nobody disturbed."
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NOTED_LOG", str(folder / "log.txt"))
        return finish(start(folder / "store.sqlite"))


@posix
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_and_started_again(tmp_path, log, whole, jobs):
    store, kills = tmp_path / "store.sqlite", (1, 9, 23) if jobs == 1 else (7, 20)
    claimed = 0
    for enough in kills:
        process = start(store, jobs, seconds=.03)
        wait_until(lambda: count(store) >= enough or process.poll() is not None)
        time.sleep(random.random() * .03)
        assert process.poll() is None, process.communicate()
        os.kill(process.pid, signal.SIGKILL)                   # only it: its workers may live on
        process.wait()
        time.sleep(.1)                                         # ... and finish what they have begun
        end(process)
        before, kept = notes(log), stored(store)
        assert count(store, "claims") <= 3 * jobs              # few runs are under way at a time
        claimed += count(store, "claims")
        assert enough <= kept.total() < noted.RUNS
        assert max(kept.values()) == 1 and kept <= before
        assert count(store) == kept.total()                    # nothing lost
    table = finish(start(store, jobs))
    assert table == whole
    assert stored(store) == notes(log) & stored(store)
    assert (notes(log) - before)[()] == 0
    again = notes(log) - stored(store)                         # begun twice: under way at a kill
    assert again.total() <= claimed
    assert not (notes(log) - before).keys() & kept.keys()      # what was stored is never begun again
    assert count(store, "claims") == count(store, "owners") == 0


@posix
def test_two_processes_share_a_store(tmp_path, log, whole):
    store = tmp_path / "store.sqlite"
    processes = [start(store, seconds=.05) for _ in range(2)]
    assert [finish(process) for process in processes] == [whole, whole]
    assert notes(log).total() == noted.RUNS and max(notes(log).values()) == 1
    workers = Counter(line.split()[-1] for line in log.read_text().splitlines())
    assert len(workers) == 2 and min(workers.values()) > noted.RUNS / 5


@posix
def test_claims_of_a_killed_process_are_released_while_others_wait(tmp_path, log, whole):
    store = tmp_path / "store.sqlite"
    slow = start(store, seconds=600)
    wait_until(lambda: count(store, "claims") == 1 and notes(log).total() == 1)
    quick = start(store)
    wait_until(lambda: count(store) == noted.RUNS - 1)
    time.sleep(.5)
    assert quick.poll() is None and count(store) == noted.RUNS - 1       # it waits for the other
    end(slow)
    assert finish(quick) == whole
    assert notes(log).total() == noted.RUNS + 1


@posix
def test_a_suspended_process_keeps_its_claims(tmp_path, log):
    store = tmp_path / "store.sqlite"
    process = start(store, seconds=600)
    try:
        wait_until(lambda: count(store, "claims") == 1)
        os.kill(process.pid, signal.SIGSTOP)
        with Store(store) as other:
            assert other.release_dead() == 0
            claimed = other.ask("SELECT key FROM claims")[0][0]
            assert other.claim(claimed) == "taken"
    finally:
        end(process)
    with Store(store) as other:
        assert other.release_dead() == 1
        assert other.claim(claimed) == "mine"


def test_silence_from_another_machine(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.db.execute("INSERT INTO owners VALUES ('far', 'elsewhere', 1, '?', ?)", (time.time(),))
        store.db.execute("INSERT INTO claims VALUES ('run', 'far')")
        assert store.release_dead() == 0
        store.db.execute("UPDATE owners SET beat = ? WHERE owner = 'far'", (time.time() - 999,))
        assert store.release_dead() == 1


def test_signs_of_life_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "BEAT", .02)
    with Store(tmp_path / "s.sqlite") as store:
        first = store.ask("SELECT beat FROM owners")[0][0]
        wait_until(lambda: store.ask("SELECT beat FROM owners")[0][0] > first, 10)


def test_ctrl_c_gives_claims_back(tmp_path, log):
    def stop(model, X, y):
        raise KeyboardInterrupt
    store = tmp_path / "s.sqlite"
    with pytest.raises(KeyboardInterrupt):
        noted.experiment(store, measure=stop)
    assert [count(store, table) for table in ("runs", "claims", "owners")] == [0, 0, 0]


# ---------------------------------------------------------------------------- the same for any way

def test_same_numbers_for_any_backend(log):
    one = noted.plain(noted.experiment())
    for backend in ("loky", "threading", "multiprocessing"):
        with joblib.parallel_config(backend, n_jobs=2):
            pd.testing.assert_frame_equal(noted.plain(noted.experiment()), one)
    pd.testing.assert_frame_equal(noted.plain(noted.experiment(n_jobs=2)), one)


def worker(model, X, y):
    return {"worker": os.getpid()}


def test_two_dask_workers(log):
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    one = noted.plain(noted.experiment(measure=worker))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  env={"NOTED_LOG": str(log)}) as cluster:
        with distributed.Client(cluster) as client:
            folder = str(Path(noted.__file__).parent)          # where workers find this module
            client.run(lambda: sys.path.insert(0, folder))
            os.environ["NOTED_SECONDS"] = ".01"
            client.run(lambda: os.environ.update(NOTED_SECONDS=".02"))
            with joblib.parallel_config("dask"):
                many = noted.plain(noted.experiment(measure=worker))
            pids = set(client.run(os.getpid).values())
    assert set(many.worker) == pids and len(pids) == 2 and os.getpid() not in pids
    pd.testing.assert_frame_equal(many.drop(columns="worker"), one.drop(columns="worker"))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_learners_of_the_package(n_jobs, tmp_path):
    settings = dict(learners=["antminer", "c45"], datasets=["weather", "labor"], cv=3, repeats=2)
    table = noted.plain(compare(**settings, n_jobs=n_jobs, store=tmp_path / "s.sqlite"))
    again = noted.plain(compare(**settings))
    pd.testing.assert_frame_equal(table, again)
    X, y = load_dataset("labor", return_X_y=True)
    for r in table[(table.dataset == "labor") & (table.learner == "antminer")].itertuples():
        pairs = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
        train, test = pairs[r.fold]
        model = swarmlit.AntMinerClassifier(random_state=r.seed).fit(X.iloc[train], y.iloc[train])
        assert r.accuracy == pytest.approx(100 * model.score(X.iloc[test], y.iloc[test]))
        assert (r.n_train, r.n_test) == (len(train), len(test))
        assert r.terms == sum(len(rule.terms) for rule in model.rules_.rules)


# ------------------------------------------------------------------------------------------ errors

class Fails(ClassifierMixin, BaseEstimator):
    "Refuses some folds, unless it is mended."

    mended = False

    def fit(self, X, y):
        if X.index[0] == 0 and not Fails.mended:
            raise RuntimeError("rows from the start\nare not to its taste")
        self.answer_ = y.iloc[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_is_recorded_and_stops_nothing(n_jobs, tmp_path):
    run = lambda **more: compare({"fails": Fails(), "c45": "c45"}, "iris", cv=5, n_jobs=n_jobs,
                                 store=tmp_path / "s.sqlite", **more)
    results = run()
    assert len(results.frame) == 10 and len(results.errors()) == 4
    assert results.errors().error.str.match(
        r"RuntimeError: rows from the start are not to its taste \(test_evaluate.py, line").all()
    assert results.by_fold()["fails"].notna().sum() == 1
    assert "(1 of 5 folds)" in results.cells().loc["iris", "fails"]
    assert results.by_fold()["c45"].notna().all()
    if n_jobs == 1:
        try:
            Fails.mended = True
            assert len(run().errors()) == 4                    # an error is an outcome, too
            assert len(run(retry_errors=True).errors()) == 0
        finally:
            Fails.mended = False


def test_bad_arguments_are_told_before_anything_runs(log):
    for arguments, words in [
            (dict(learners="c54"), "c54"), (dict(datasets="irsi"), "irsi"),
            (dict(cv=1), "choose cv from 2"), (dict(cv=51), "choose cv from 2 to 50"),
            (dict(repeats=0), "repeats"), (dict(positive={"iris": "rose"}), "rose"),
            (dict(code="git"), "code"), (dict(store="/"), "Cannot use '/' as a store")]:
        with pytest.raises((ValueError, OSError)) as caught:
            compare(**(dict(learners="c45", datasets="iris") | arguments))
        assert words in str(caught.value)


def test_not_a_store(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE plants (name)")
    with pytest.raises(ValueError, match="holds something else"):
        Store(path)
    with Store(tmp_path / "newer.sqlite") as store:
        store.ask("PRAGMA user_version = 2")
    with pytest.raises(ValueError, match="newer version"):
        Store(tmp_path / "newer.sqlite")
    with sqlite3.connect(path) as db:
        assert [r[0] for r in db.execute("SELECT name FROM sqlite_master")] == ["plants"]


# ------------------------------------------------------------------------------------- what counts

def said(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(w.message) for w in caught if issubclass(w.category, UserWarning)]


def test_stale_results_are_not_mixed(tmp_path, monkeypatch):
    X, y = load_dataset("labor", return_X_y=True)
    store = tmp_path / "s.sqlite"
    run = lambda learner=C45Classifier(), X=X, **more: compare(
        {"tree": learner}, {"labor": (X, y)}, cv=3, store=store, **more)
    assert said(run) == [] and count(store) == 3
    assert said(run) == [] and count(store) == 3
    assert said(lambda: run(C45Classifier(verbose=0))) == [] and count(store) == 3
    [settings] = said(lambda: run(C45Classifier(confidence=.1)))
    assert "3 runs" in settings and "other settings" in settings and count(store) == 6
    warned = said(lambda: run(X=X.iloc[:, :5]))
    assert any("another state of the table" in w for w in warned) and count(store) == 9
    monkeypatch.setattr(swarmlit, "__version__", "99")
    warned = said(run)
    assert any("another version" in w for w in warned) and count(store) == 12
    monkeypatch.setattr(evaluate, "code_fingerprint", lambda estimator: "other")
    assert any("another state of its source code" in w for w in said(run)) and count(store) == 12
    said(lambda: run(code="source"))
    assert count(store) == 15


def test_more_of_the_same_is_added(tmp_path, log):
    run = lambda **more: compare(noted.learners(), noted.tables(), **(dict(
        cv=3, repeats=2, store=tmp_path / "s.sqlite") | more))
    run(repeats=1)
    assert notes(log).total() == 2 * 3 * 3
    run()
    assert notes(log).total() == 2 * 3 * (2 + 2 + 1)
    few = compare({"still": noted.Still("still")}, noted.tables(), 3, 1, tmp_path / "s.sqlite")
    assert len(few.frame) == 6 and notes(log).total() == 2 * 3 * 5
    run(repeats=[1, 0])
    assert notes(log).total() == 2 * 3 * 5


def test_fingerprints_are_the_same_in_every_process():
    code = ("from swarmlit.evaluate import Experiment; "
            "print(*[r.key for r in Experiment(['antminer', 'c45'], ['weather', 'annealing'], "
            "cv=2, repeats=1).runs])")
    keys = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                           env=os.environ | {"PYTHONHASHSEED": seed}).stdout for seed in "12"]
    assert keys[0] == keys[1] and len(keys[0].split()) == 8


def test_pipelines_and_splitters():
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    results = compare({"pipe": learner, "other": DecisionTreeClassifier(max_depth=1)},
                      "iris", cv=cv, repeats=2)
    assert len(results.frame) == 2 * 2 * 6
    X, y = load_dataset("iris", return_X_y=True)
    train, test = list(cv.split(X, y))[4]
    learner.set_params(decisiontreeclassifier__random_state=1).fit(X.iloc[train], y.iloc[train])
    row = results.frame.query("learner == 'pipe' and fold == 4 and seed == 1").iloc[0]
    assert row.accuracy == pytest.approx(100 * learner.score(X.iloc[test], y.iloc[test]))
    assert results.against("pipe").t.notna().all()
    fixed = compare("c45", "iris", cv=lambda X, y: [(range(0, 150, 2), range(1, 150, 2))])
    assert fixed.frame.n_test.tolist() == [75]
    assert np.isnan(fixed.spread().iloc[0, 0]) and "±" not in fixed.cells().iloc[0, 0]


# --------------------------------------------------------------------------------------- statistics

def test_holm_is_that_of_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 30):
        p = rng.random(n)**3
        np.testing.assert_allclose(evaluate.holm(p), multitest.multipletests(p, method="holm")[1])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_flatters(p):
    adjusted = evaluate.holm(p)
    assert (adjusted >= np.array(p)).all() and (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=2, max_size=9))
def test_ranks_add_up(rows):
    table = pd.DataFrame(rows, columns=list("abcd"), dtype=float)
    ranks = evaluate.average_ranks(table)
    assert ranks.sum() == pytest.approx(10)
    reverse = evaluate.average_ranks(table, more_is_better=False)
    np.testing.assert_allclose(ranks + reverse, 5)
    told = evaluate.friedman(table)
    if (table.nunique(axis=1) > 1).any():
        assert told.chi2 == pytest.approx(stats.friedmanchisquare(*table.T.to_numpy()).statistic)
    else:
        assert np.isnan(told.chi2)


def test_rounding_noise_makes_no_rank():
    table = pd.DataFrame({"a": [.1 + .2, 1], "b": [.3, 0]})
    assert evaluate.average_ranks(table).tolist() == [1.25, 1.75]


def test_an_incomplete_table_takes_no_part_in_ranks():
    table = pd.DataFrame({"a": [1., 2, np.nan], "b": [0, 1, 99.], "c": [0, 0, 0.]})
    assert evaluate.average_ranks(table).tolist() == [1, 2.25, 2.75]
    assert evaluate.friedman(table).n_datasets == 2


# ---------------------------------------------------------------------------------------- printing

def test_odd_names_survive_every_form(tmp_path):
    X, y = load_dataset("weather", return_X_y=True)
    tree = C45Classifier()
    names = ["NA", "a|b, \"c\"", "100%_x & {y}"]
    results = compare({"l_1": tree, "null": C45Classifier(min_cases=3)}, {n: (X, y) for n in names}, cv=2)
    results.to_csv(tmp_path / "r.csv")
    back = read_results(tmp_path / "r.csv")
    assert back.datasets == names and back.learners == ["l_1", "null"]
    pd.testing.assert_frame_equal(back.table(), results.table())
    assert back.verdict() == results.verdict()
    assert "| a\\|b, \"c\" |" in results.to_markdown()
    assert {line.count("|") - line.count("\\|") for line in results.to_markdown().splitlines()} == {4}
    latex = results.to_latex()
    assert "100\\%\\_x \\& \\{y\\} & " in latex and "l\\_1" in latex
    assert results._repr_html_().count("<tr") == 1 + 3 + 1


def test_csv_and_store_turn_into_each_other(tmp_path, log):
    results = noted.experiment(tmp_path / "a.sqlite")
    results.to_csv(tmp_path / "r.csv")
    n = notes(log).total()
    read_results(tmp_path / "r.csv").to_store(tmp_path / "b.sqlite")
    again = noted.experiment(tmp_path / "b.sqlite")
    assert notes(log).total() == n
    pd.testing.assert_frame_equal(again.to_frame(), results.to_frame())
    with sqlite3.connect(tmp_path / "b.sqlite") as db:
        measures = json.loads(db.execute("SELECT measures FROM runs").fetchone()[0])
    assert set(measures) >= {"accuracy", "balanced_accuracy", "sensitivity", "specificity",
                             "fit_seconds", "predict_seconds", "cpu_seconds"}


def test_rows_say_where_they_come_from(log):
    frame = noted.experiment().to_frame()
    assert set(frame.settings) == {"Noted(name='red')", "Noted(name='blue')", "Still(name='still')"}
    assert frame.finished.str.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$").all()
    assert not frame.map(lambda cell: isinstance(cell, str) and str(Path.home()) in cell).any().any()
    assert frame.key.nunique() == len(frame) == noted.RUNS


def test_progress_says_how_long_it_will_take(log, capsys, monkeypatch):
    monkeypatch.setattr(evaluate.Progress.__init__, "__defaults__", (0, 0.0))       # every line
    noted.experiment(verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"compare: 1 of {noted.RUNS} runs"            # nothing is known of the other learners
    assert re.fullmatch(rf"compare: {noted.RUNS - 1} of {noted.RUNS} runs, about .* left", lines[-2])
    assert lines[-1] == f"compare: {noted.RUNS} runs done"
