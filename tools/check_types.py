"""Check the type hints of the library with mypy.

A method that a chapter adds with `@patch` is a function to mypy, which looks for methods in the
body of the class. So a copy of the library is checked in which each class declares the methods
that are patched onto it; messages name the lines of the library. Options go to mypy.
"""
import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

LIBRARY = Path(__file__).resolve().parent.parent / "swarmlit"


class Declared(NamedTuple):
    """An attribute that a class gets after its body."""
    owner: str  # name of the class
    name: str
    line: int
    function: str  # what the patched function is called in the copy, "" for other attributes
    shape: str  # annotation of a property
    shared: bool  # belongs to the class, so that a dataclass does not take it for a field


def owners_of(function: ast.FunctionDef) -> list[str]:
    """The classes in the annotation of `self`."""
    kinds = function.args.args[0].annotation
    return [node.id for node in ast.walk(kinds) if isinstance(node, ast.Name)] if kinds else []


def patched(tree: ast.Module):
    """Functions under `@patch`, with the keywords of the decorator."""
    for node in tree.body:
        for decorator in getattr(node, "decorator_list", []):
            call = decorator if isinstance(decorator, ast.Call) else None
            name = call.func if call else decorator
            if isinstance(name, ast.Name) and name.id == "patch":
                yield node, {k.arg for k in call.keywords} if call else set()


def declarations(tree: ast.Module) -> list[Declared]:
    """What a module adds to classes, its own and others."""
    found = []
    for function, how in patched(tree):
        for owner in owners_of(function):
            shape = ast.unparse(function.returns) if function.returns else "Any"
            alias = "" if how else f"{owner}_{function.name}"
            found.append(Declared(owner, function.name, function.lineno, alias, shape, True))
            own = function.args.args[0].arg
            found += [Declared(owner, node.attr, node.lineno, "", "Any", False)
                      for node in ast.walk(function) if isinstance(node, ast.Attribute)
                      and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == own]
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            found.append(Declared(target.value.id, target.attr, node.lineno, "", "Any", True))
    return found


def rewritten(text: str, more: list[Declared], here: list[Declared]) -> list[tuple[str, int]]:
    """The lines of a module as they are checked, each with its number in the library."""
    tree, lines = ast.parse(text), [(line, n) for n, line in enumerate(text.splitlines(), 1)]
    for function, _ in patched(tree):                    # each under a name of its own
        n = function.lineno - 1
        alias = f"{owners_of(function)[0]}_{function.name}"
        lines[n] = (re.sub(rf"def {function.name}\b", f"def {alias}", lines[n][0]), n + 1)
        for decorator in function.decorator_list:
            lines[decorator.lineno - 1] = ("", decorator.lineno)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in sorted(classes, key=lambda c: -c.lineno):
        known = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
        known |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
                  and isinstance(n.ctx, ast.Store)}
        added = {}
        for d in more:
            if d.owner == node.name and d.name not in known:
                shape = d.shape if d in here else "Any"
                if d.function:
                    shape = "Any"
                body = f"{d.name}: {f'ClassVar[{shape}]' if d.shared else shape}"
                if d.function and d in here:
                    body = f"{d.name} = {d.function}  # type: ignore[assignment]"
                added[d.name] = (f"    {body}", d.line)
        lines[node.end_lineno:node.end_lineno] = added.values()
    imports = [i for i, (line, _) in enumerate(lines) if line.startswith(("import ", "from "))]
    for i in imports[:1]:
        lines.insert(i, ("from typing import Any, ClassVar", 1))
    return lines


def main() -> int:
    trees = {p: ast.parse(p.read_text(encoding="utf-8")) for p in sorted(LIBRARY.glob("*.py"))}
    more = [d for tree in trees.values() for d in declarations(tree)]
    with tempfile.TemporaryDirectory() as folder:
        copy, numbers = Path(folder) / LIBRARY.name, {}
        copy.mkdir()
        for path, tree in trees.items():
            lines = rewritten(path.read_text(encoding="utf-8"), more, declarations(tree))
            (copy / path.name).write_text("\n".join(line for line, _ in lines), encoding="utf-8")
            numbers[path.name] = [n for _, n in lines]
        settings = LIBRARY.parent / "pyproject.toml"
        done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(settings),
                               *sys.argv[1:], LIBRARY.name], cwd=folder, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        place = re.match(rf"{LIBRARY.name}/(\w+\.py):(\d+):(.*)", line)
        if place:
            n = numbers[place[1]][int(place[2]) - 1]
            line = f"{LIBRARY.name}/{place[1]}:{n}:{place[3]}"
        print(line)
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
