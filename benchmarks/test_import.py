"""What the first import costs in a fresh interpreter: most of it is pandas, numba, scikit-learn."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("line", ["import swarmlit", "from swarmlit import AntMinerClassifier",
                                  "import pandas, numba, sklearn.utils.validation"])
@pytest.mark.benchmark(group="import")
def test_import(benchmark, line):
    benchmark.pedantic(subprocess.run, args=([sys.executable, "-c", line],),
                       kwargs={"check": True}, rounds=5, warmup_rounds=1)
