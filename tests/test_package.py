"""The package as a whole: what an import brings with it, what the version is, what travels along."""
import json
import subprocess
import sys
from configparser import ConfigParser
from importlib import metadata
from pathlib import Path

import pytest

import swarmlit

ROOT = Path(__file__).parent.parent

# A fresh interpreter asks for every public name, then tells what else that loaded and which of
# the kernels already hold compiled code.
AFTER_IMPORT = """
import json, pkgutil, sys
import swarmlit
for name in swarmlit.__all__:
    getattr(swarmlit, name)
modules = sorted(sys.modules)
import importlib
from numba.core.dispatcher import Dispatcher
kernels = {}
for info in pkgutil.iter_modules(swarmlit.__path__):
    module = importlib.import_module(f"swarmlit.{info.name}")
    for name, value in vars(module).items():
        if isinstance(value, Dispatcher):
            kernels[f"{info.name}.{name}"] = len(value.signatures)
print(json.dumps({"modules": modules, "kernels": kernels}))
"""


@pytest.fixture(scope="module")
def after_import():
    done = subprocess.run([sys.executable, "-c", AFTER_IMPORT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("heavy", [
    "matplotlib", "nbdev", "IPython", "sqlglot", "jsonschema", "pyarrow.dataset", "typer", "tqdm",
])
def test_import_leaves_out(heavy, after_import):
    assert heavy not in after_import["modules"]


def test_import_compiles_nothing(after_import):
    kernels = after_import["kernels"]
    assert kernels, "no kernel found: the test looks in the wrong place"
    assert [name for name, compiled in kernels.items() if compiled] == []


def test_settings_are_what_is_installed():
    settings = ConfigParser()
    settings.read(ROOT / "settings.ini")
    cfg, installed = settings["DEFAULT"], metadata.metadata("swarmlit")
    assert swarmlit.__version__ == cfg["version"] == installed["Version"]
    assert installed["Requires-Python"] == ">=" + cfg["min_python"]


def test_public_names_are_there_and_documented():
    assert sorted(swarmlit.__all__) == swarmlit.__all__
    for name in swarmlit.__all__:
        assert getattr(swarmlit, name).__doc__, f"{name} has no docstring"


def test_requirements_are_ranges_without_tools():
    required = [r for r in metadata.requires("swarmlit") if "extra ==" not in r]
    assert required and not any("==" in r for r in required)
    assert not any(r.startswith(("nbdev", "pytest", "jupyterlab")) for r in required)


def test_the_readme_of_the_tests_names_every_file_of_them():
    "A reader finds there where a contract is held."
    named = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    files = [path.name for path in Path(__file__).parent.glob("*.py")]
    assert [name for name in files if f"`{name}`" not in named] == []
