"""The reference pages of the site: every public class and function, from the code itself.

One Markdown page a module, with signature, summary and parameters as their comments tell them,
and one page that lists all names. Names link to the chapter that explains them.
"""
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from fastcore.docments import docments

COMMON = ("fit", "predict", "predict_proba", "explain", "unclassified", "score", "transform", "plot",
          "to_text", "to_frame", "to_markdown", "to_html", "to_sql", "to_python", "to_json")
FIELD = re.compile(r"^    (\w+)\s*:\s*([^=#\n]+?)\s*(?:=\s*([^#\n]+?)\s*)?(?:#\s*(.*))?$", re.MULTILINE)
EMPTY = inspect.Parameter.empty


def function_of(thing):
    """The Python function behind a compiled one."""
    return getattr(thing, "py_func", None) or getattr(thing, "_defn", None) or thing


def summary(thing) -> str:
    """First paragraph of what it says about itself."""
    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return "" if text.startswith(f"{getattr(thing, '__name__', '')}(") else " ".join(text.split())


def cell(text) -> str:
    """Text in one cell of a Markdown table: no line breaks, quoted words as code."""
    line = re.sub(r":\w+:`([^`<]+?)(?: <[^`]*>)?`", r"\1", " ".join(str(text).split()))
    parts = line.replace("|", "\\|").split("`")
    if len(parts) % 2 == 0:                               # a backtick too many
        parts = ["".join(parts)]
    for i in range(0, len(parts), 2):
        quoted = re.sub(r'"([\w./+-]+)"', r"""`'\1'`""", parts[i])
        parts[i] = quoted.replace("<", "&lt;")
    return "`".join(parts)


def type_name(kind) -> str:
    if kind in (EMPTY, type(None), None):
        return ""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", kind if isinstance(kind, str) else
                  getattr(kind, "__name__", str(kind)))


class Shown:
    """A default value as it is to be read: functions by name, long ones as three dots."""

    def __init__(self, value):
        self.value = value.value if isinstance(value, Enum) else value

    def __repr__(self):
        name = getattr(self.value, "__name__", "") if callable(self.value) else ""
        text = name if name and "<" not in name else repr(self.value)
        return "..." if " at 0x" in text or len(text) > 60 else text


def default(value) -> str:
    return "" if value is EMPTY else repr(Shown(value))


def signature(name: str, thing) -> str:
    """Name and parameters without their types, at most 88 characters a line."""
    try:
        found = inspect.signature(function_of(thing)).parameters.values()
    except (TypeError, ValueError):
        return name
    bare = [p.replace(annotation=EMPTY, default=EMPTY if p.default is EMPTY else Shown(p.default))
            for p in found if p.name != "self"]
    shown = map(str, bare)
    return "\n".join(textwrap.wrap(f"{name}({', '.join(shown)})", 88, break_long_words=False,
                                   subsequent_indent=" " * 4, break_on_hyphens=False))


def fields(thing) -> dict:
    """Fields of a named tuple or a dataclass with the comments beside them."""
    try:
        found = FIELD.findall(inspect.getsource(thing))
    except (OSError, TypeError):
        return {}
    return {name: {"anno": anno, "default": value, "docment": note}
            for name, anno, value, note in found}


def parameters(thing) -> tuple[dict, dict]:
    """What goes in, by name, and what comes back."""
    if inspect.isclass(thing) and (hasattr(thing, "_fields") or hasattr(thing, "__dataclass_fields__")):
        return fields(thing), {}
    try:
        found = docments(function_of(thing), full=True, returns=True)
    except (TypeError, ValueError, OSError, AttributeError):
        return {}, {}
    back = found.pop("return", {})
    kept = {name: dict(p) | {"default": default(p["default"])} for name, p in found.items()
            if name not in ("self", "cls")}
    return kept, {} if inspect.isclass(thing) else back


def told(p: dict) -> str:
    """What a parameter is, its type behind it."""
    kind = cell(type_name(p["anno"]))
    return f"{cell(p['docment'] or '')} {f'*({kind})*' if kind else ''}".strip()


