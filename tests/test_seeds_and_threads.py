"""The same seed gives the same model: twice, in threads, in another process, and after pickling."""
import copy
import io
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from registry import (CASES, DISCRETIZERS, LEARNERS, NO_CHANCE, REGRESSORS, discretizers, learners, make,
                      make_discretizer, make_regressor, mixed_table, takes)

HERE = Path(__file__).parent


def run(code, *arguments, **environment):
    "The output of Python code in a fresh process."
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, env=os.environ | environment, cwd=HERE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@learners()
def test_twice_in_one_process(learner):
    X, y = mixed_table()
    first = learner().fit(X, y)
    np.random.seed(3)                                     # the global seed has no part in it
    second = learner().fit(X, y)
    again = first.to_json()
    assert second.to_json() == again and first.fit(X, y).to_json() == again
    pd.testing.assert_frame_equal(first.history_, second.history_)


@learners()
def test_global_random_state_is_left_alone(learner):
    X, y = mixed_table()
    np.random.seed(5)
    expected = np.random.random(3)
    np.random.seed(5)
    learner().fit(X, y).predict(X)
    assert (np.random.random(3) == expected).all()


@learners("random_state")
def test_kinds_of_seeds(learner):
    X, y = mixed_table(150)
    texts = [learner(random_state=s).fit(X, y).to_text() for s in (7, np.int64(7), np.random.RandomState(7))]
    assert len(set(texts)) == 1
    source = np.random.RandomState(7)
    assert learner(random_state=source).fit(X, y).to_text() == texts[0]
    learner(random_state=source).fit(X, y)                 # the source has moved on; must still work
    learner(random_state=None).fit(X, y)
    histories = [learner(random_state=s).fit(X, y).history_.to_csv() for s in range(4)]
    assert len(set(histories)) > 1 or learner.args[0] in NO_CHANCE           # the seed does matter


SETTINGS = [{}, {"colony_size": 7}, {"colony_size": 64, "n_ants": 200}]


@learners("n_jobs")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_number_of_threads_does_not_matter(learner, settings):
    X, y = mixed_table(150)
    if not set(settings) <= set(learner().get_params()):
        pytest.skip("has no such parameter")
    models = [learner(n_jobs=n, **settings).fit(X, y) for n in (None, 1, 2, 4, -1)]
    assert len({m.to_json() for m in models}) == 1
    for other in models[1:]:
        pd.testing.assert_frame_equal(models[0].history_, other.history_)


@learners()
def test_fits_in_several_threads_at_once(learner):
    "Kernels release the GIL; fits beside each other must not share their memory."
    tables = [mixed_table(120, seed=s) for s in range(4)]
    fit = lambda table: learner().fit(*table).to_json()
    alone = [fit(table) for table in tables]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fit, tables * 5)) == alone * 5
    fitted = [learner().fit(*table) for table in tables]
    predict = lambda i: fitted[i % 4].predict_proba(tables[i % 4][0]).tolist()
    one_by_one = [predict(i) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(predict, range(20))) == one_by_one * 5


@learners("n_jobs")
def test_threads_within_threads(learner):
    X, y = mixed_table()
    alone = learner().fit(X, y).to_json()
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(lambda n: learner(n_jobs=n).fit(X, y).to_json(), [1, 2, 3, 2])) == {alone}


FRESH = """
import json, sys
sys.path.insert(0, ".")
from registry import CASES, make, mixed_table
print(json.dumps({name: make(name).fit(*mixed_table()).to_json() for name in CASES}))
"""


@pytest.mark.parametrize("environment", [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "NUMBA_NUM_THREADS": "1"}],
                         ids=str)
def test_fresh_process(environment):
    X, y = mixed_table()
    here = {name: make(name).fit(X, y).to_json() for name in CASES}
    assert json.loads(run(FRESH, **environment)) == here


LOAD = """
import json, pickle, sys, joblib, pandas as pd
X = pd.read_pickle(sys.argv[1])
answers = []
for path in sys.argv[2:]:
    load = joblib.load if path.endswith("joblib") else pd.read_pickle
    e = load(path)
    answers.append([e.predict(X).tolist(), e.predict_proba(X).tolist(), e.to_text(), repr(e)])
print(json.dumps(answers))
"""


