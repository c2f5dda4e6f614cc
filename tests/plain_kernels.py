"""The machine instructions that kernels call, in plain Python.

With NUMBA_DISABLE_JIT=1 kernels run as the Python they are written in, line by line, so that the
lines and branches that tests reach can be counted; only numba's intrinsics have no such form.
"""
import ctypes

import numpy as np

from swarmlit import bits


def popcount(word):
    return np.uint64(int(word).bit_count())


def bits_of(number):
    return np.float64(number).view(np.int64)


def number_of(word):
    return np.int64(word).view(np.float64)


def numbers_at(address):
    return np.ctypeslib.as_array((ctypes.c_double * sbgp.BLOCK).from_address(int(address)))


def call(address, a, b, n):
    double = ctypes.c_double
    return ctypes.CFUNCTYPE(double, *[double] * int(n))(int(address))(*(float(a), float(b))[:n])


# Tests that plain Python is too slow for (many cases, long searches, many fits), or that are about
# compiling, fresh processes and clocks: they reach no line of the package that others do not.
LEFT_OUT = ("test_numba_cache", "test_interruption", "test_jupyterlab", "test_datasets",
            "test_columns", "test_seeds_and_threads", "scikit_learn_checks", "real_tables",
            "thousands", "many_values", "many_classes", "three_hundred", "large", "long", "deep",
            "j48", "published", "ctrl_c", "fresh", "max_time", "time_that_is_up", "compil",
            "own_functions", "slides_first", "better_than_chance", "parsimony", "jobs", "threads",
            "killed", "processes", "workers", "suspended", "backend", "dask", "memory",
            "every_loop", "learning_curve", "grid_search", "inside_other", "cross_validation",
            "learners_of_the_package", "rules_are_in_order")

np.seterr(over="ignore", divide="ignore", invalid="ignore")  # as machine code has it
bits.popcount = popcount  # before the other modules take it over
bits.is_compiled = lambda function: True  # plain functions need no compiling

from swarmlit import sbgp  # noqa: E402

sbgp.bits_of, sbgp.number_of, sbgp.numbers_at, sbgp._call = bits_of, number_of, numbers_at, call
