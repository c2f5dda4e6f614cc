"""Where compiled kernels are kept, and that everything works where they cannot be kept."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import swarmlit

FIT = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import numpy as np, pandas as pd
import swarmlit
assert swarmlit.__file__.startswith(sys.argv[1]), swarmlit.__file__
from swarmlit import bits
if sys.argv[3] == "one kernel":                       # compiling them all takes ten seconds
    for module in pkgutil.iter_modules(swarmlit.__path__):
        if module.name[0] != "_": importlib.import_module("swarmlit." + module.name)
    print(bits.is_compiled(bits.count_ones))
    assert bits.count_ones(bits.pack(np.arange(70) > 5)) == 64
    print(bits.count_ones.stats.cache_path, bits.is_compiled(bits.count_ones),
          sum(bits.count_ones.stats.cache_hits.values()))
    sys.exit()
from swarmlit.antminer import AntMinerClassifier, _march
X = pd.DataFrame({"x": ["a", "b"] * 20})
fitted = AntMinerClassifier(random_state=0, min_cases_per_rule=2, n_ants=20, verbose=int(sys.argv[2]))
fitted.fit(X, ["no", "yes"] * 20)
assert fitted.predict(X[:2]).tolist() == ["no", "yes"]
print(_march.stats.cache_path, bits.is_compiled(_march), sum(_march.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path):
    "A copy of the package without any kept machine code."
    source = Path(swarmlit.__file__).parent
    shutil.copytree(source, tmp_path / "lib" / "swarmlit", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "lib"


def fit(package, *, what="one kernel", verbose=0, before=(), **environment):
    "Compiles in a fresh process; a variable that is None is unset. Returns (stdout, stderr)."
    space = {k: v for k, v in (os.environ | environment).items() if v is not None}
    space.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([*before, sys.executable, "-c", FIT, str(package), str(verbose), what], capture_output=True,
                          text=True, env=space, timeout=180, cwd=package)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


def kept(package):
    return list(package.rglob("*.nbi")) + list(package.rglob("*.nbc"))


def test_kernels_are_kept_and_found_again(package):
    (before, path, after, hits), _ = fit(package)
    assert kept(package) and Path(path).is_relative_to(package)
    assert (before, after, hits) == ("False", "True", "0")
    (before, path, after, hits), _ = fit(package)
    assert (before, after) == ("True", "True") and int(hits) > 0


@pytest.mark.parametrize("word", ["0", "false", "OFF"])
def test_the_switch(package, word):
    outcome, _ = fit(package, SWARMLIT_NUMBA_CACHE=word)
    assert outcome == ["False", "None", "True", "0"] and not kept(package)


def test_no_folder_to_keep_them_in(package):
    "Neither beside the package nor in the home folder; also true for root, whom no permission stops."
    (package / "swarmlit" / "__pycache__").write_text("a file where the folder should be")
    outcome, _ = fit(package, HOME=os.devnull, XDG_CACHE_HOME=None, PYTHONDONTWRITEBYTECODE="1")
    assert outcome == ["False", "None", "True", "0"] and not kept(package)


@pytest.mark.parametrize("folder", ["beside", "named", "none", "off"])
def test_the_command_promises_only_what_is_kept(package, tmp_path, folder):
    "Later runs are faster where machine code is kept; else the variable that helps is named."
    space = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    space |= {"HOME": os.devnull, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    if folder != "beside": (package / "swarmlit" / "__pycache__").write_text("a file where the folder should be")
    if folder == "named": space["NUMBA_CACHE_DIR"] = str(tmp_path / "kept")
    if folder == "off": space["SWARMLIT_NUMBA_CACHE"] = "0"
    (tmp_path / "t.csv").write_text("x,y\n" + "a,no\nb,yes\n" * 20)
    line = [sys.executable, "-m", "swarmlit", "learn", "t.csv", "-l", "datasqueezer", "--cv", "0", "-q"]
    done = subprocess.run(line, capture_output=True, text=True, env=space, timeout=180, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("later runs are faster" in done.stdout) == (folder in ("beside", "named")), done.stdout
    assert ("NUMBA_CACHE_DIR" in done.stdout) == (folder == "none")
    assert ("SWARMLIT_NUMBA_CACHE" in done.stdout) == (folder == "off")


def without_powers(package):
    "How to run a program that permissions stop: as it is, or for root without root's powers."
    if os.geteuid() != 0: return []
    plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    probe = f"open({str(package / 'swarmlit' / 'probe')!r}, 'w')"
    try: done = subprocess.run([*plain, sys.executable, "-c", probe], capture_output=True, text=True)
    except FileNotFoundError: pytest.skip("root without setpriv can write everywhere")
    if "PermissionError" not in done.stderr: pytest.skip("root's powers cannot be dropped here")
    return plain


@pytest.mark.skipif(os.name == "nt", reason="permissions as on POSIX")
def test_read_only_installation(package):
    "Installed by another user, no home folder: imports, fits and predicts."
    folders = [package / "swarmlit", package]
    for folder in folders: folder.chmod(0o555)
    try:
        before = without_powers(package)
        (path, compiled, _), news = fit(package, what="a fit", verbose=1, before=before, HOME=os.devnull,
                                        XDG_CACHE_HOME=None)
        assert path == "None" and compiled == "True" and not kept(package)
        assert "compiling kernels for the first time" in news
    finally:
        for folder in folders: folder.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="permissions as on POSIX")
def test_read_only_installation_with_a_home(package, tmp_path):
    "Then the kernels are kept in the user's cache folder."
    home = tmp_path / "home"
    home.mkdir()
    folders = [package / "swarmlit", package]
    for folder in folders: folder.chmod(0o555)
    try:
        before = without_powers(package)
        fit(package, before=before, HOME=str(home), XDG_CACHE_HOME=None)
        assert kept(home) and not kept(package)
        (_, _, _, hits), _ = fit(package, before=before, HOME=str(home), XDG_CACHE_HOME=None)
        assert int(hits) > 0
    finally:
        for folder in folders: folder.chmod(0o755)


DAMAGE = {"cut short": lambda raw: raw[:len(raw) // 2], "empty": lambda raw: b"",
          "zeroes": lambda raw: bytes(len(raw)), "something else": lambda raw: b"\x80\x04N."}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_are_made_anew(package, damage, ending):
    "As a crash or a full disk leaves them; what is found damaged is replaced."
    fit(package)
    for path in package.rglob(f"*.{ending}"):
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
    fit(package)
    (_, _, after, hits), _ = fit(package)
    assert after == "True" and int(hits) > 0


@pytest.mark.skipif(os.name == "nt", reason="limits as on POSIX")
def test_no_room_for_them(package):
    "A disk that is full: kernels are compiled all the same."
    limited = ("import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); "
               "exec(sys.argv.pop(1))")
    done = subprocess.run([sys.executable, "-c", limited, FIT, str(package), "0", "one kernel"], text=True,
                          capture_output=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, cwd=package)
    assert done.returncode == 0, done.stderr
    assert not list(package.rglob("*.nbc"))


def test_home_unset(package):
    space = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    code = "import sys; sys.path.insert(0, sys.argv[1]); import swarmlit.antminer; print('imported')"
    done = subprocess.run([sys.executable, "-c", code, str(package)], capture_output=True, text=True, env=space,
                          cwd=package)
    assert done.stdout == "imported\n", done.stderr


SIGNATURES = """
import importlib, json, pkgutil, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from numba.core.dispatcher import Dispatcher
import swarmlit
from registry import CASES, DISCRETIZERS, REGRESSORS, make, make_discretizer, make_regressor, mixed_table
X, y = mixed_table()
tables = [X, X[["number"]].astype("float32"), pd.DataFrame({"a": np.arange(80) // 7}).astype("int8")]
for fit in [*(make(name).fit for name in CASES), *(make_discretizer(name).fit for name in DISCRETIZERS)]:
    for table, labels in zip(tables, (y, y.astype("category"), y == "yes")): fit(table, labels)
for name in REGRESSORS:
    for table in (tables[1].fillna(0), tables[2]): make_regressor(name).fit(table, table.iloc[:, 0])
found = {(module.name, name): value for module in pkgutil.iter_modules(swarmlit.__path__)
         for name, value in vars(importlib.import_module("swarmlit." + module.name)).items()
         if isinstance(value, Dispatcher)}
print(json.dumps([f"{'.'.join(place)}: {list(map(str, kernel.signatures))}"
                  for place, kernel in found.items() if len(kernel.signatures) > 1]))
"""


def test_a_kernel_is_compiled_for_one_signature():
    "Whatever types a table has: another signature would be another wait at the first fit."
    done = subprocess.run([sys.executable, "-c", SIGNATURES], capture_output=True, text=True, timeout=180,
                          cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_warmup_compiles_what_a_fit_calls():
    from registry import LEARNERS, mixed_table

    from swarmlit.data import make_table
    swarmlit.warmup()
    table = make_table(*mixed_table())
    for learner in LEARNERS.values():
        for settings in learner._warmup:
            needed = learner(**settings)._kernels(table)
            assert needed and all(kernel.signatures for kernel in needed)
