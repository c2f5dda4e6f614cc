"""Check that what is derived from the notebooks agrees with them.

Notebooks are clean, the library is what they export, README.md is what nbs/index.ipynb says, and
the faults of `tools/mutate.py` still have their places in the library.
Everything is made anew in a scratch folder and compared byte by byte, so uncommitted work
neither disturbs the check nor is touched by it.
"""
import shutil
import sys
import tempfile
from pathlib import Path

from execnb.nbio import read_nb
from nbdev.clean import nbdev_clean
from nbdev.config import get_config
from nbdev.doclinks import _build_modidx, nbglob
from nbdev.export import nb_export
from mutants import MUTANTS
from readme import project_readme


def differing(made: Path, kept: Path, pattern: str) -> list[str]:
    """Files below the two folders that are not the same, or exist in one of them only."""
    names = {p.relative_to(d) for d in (made, kept) for p in d.rglob(pattern)
             if not any(part.startswith(".") for part in p.relative_to(d).parts)}
    content = lambda p: p.read_bytes() if p.exists() else None
    return sorted(str(n) for n in names if content(made / n) != content(kept / n))


def unclean_notebooks(scratch: Path, cfg) -> list[str]:
    """Notebooks that nbdev_clean would change."""
    copy = scratch / "clean"
    shutil.copytree(cfg.nbs_path, copy, ignore=shutil.ignore_patterns(".*"))
    nbdev_clean(fname=str(copy))
    return differing(copy, cfg.nbs_path, "*.ipynb")


def stale_modules(scratch: Path, cfg) -> list[str]:
    """Modules that differ from what the notebooks export, in either direction."""
    nbs, lib = scratch / cfg.nbs_path.name, scratch / cfg.lib_path.name
    shutil.copytree(cfg.nbs_path, nbs, ignore=shutil.ignore_patterns(".*"))
    lib.mkdir()
    for notebook in sorted(nbglob(nbs, as_path=True)):
        nb_export(notebook, lib_path=lib)
    _build_modidx(dest=lib, nbs_path=nbs)
    for name in ("__init__.py", "__main__.py"): shutil.copy(cfg.lib_path / name, lib)  # by hand
    return differing(lib, cfg.lib_path, "*.py")


def long_beginnings(cfg) -> list[str]:
    """Notebooks whose first cell has more than a title and a line: the site would leave it out."""
    found = []
    for notebook in nbglob(cfg.nbs_path, as_path=True):
        lines = [line for line in read_nb(notebook).cells[0].source.splitlines() if line.strip()]
        if [line[:2] for line in lines] != ["# ", "> "]: found.append(notebook.name)
    return sorted(found)


def wrong_version(cfg) -> list[str]:
    line = f'__version__ = "{cfg.version}"'
    return [] if line in (cfg.lib_path / "__init__.py").read_text() else ["__init__.py"]


def stale_readme() -> list[str]:
    """README.md or its pictures, when nbs/index.ipynb has moved on."""
    path, readme = project_readme()
    wanted = {path: readme.markdown.encode()} | readme.pictures
    return [p.name for p, content in wanted.items() if not p.exists() or p.read_bytes() != content]


def lost_faults(cfg) -> list[str]:
    """Faults in tools/mutants.py whose place the library no longer has, or has more than once."""
    text = lambda module: (cfg.lib_path / f"{module}.py").read_text(encoding="utf-8")
    return [f"{m.module} ({m.kind})" for m in MUTANTS if text(m.module).count(m.old) != 1]


def main() -> int:
    cfg = get_config()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        findings = {
            "Notebooks that are not clean": unclean_notebooks(scratch, cfg),
            "Modules out of step with their notebooks": stale_modules(scratch, cfg),
            "First cell is not a title and one line that begins with >": long_beginnings(cfg),
            "Version differs from settings.ini": wrong_version(cfg),
            "Out of step with the index notebook": stale_readme(),
            "No place for faults of tools/mutants.py": lost_faults(cfg),
        }
    for what, files in findings.items():
        if files:
            print(f"{what}: {', '.join(files)}. `make sync` mends what can be made anew.",
                  file=sys.stderr)
    return int(any(findings.values()))


if __name__ == "__main__":
    sys.exit(main())
