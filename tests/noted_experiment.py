"""A small experiment whose learner notes every fit in a file: what the tests of `compare` kill.

    python noted_experiment.py STORE [JOBS]

prints the table as CSV, without times. NOTED_LOG names the file of the notes, NOTED_SECONDS how
long a fit sleeps; neither is a setting of the learner, so that stored runs fit together.
"""
import os
import sys
import time

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

LEARNERS, FOLDS, REPEATS = ("red", "blue", "still"), 4, 3
RUNS = 2 * FOLDS * (2 * REPEATS + 1)
TIMES = ["fit_seconds", "predict_seconds", "cpu_seconds", "finished"]


class Noted(ClassifierMixin, BaseEstimator):
    "Guesses by the frequency of the classes."

    def __init__(self, name="", random_state=None):
        self.name = name
        self.random_state = random_state

    def fit(self, X, y):
        note = f"{self.name} {self.random_state} {X.shape[1]} {sum(X['row'])} {os.getpid()}\n"
        with open(os.environ["NOTED_LOG"], "a") as log:
            log.write(note)
        time.sleep(float(os.environ.get("NOTED_SECONDS", 0)))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.classes_, len(X), p=self.shares_)


class Still(Noted):
    "The same without a seed."

    def __init__(self, name=""):
        self.name = name

    random_state = 0


def tables():
    rng = np.random.default_rng(0)
    one = pd.DataFrame({"row": np.arange(40)**2})
    return {"one": (one, pd.Series(rng.choice(["a", "b"], 40))),
            "two": (one.assign(more=1.0), pd.Series(rng.choice(["a", "b", "c"], 40)))}


def learners():
    return {name: Still(name) if name == "still" else Noted(name) for name in LEARNERS}


def experiment(store=None, n_jobs=None, **more):
    from swarmlit.evaluate import compare
    return compare(learners(), tables(), FOLDS, REPEATS, store, n_jobs, **more)


def plain(results):
    "What must be the same whenever and wherever it was computed."
    return results.to_frame().drop(columns=TIMES)


if __name__ == "__main__":
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else None
    plain(experiment(sys.argv[1], jobs)).to_csv(sys.stdout, index=False)
