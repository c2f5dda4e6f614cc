"""Sow one fault at a time and see whether the tests notice.

Each fault is a replaced piece of text in one exported module. The tests named beside it run on a
scratch copy of the project; where they pass, the chapter of the module runs too, with the same
fault in its cell. `python tools/mutate.py` runs all faults, `python tools/mutate.py bits rules`
those of two modules, and `--both` runs tests and chapter of each. The exit code is 1 if more
than `--may-live` faults pass unnoticed.
"""
import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mutants import MUTANTS

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("swarmlit", "tests", "nbs", "data", "benchmarks", "tools", "settings.ini",
          "pyproject.toml", "setup.py", "README.md")


class Outcome(NamedTuple):
    """What became of a fault."""
    kind: str
    where: str
    test: str  # the first test that failed, "" if none did
    chapter: str  # the chapter, if its run failed

    @property
    def caught_by(self) -> str:
        """Who noticed, for people."""
        chapter = f"chapter {Path(self.chapter).stem}" if self.chapter else ""
        return ", ".join(filter(None, [self.test.removeprefix("tests/"), chapter]))


def replaced(text: str, old: str, new: str, where: str) -> str:
    """The text with the fault; it must fit in exactly one place."""
    if text.count(old) != 1:
        raise SystemExit(f"{where}: {text.count(old)} places for the fault: {old}")
    return text.replace(old, new)


def chapter_of(module: str) -> Path:
    """The notebook that exports a module, from the module's own head."""
    head = (ROOT / "swarmlit" / f"{module}.py").read_text(encoding="utf-8")
    return ROOT / "nbs" / re.search(r"File to edit: \.\./nbs/(\S+\.ipynb)", head)[1]


def sow_in_chapter(path: Path, old: str, new: str) -> None:
    """The same fault in the cell that the module is exported from."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    exported = [c for c in notebook["cells"] if "".join(c["source"]).startswith("#| export")]
    found = [c for c in exported if old in "".join(c["source"])]
    if len(found) != 1:
        raise SystemExit(f"{path.name}: {len(found)} cells for the fault: {old}")
    found[0]["source"] = replaced("".join(found[0]["source"]), old, new, path.name)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def dependents(folder: Path, module: str) -> set[str]:
    """The modules whose machine code holds a module's kernels: it, and all that import it."""
    imports = {p.stem: set(re.findall(r"^\s*(?:from|import) \.?(?:swarmlit\.)?(\w+)",
                                      p.read_text(encoding="utf-8"), re.MULTILINE))
               for p in folder.glob("*.py")}
    found = {module}
    while more := {name for name, needs in imports.items() if needs & found} - found:
        found |= more
    return found


def stale_modules(folder: Path, module: str, old: str) -> set[str]:
    """The modules whose machine code holds the fault; numba's cache looks at the own file only."""
    text = (folder / f"{module}.py").read_text(encoding="utf-8")
    line = text[:text.index(old)].count("\n") + 1
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= node.end_lineno:
            if any("kernel" in ast.unparse(d) for d in node.decorator_list):
                return dependents(folder, module)
    return {module}


@contextmanager
def sown(copy: Path, mutant, where: str):
    """Inside, the module has its fault; afterwards all is as it was, machine code too."""
    path = copy / "swarmlit" / f"{mutant.module}.py"
    names = stale_modules(path.parent, mutant.module, mutant.old)
    code = lambda: [p for p in path.parent.rglob("*.nb[ic]") if p.name.split(".")[0] in names]
    kept = {p: p.read_bytes() for p in code()}
    text, times = path.read_text(encoding="utf-8"), path.stat()
    for p in kept:
        p.unlink()
    path.write_text(replaced(text, mutant.old, mutant.new, where), encoding="utf-8")
    try:
        yield
    finally:
        for p in code():
            p.unlink()
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        for p, content in kept.items():
            p.write_bytes(content)