def parameter_table(thing) -> list[str]:
    into, back = parameters(thing)
    rows = []
    for name, p in into.items():
        written = f"{name}={p['default']}" if p["default"] else name
        rows.append(f"| {cell(f'`{written}`')} | {told(p)} |")
    if back and (back["docment"] or type_name(back["anno"])):
        rows.append(f"| returns | {told(back)} |")
    return ["\n".join(["| parameter | what it is |", "|---|---|", *rows])] if rows else []


def public_methods(thing) -> dict[str, Callable]:
    """Methods a class defines itself, and for estimators those that everybody calls."""
    own = {name: getattr(thing, name) for name, value in vars(thing).items()
           if name[0] != "_" and callable(value)}
    own |= {name: getattr(thing, name) for name, value in vars(thing).items()
            if isinstance(value, classmethod | staticmethod) and name[0] != "_"}
    common = {name: getattr(thing, name) for name in COMMON
              if hasattr(thing, "get_params") and callable(getattr(thing, name, None))}
    return {name: own.get(name) or common[name] for name in [*own, *(common.keys() - own.keys())]}


def method_table(thing) -> list[str]:
    rows = [f"| {cell(f'`{signature(name, method)}`')} | {cell(summary(method))} |"
            for name, method in sorted(public_methods(thing).items())]
    return ["\n".join(["| method | what it does |", "|---|---|", *rows])] if rows else []


def entry(name: str, thing, explained: str | None) -> str:
    """Everything about one name."""
    parts = [f"## {name} {{#{name}}}", f"```python\n{signature(name, thing)}\n```", summary(thing)]
    parts += parameter_table(thing)
    if inspect.isclass(thing):
        parts += method_table(thing)
    parts += [f"[Where the book explains it]({explained})"] if explained else []
    return "\n\n".join(filter(None, parts))


def public_names(module) -> list[str]:
    """Classes and functions of a module in the order of the book; constants are left out."""
    return [name for name in getattr(module, "__all__", [])
            if name[0] != "_" and callable(function_of(getattr(module, name)))
            and not isinstance(getattr(module, name), type(list[int]))]


def write(folder: Path, package: str, chapters: dict[str, tuple[str, str]], places: dict[str, list[str]]):
    """Write the pages into `folder`/api.

    `chapters`: module to page and title, in reading order. `places`: where a name is explained.
    """
    made = folder / "api"
    made.mkdir(exist_ok=True)
    top = importlib.import_module(package)
    rows = {}
    listing = []
    for module_name, (page, title) in chapters.items():
        module = importlib.import_module(f"{package}.{module_name}")
        names = public_names(module)
        if not names:
            continue
        head = (f"# {package}.{module_name}\n\nThe names of the chapter [{title}](../{page}). "
                f"[All names](index.md)")
        here = {n: next((f"..{p}" for p in places.get(n, []) if p.startswith(f"/{page}#")), None)
                for n in names}
        entries = [entry(n, getattr(module, n), here[n]) for n in names]
        (made / f"{module_name}.md").write_text("\n\n".join([head, *entries]) + "\n", encoding="utf-8")
        rows |= {n: f"| [`{n}`]({module_name}.md#{n}) | {cell(summary(getattr(module, n)))} | "
                    f"[{title}](../{page}) |"
                 for n in names if n in top.__all__ and getattr(top, n) is getattr(module, n)}
        listing += [f"## {package}.{module_name}", f"Chapter: [{title}](../{page})",
                    "\n".join(["| name | what it is |", "|---|---|"] + [
                        f"| [`{n}`]({module_name}.md#{n}) | {cell(summary(getattr(module, n)))} |"
                        for n in names])]
    intro = [f"# API\n\n> Every public class and function, one page a module.\n\n"
             f"## {package}\n\nWhat most people need can be imported from `{package}` itself.",
             "\n".join(["| name | what it is | chapter |", "|---|---|---|",
                        *(rows[n] for n in top.__all__ if n in rows)]),
             "The rest is in modules, one for each chapter."]
    (made / "index.md").write_text("\n\n".join(intro + listing) + "\n", encoding="utf-8")
