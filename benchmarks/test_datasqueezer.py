"""DataSqueezer: rows a second in DataReduction, whole fits from ten thousand to ten million rows, memory.

    make bench            or           pytest benchmarks/test_datasqueezer.py --benchmark-only -s

The table is a faulty LED display: 24 nominal columns, ten classes. Fits start from the encoded
table (int32 codes), as `fit` hands it on; `test_fit_from_frame` has the encoding in it. Reduction
and growth are in seconds of one core, whatever else the machine does. The table of ten million rows
needs about 2 GB.
"""
import time
import tracemalloc
from functools import cache

import numpy as np
import pytest

from swarmlit.data import Attribute, Schema, Table
from swarmlit.datasqueezer import DataSqueezerClassifier, data_reduction, led_display

SIZES = [10**4, 10**5, 10**6, 10**7]
THRESHOLDS = {"default": {}, "coarse": dict(generalization_threshold=.2, pruning_threshold=.05)}


@cache
def cells(n):
    """Codes of one byte, and the digits."""
    rows, digits = [], []
    for start in range(0, n, 10**6):
        X, y = led_display(min(10**6, n - start), seed=start)
        rows.append(X.to_numpy(np.int8))
        digits.append(y.astype(np.int32))
    return np.concatenate(rows), np.concatenate(digits)


def encoded(n):
    codes, y = cells(n)
    schema = Schema(tuple(Attribute(f"a{i}", "nominal", (False, True)) for i in range(24)))
    return Table(schema, codes.astype(np.int32), np.empty((n, 0)), y, np.arange(10), np.ones(n))


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
@pytest.mark.parametrize("must_stay", [None, 2, 12])
@pytest.mark.parametrize("n", [10**6, 10**7])
@pytest.mark.benchmark(group="datasqueezer: DataReduction of 24 columns", timer=time.process_time)
def test_reduction(benchmark, n, must_stay, dtype):
    codes = cells(n)[0].astype(dtype)
    rows, _ = benchmark.pedantic(data_reduction, (codes, must_stay), rounds=3, warmup_rounds=1)
    benchmark.extra_info["million rows a second"] = round(n / benchmark.stats.stats.min / 1e6, 1)
    benchmark.extra_info["rows left"] = len(rows)
    print(f"\n{n} rows, must_stay={must_stay}, {dtype.__name__}: {benchmark.extra_info}")


@pytest.mark.parametrize("thresholds", THRESHOLDS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.benchmark(group="datasqueezer: from encoded table to rules", timer=time.process_time)
def test_growth(benchmark, n, thresholds):
    table, learner = encoded(n), DataSqueezerClassifier(**THRESHOLDS[thresholds])
    learner._learn(encoded(1000), None)  # compiled
    fitted = benchmark.pedantic(learner._learn, (table, None), rounds=1 if n > 10**6 else 3)
    benchmark.extra_info["rules"] = len(fitted["model_"]) - 1
    print(f"\n{n} rows, {thresholds}: {benchmark.stats.stats.min:.3f} s, {benchmark.extra_info}")


@pytest.mark.benchmark(group="datasqueezer: from a frame")
@pytest.mark.parametrize("n", [10**5, 10**6])
def test_fit_from_frame(benchmark, n):
    X, y = led_display(n)
    model = benchmark.pedantic(DataSqueezerClassifier().fit, (X, y), rounds=1)
    assert len(model.rules_) > 10


@pytest.mark.parametrize("must_stay", [None, 2])
@pytest.mark.parametrize("n", [10**5, 10**6])
@pytest.mark.benchmark(group="datasqueezer: memory")
def test_memory(benchmark, n, must_stay):
    table = encoded(n)
    learner = DataSqueezerClassifier(must_stay=must_stay, pruning_threshold=.02)
    learner._learn(encoded(1000), None)

    def peak():
        tracemalloc.start()
        learner._learn(table, None)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    size = benchmark.pedantic(peak, rounds=1)
    ratio = size / table.codes.nbytes
    benchmark.extra_info["peak over encoded table"] = round(ratio, 2)
    print(f"\n{n} rows, must_stay={must_stay}: peak {ratio:.2f} times the encoded cells")
    assert ratio < 3
