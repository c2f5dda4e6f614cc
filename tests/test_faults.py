"""What the machine does to a program: no room, no right to write, little memory, other processes."""
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from registry import (CASES, LEARNERS, REGRESSORS, check_answers, discretizers, fitted_names, learners, make,
                      make_regressor, mixed_table)

from swarmlit import from_json
from swarmlit.evaluate import Store, compare, read_results

HERE = Path(__file__).parent
posix = pytest.mark.skipif(os.name == "nt", reason="limits and signals as on POSIX")


def run(code, *arguments, limit=None, timeout=240, **options):
    "Code in a process of its own, under a limit on the size of files if wanted: (exit code, stdout, stderr)."
    if limit is not None:
        code = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n{code}"
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code, *map(str, arguments)], cwd=HERE,
                          capture_output=True, text=True, timeout=timeout, **options)
    return done.returncode, done.stdout, done.stderr


# ------------------------------------------------------------------------------------ no room to write

COMMAND = "import sys\nfrom swarmlit.cli import main\nsys.argv[0] = 'swarmlit'\nmain()"


@posix
@pytest.mark.parametrize("line, kept", [
    ("learn iris --learner cart --cv 0 --save {}/old", "old"),
    ("compare iris -l cart --cv 2 --quiet --csv {}/old", "old")], ids=["model", "table"])
def test_a_full_disk_keeps_the_old_file(tmp_path, line, kept):
    make("cart").fit(*mixed_table())                    # no kernel can be kept under the limit
    old = tmp_path / kept
    old.write_text("what was there")
    code, _, news = run(COMMAND, *line.format(tmp_path).split(), limit=200)
    assert code == 1 and news.splitlines()[-1].startswith(f"swarmlit: Cannot write '{old}': File too large")
    assert "Traceback" not in news
    assert old.read_text() == "what was there" and os.listdir(tmp_path) == [kept]


EXPERIMENT = """
import sys
from sklearn.dummy import DummyClassifier
from swarmlit.evaluate import compare
try: compare({"one": DummyClassifier(), "two": DummyClassifier()}, ["iris"], cv=50, store=sys.argv[1])
except OSError as error: print(error)
"""


@posix
def test_a_full_disk_under_an_experiment(tmp_path):
    "A sentence instead of an error of the database; what the store already has stays readable."
    store = tmp_path / "runs.db"
    code, told, news = run(EXPERIMENT, store, limit=60_000)
    assert code == 0 and told.startswith(f"Cannot write to the store '{store}'") and "disk full" in told, news
    with Store(store) as left:
        assert 0 <= left.ask("SELECT count(*) FROM runs")[0][0] < 100


@posix
def test_a_full_disk_under_the_command_with_workers(tmp_path):
    "`swarmlit compare --jobs 2`: a sentence, nobody waits for a worker, and what is stored can be read."
    make("cart").fit(*mixed_table())                    # no kernel can be kept under the limit
    line = f"compare iris -l cart --cv 40 --quiet --jobs 2 --store {tmp_path / 'runs.db'}".split()
    code, _, news = run(COMMAND, *line, limit=45_000)
    assert code == 1 and "Traceback" not in news, news
    assert f"Cannot write to the store '{line[-1]}'" in news and "disk full" in news, news
    with Store(line[-1]) as left:
        assert 0 <= left.ask("SELECT count(*) FROM runs")[0][0] < 40


def test_ctrl_c_while_a_file_is_written(tmp_path, monkeypatch):
    from swarmlit.cli import write_file

    def interrupted(*args):
        raise KeyboardInterrupt
    old = tmp_path / "old"
    write_file(old, "what was there")
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(old, "new")
    assert old.read_text() == "what was there" and os.listdir(tmp_path) == ["old"]


def test_results_as_csv_replace_a_file_only_when_complete(tmp_path, monkeypatch):
    results = compare({"cart": make("cart")}, ["iris"], cv=2, repeats=1)
    path = tmp_path / "results.csv"
    results.to_csv(path)
    before = path.read_text()
    assert before == results.to_csv() and len(read_results(path).frame) == 2

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        results.to_csv(path)
    assert path.read_text() == before and os.listdir(tmp_path) == ["results.csv"]


# --------------------------------------------------------------------------------------- little memory

