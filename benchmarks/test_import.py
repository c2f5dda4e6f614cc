"""What `import swarmlit` costs in a fresh interpreter: at most 1.5 s, most of it pandas and numba."""
import subprocess
import sys


def test_import(benchmark):
    benchmark.pedantic(subprocess.run, args=([sys.executable, "-c", "import swarmlit"],),
                       kwargs={"check": True}, rounds=5, warmup_rounds=1)
