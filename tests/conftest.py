"""Settings that hold for all tests."""
import os
import sys
from pathlib import Path

import matplotlib
import numba
from hypothesis import HealthCheck, settings

matplotlib.use("agg")

# The first example compiles kernels, so no example has a deadline. In CI the examples are the same
# on every run: a failure there is never a matter of luck.
settings.register_profile("default", deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True,
                          print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# tests import what they share from tests/registry.py
sys.path.insert(0, str(Path(__file__).parent))

if numba.config.DISABLE_JIT:  # kernels as plain Python are slow, and few examples do for coverage
    import plain_kernels

    settings.register_profile("plain", settings.get_profile("ci"), max_examples=8)
    settings.load_profile("plain")

    def pytest_configure(config):
        if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
            os.environ.pop("NUMBA_DISABLE_JIT", None)  # processes that tests start do compile

    def pytest_collection_modifyitems(config, items):
        left_out = [i for i in items if any(word in i.nodeid for word in plain_kernels.LEFT_OUT)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [i for i in items if i not in left_out]