LITTLE = """
import json, os, resource, sys, warnings
warnings.simplefilter("ignore")
from registry import CASES, fitted_names, make, make_regressor, mixed_table
import numpy as np, pandas as pd

def deep(n): return n and max([n], key=lambda _: deep(n - 1))
deep(300)                                          # the stack is as large now as it will have to be

def little(megabytes=None):
    pages = int(open("/proc/self/statm").read().split()[0])
    room = megabytes and pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (room or resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def task(name, n):                                 # a learner, its usual table, and one with a class in each row
    numbers = pd.DataFrame({"number": np.arange(float(n)), "word": [f"v{i}" for i in range(n)]})
    if name in CASES: return make(name), mixed_table(), (numbers, np.arange(n))
    X, numbers = mixed_table(holes=False)[0][["number"]], numbers[["number"]].assign(other=1.0)
    return make_regressor(name), (X, X["number"]), (numbers, numbers["number"])

def suffer(name, n, megabytes):
    estimator, table, large = task(name, n)
    little(megabytes)
    try: estimator.fit(*large)
    except MemoryError as error: said = str(error)
    else: raise AssertionError(f"{name} was fitted; the limit is not felt")
    assert fitted_names(estimator) == [], name
    assert said.startswith(type(estimator).__name__ + " needs more memory than there is"), said
    assert f"{n:,} cases and 2 columns" in said and "Leave out columns" in said, said
    little()
    assert estimator.fit(*table).to_text() == usual[name]                       # and life goes on

tasks = json.loads(sys.argv[1])
usual = {name: task(name, 9)[0].fit(*task(name, 9)[1]).to_text() for name in tasks}   # kernels are compiled now
for name, (n, megabytes) in tasks.items():
    child = os.fork()                              # what one has freed is not there for the next
    if not child:
        suffer(name, n, megabytes)
        os._exit(0)
    if os.waitpid(child, 0)[1]: sys.exit(f"{name} did not get through")
    print(name, flush=True)
"""
FRUGAL = {"cn2": (60_000, 10), "psoaco": (60_000, 10), "multitree": (60_000, 30), "sbgp": (10**6, 30)}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory as Linux tells it")
def test_too_little_memory():
    """A sentence and a way out, not a dead process; the machine is not driven into swapping.

    For every learner: 100 MB for a table with a class in each of 7000 rows, less for the frugal."""
    tasks = {name: FRUGAL.get(name, (7000, 100)) for name in [*LEARNERS, *REGRESSORS]}
    code, told, news = run(LITTLE, json.dumps(tasks))
    assert code == 0 and told.split() == list(tasks), f"exit code {code} after {told}: {news[-1500:]}"


# ------------------------------------------------------------------------------------- other processes

def numbers_table(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    return X, X["a"] * X["b"]


def models():
    "Every learner and regressor, fitted: name -> JSON."
    found = {name: make(name).fit(*mixed_table()).to_json() for name in CASES}
    return found | {name: make_regressor(name).fit(*numbers_table()).to_json() for name in REGRESSORS}


@pytest.fixture(scope="module")
def here():
    threads = [name for name in CASES if "n_jobs" in make(name).get_params()]
    for name in threads:                               # threads have been at work before the fork
        make(name, n_jobs=2).fit(*mixed_table())
    return models()


@posix
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(here, method):
    "Forked and fresh workers learn what this process learns, also after threads were used here."
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(models).result(timeout=240) == here


@learners()
def test_two_threads_fit_one_learner_each(learner):
    "Two fits beside each other, one of which is told to stop; the other does not notice."
    X, y = mixed_table()
    expected = learner().fit(X, y).to_json()
    together = threading.Barrier(2)

    def fit(fails):
        estimator = learner()
        together.wait()
        if not fails:
            return estimator.fit(X, y).to_json()
        with pytest.raises(ValueError):
            estimator.fit(X.assign(number=np.inf), y)
        return fitted_names(estimator)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(fit, [True, False])) == [[], expected]


@discretizers()
def test_discretizers_in_threads(discretizer):
    X, y = mixed_table(150)
    expected = discretizer().fit(X, y).cut_points_["number"].tolist()
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(discretizer().fit, X, y) for _ in range(8)]
        assert all(f.result().cut_points_["number"].tolist() == expected for f in fits)


def test_a_saved_model_holds_no_code(here):
    "JSON alone, nothing that Python would run on reading; and it is read without learners or kernels."
    for name, text in here.items():
        assert text.isascii() and "__" not in text and "pickle" not in text and "eval" not in text, name
    X, _ = mixed_table()
    back = from_json(here["cart"])
    check = make("cart").fit(*mixed_table())
    assert (back.predict(X) == check.predict(X)).all()
    check_answers(check, X)