def test_saved_and_loaded_in_a_fresh_process(tmp_path):
    X, y = mixed_table()
    X.to_pickle(tmp_path / "X.pkl")
    paths, expected = [], []
    for name in CASES:
        e = make(name).fit(X, y)
        for protocol in (2, pickle.HIGHEST_PROTOCOL):
            paths.append(tmp_path / f"{name}{protocol}.pkl")
            paths[-1].write_bytes(pickle.dumps(e, protocol))
        paths.append(tmp_path / f"{name}.joblib")
        joblib.dump(e, paths[-1], compress=3)
        expected += [[e.predict(X).tolist(), e.predict_proba(X).tolist(), e.to_text(), repr(e)]] * 3
    assert json.loads(run(LOAD, tmp_path / "X.pkl", *paths)) == expected


REMAINS = """
import pickle, sys
print([[expected == getattr(e, how)(X).tolist() for e in saved]
       for saved, how, X, expected in pickle.loads(sys.stdin.buffer.read())])
"""


def test_cuts_and_formulas_in_a_fresh_process():
    "Discretizers and regressors, pickled by Python and by joblib, do the same when they come back."
    X, y = mixed_table(150, holes=False)
    numbers, target = X[["number"]], X["number"] ** 2
    both = lambda e: [pickle.loads(pickle.dumps(e, 2)), joblib.load(by_joblib(e))]
    def by_joblib(e):
        file = io.BytesIO()
        joblib.dump(e, file, compress=3)
        file.seek(0)
        return file
    kept = [(both(e), "transform", numbers, e.transform(numbers).tolist())
            for e in (make_discretizer(name).fit(numbers, y) for name in DISCRETIZERS)]
    kept += [(both(e), "predict", numbers, e.predict(numbers).tolist())
             for e in (make_regressor(name).fit(numbers, target) for name in REGRESSORS)]
    done = subprocess.run([sys.executable, "-c", REMAINS], input=pickle.dumps(kept), capture_output=True,
                          timeout=120, cwd=HERE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == f"{[[True, True]] * len(kept)}\n"


@learners()
def test_copies(learner):
    X, y = mixed_table()
    fitted = learner().fit(X, y)
    for other in (copy.copy(fitted), copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted)),
                  pickle.loads(pickle.dumps(fitted.model_))):
        assert (other.predict_proba(X) == fitted.predict_proba(X)).all()
        assert other.to_text() == fitted.to_text()
    unfitted = pickle.loads(pickle.dumps(learner()))
    assert unfitted.fit(X, y).to_text() == fitted.to_text()
    size = len(pickle.dumps(fitted))
    big = learner().fit(pd.concat([X] * 50, ignore_index=True), pd.concat([y] * 50, ignore_index=True))
    assert len(pickle.dumps(big.model_)) < 50 * size                    # the cases are not kept
    assert b"numba" not in pickle.dumps(fitted)                      # nor anything that was compiled


@discretizers()
def test_copies_of_discretizers(discretizer):
    X, y = mixed_table(150)
    fitted = discretizer().fit(X[["number"]], y)
    for other in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted)), discretizer().fit(X[["number"]], y)):
        np.testing.assert_array_equal(other.transform(X[["number"]]), fitted.transform(X[["number"]]))
    assert b"numba" not in pickle.dumps(fitted)


@learners("callbacks")
def test_callbacks_do_not_change_the_model(learner):
    X, y = mixed_table()
    plain = learner().fit(X, y).to_json()
    assert learner(callbacks=[lambda state: None, lambda state: False]).fit(X, y).to_json() == plain


@learners()
def test_verbose_does_not_change_the_model(learner, capsys):
    X, y = mixed_table()
    assert learner(verbose=1).fit(X, y).to_json() == learner().fit(X, y).to_json()
    assert capsys.readouterr().out == ""                                   # news go to stderr


def test_every_random_learner_takes_a_seed_and_threads_where_ants_walk():
    for learner in (LEARNERS | REGRESSORS).values():
        assert not takes(learner, "n_jobs") or takes(learner, "random_state")
        assert learner().get_params().get("n_jobs") in (None, 1)      # a shared machine is not filled