def run(command: list, copy: Path, seconds: float, plain: bool = False) -> str:
    """What failed, on one line; "" if nothing did. A run without an end fails too.

    As plain Python, kernels need no compiling: that is sooner done for a few small tables."""
    # less optimised machine code answers the same and compiles sooner
    setting = os.environ | {"PYTHONPATH": str(copy), "CI": "1", "MPLBACKEND": "agg",
                            "NUMBA_OPT": "1", "NUMBA_DISABLE_JIT": str(int(plain)),
                            "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=setting, capture_output=True, text=True,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return ""
    if done.returncode == 5 and "pytest" in command:  # no test; some are not for plain kernels
        if not plain:
            raise SystemExit(f"no such tests: {' '.join(command[len(PYTEST):])}")
        return ""
    told = done.stdout + done.stderr
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", told, re.MULTILINE)
    if failed:
        return failed[0]
    lines = [line for line in told.splitlines() if re.match(r"\w*(Error|Exception)\b", line)]
    return " ".join((lines or told.splitlines() or ["?"])[-1].split())[:80]


PYTEST = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
          "-p", "no:benchmark", "--tb=no", "-rfE"]


def run_chapter(page: Path, copy: Path, seconds: float) -> str:
    """What failed in a chapter."""
    test = f"from nbdev.test import nbdev_test; nbdev_test(path={str(page)!r}, n_workers=0)"
    return run([sys.executable, "-c", test], copy, seconds)


def hunt(mutant, copy: Path, both: bool, seconds: float) -> Outcome:
    """Sows a fault and looks who notices."""
    text = (copy / "swarmlit" / f"{mutant.module}.py").read_text(encoding="utf-8")
    where = f"{mutant.module}.py:{text[:text.find(mutant.old)].count(chr(10)) + 1}"
    page = copy / chapter_of(mutant.module).relative_to(ROOT)
    noticed = ""
    with sown(copy, mutant, where):
        test = run([*PYTEST, *mutant.tests], copy, seconds, plain=True) or \
            run([*PYTEST, *mutant.tests], copy, seconds)
        if not test or both:
            cells = page.read_bytes()
            sow_in_chapter(page, mutant.old, mutant.new)
            noticed = run_chapter(page, copy, seconds)
            page.write_bytes(cells)
    return Outcome(mutant.kind, where, test, page.name if noticed else "")


def false_alarms(outcomes: list[Outcome], copy: Path, seconds: float) -> list[str]:
    """Tests and chapters that noticed a fault, but fail without any, too."""
    tests = {o.test.partition("[")[0] for o in outcomes if "::" in o.test}
    chapters = {o.chapter for o in outcomes if o.chapter}
    alarms = [t for t in sorted(tests) if run([*PYTEST, t], copy, seconds, plain=True)
              or run([*PYTEST, t], copy, seconds)]
    return alarms + [c for c in sorted(chapters) if run_chapter(copy / "nbs" / c, copy, seconds)]


def show(outcomes: list[Outcome]) -> str:
    """A Markdown table."""
    rows = [f"| {o.where} | {o.kind} | {o.caught_by or '**nobody**'} |" for o in outcomes]
    return "\n".join(["| where | fault | caught by |", "|---|---|---|", *rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="only faults of these modules")
    parser.add_argument("--both", action="store_true", help="tests and chapter of every fault")
    parser.add_argument("--may-live", type=int, default=0, help="faults that may pass unnoticed")
    parser.add_argument("--seconds", type=float, default=900, help="limit of one run")
    parser.add_argument("--table", type=Path, help="file for the table, else it is printed")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if not options.modules or m.module in options.modules]
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in filter(lambda n: (ROOT / n).exists(), NEEDED):
            source = ROOT / name
            if source.is_file():
                shutil.copy2(source, copy)
            else:
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for number, mutant in enumerate(chosen, 1):
            outcomes.append(hunt(mutant, copy, options.both, options.seconds))
            print(f"{number} of {len(chosen)}: {outcomes[-1].where} ({mutant.kind}): "
                  f"{outcomes[-1].caught_by or 'NOBODY'}", file=sys.stderr, flush=True)
        alarms = false_alarms(outcomes, copy, options.seconds)
    living = sum(not o.caught_by for o in outcomes)
    table = f"{show(outcomes)}\n\n{len(outcomes) - living} of {len(outcomes)} faults are caught.\n"
    if alarms:
        table += f"\nThese fail without a fault, too: {', '.join(alarms)}.\n"
    if options.table:
        options.table.write_text(table, encoding="utf-8")
    else:
        print(table)
    return int(living > options.may_live or bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
