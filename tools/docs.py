"""Build the site from the notebooks, with Quarto where it is installed and else with smalldocs.

The pages show the saved outputs; nothing is computed. Unlike nbdev's own site, a chapter keeps
its exported code where the prose explains it, and a name of the package in the prose leads there.
The reference of all names is made from the code (api.py). Nothing is fetched from elsewhere when a
page is read: formulas are MathML, fonts are the reader's own, and search works from a folder too.
The build fails on a broken link between pages, on a chapter that the sidebar forgot, and on a page
that needs the network.
"""
import ast
import html
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import api
import latex2mathml.converter
import nbdev.processors as processors
import nbdev.serve as serve
import yaml
from execnb.nbio import read_nb
from nbdev.config import get_config
from nbdev.doclinks import nbglob
from nbdev.process import Processor

PLUMBING = {"hide", "default_exp"}
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")      # at the top of the repository
MADE = {"api/index.md", "CHANGELOG.md"}                      # pages that are no notebooks
TOP_LINK = re.compile(r"\]\(\.\./((?:\.\./)*(?:{})\b)".format("|".join(map(re.escape, BESIDE))))
NAME = re.compile(r"(?<![\[`\w])`(\w+)(?:\(\))?`(?!`)")
FETCHED = """const r = await fetch(offset + "search.json");
      index = await r.json();"""
LOADED = """await new Promise((done, failed) => {
        const script = document.createElement("script");
        Object.assign(script, {src: offset + "search.js", onload: done, onerror: failed});
        document.head.append(script);
      });
      index = window.searchIndex;"""
DISPLAY = {"inline": "inline", "display": "block"}
# What TeX knows of spaces: none inside bars, a thin one before and after the name of a function.
SPACING = [
    (re.compile(r'<mo stretchy="false">&#x0007C;</mo>'),
     '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'),
    (re.compile(r"<m[io]>(log|ln|exp|min|max|sin|cos|tan|arg|lim)</m[io]>"
                r'(?=<mo stretchy="false">&#x00028;</mo>)'), r'<mo lspace=".17em" rspace="0">\1</mo>'),
    (re.compile(r"<m[io]>(log|ln|exp|min|max|sin|cos|tan|arg|lim)</m[io]>"),
     r'<mo lspace=".17em" rspace=".17em">\1</mo>')]
GENERATED = {"add_show_docs", "clean_show_doc", "exec_show_docs", "add_links", "insert_warning"}


def rm_plumbing(cell):
    """Leave out cells that only serve the export or the tests."""
    if cell.directives_ and cell.directives_.keys() & PLUMBING:
        del cell["source"]


def definitions(source: str) -> list[str]:
    """Public functions and classes that a cell defines; methods patched onto a class are not."""
    return [node.name for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_"
            and not any("patch" in ast.unparse(d) for d in node.decorator_list)]


@cache
def index() -> dict[str, list[str]]:
    """Where each public name is explained: page and anchor, in reading order."""
    found, nbs = {}, get_config().nbs_path
    for notebook in sorted(nbglob(as_path=True)):
        for cell in read_nb(notebook).cells:
            if cell.cell_type == "code" and re.match(r"#\|\s*export\b", cell.source):
                names = definitions(cell.source)
                page = notebook.relative_to(nbs).as_posix()
                for name in names:
                    found.setdefault(name, []).append(f"/{page}#api-{names[0]}")
    return found


def place_of(name: str, page: str) -> str | None:
    """Where a reader of a page is led by a name: the page itself, else the nearest one before it.

    A plain word such as `home` may mean anything, so it must be on the page or belong to everybody.
    """
    places = index().get(name, [])
    telling = "_" in name or name != name.lower()
    chapter = page[:1].isdigit()
    if name in importlib.import_module(get_config().lib_name).__all__:
        return places[-1] if places else None
    near = [p for p in places if telling and chapter and p[1:].partition("#")[0] <= page]
    return next((p for p in places if p.startswith(f"/{page}#")), near[-1] if near else None)


def anchor(cell):
    """Exported cells carry the first name they define, for links and for the style sheet."""
    if cell.cell_type == "code" and "export" in cell.directives_ and cell.source:
        names = definitions(cell.source) or [f"cell-{cell.idx_}"]
        cell.source = f"#| label: api-{names[0]}\n{cell.source}"


def body_of(cell) -> list[ast.stmt]:
    """Statements of a code cell; commands to the shell and magic are left out."""
    return ast.parse(re.sub(r"^[%!].*$", "", cell.source, flags=re.MULTILINE)).body


def checks(node: ast.stmt) -> bool:
    """Whether a statement only asserts something."""
    if isinstance(node, ast.For | ast.With):
        return all(map(checks, node.body))
    call = node.value if isinstance(node, ast.Expr) else None
    name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    return isinstance(node, ast.Assert) or name.startswith("test_")


class Fold(Processor):
    """Cells of imports, and of assertions without an output, start folded: the prose comes first.

    Where the prose announces the assertions with a colon, they stay open.
    """
    before = ""

    def cell(self, cell):
        announced, self.before = self.before.rstrip().endswith(":"), cell.source or ""
        if cell.cell_type != "code" or not cell.source:
            return
        body = body_of(cell)
        if body and all(isinstance(node, ast.Import | ast.ImportFrom) for node in body):
            summary = "Imports"
        elif (sum(map(checks, body)) * 2 >= len(body) > 0 and not cell.get("outputs")
              and "export" not in cell.directives_ and not announced):
            summary = "Checks"
        else:
            return
        cell.source = f"#| code-fold: true\n#| code-summary: {summary}\n{cell.source}"


def join_streams(cell):
    """What was printed in several pieces is one text; Python's warnings are left out."""
    joined = []
    for output in cell.get("outputs", []) if cell.cell_type == "code" else []:
        if "ipykernel_" in "".join(output.get("text", "")):
            continue
        last = joined[-1] if joined else {}
        if output.get("name") and output.get("name") == last.get("name"):
            last["text"] = "".join(last["text"]) + "".join(output["text"])
        else:
            joined.append(output)
    if cell.cell_type == "code":
        cell.outputs = joined


class LinkNames(Processor):
    """`load_dataset` in the prose becomes a link to the cell that defines it."""

    def cell(self, cell):
        if cell.cell_type != "markdown" or not cell.source:
            return
        page = Path(self.nb.path_).resolve().relative_to(get_config().nbs_path.resolve()).as_posix()

        def link(match):
            target = place_of(match[1], page)
            return f"[{match[0]}]({target})" if target else match[0]
        parts = re.split(r"(^```.*?^```|^#.*?$)", cell.source, flags=re.MULTILINE | re.DOTALL)
        cell.source = "".join(part if part.startswith(("```", "#")) else NAME.sub(link, part)
                              for part in parts)


def keep_file_name(cell):
    """A page is named after its notebook, not after its module."""
    if cell.cell_type == "raw":
        cell.source = re.sub(r"^output-file:.*\n", "", cell.source, flags=re.MULTILINE)


def link_beside(cell):
    """On the site the files from the top of the repository stand beside the notebooks."""
    if cell.cell_type == "markdown":
        cell.source = TOP_LINK.sub(r"](\1", cell.source)


class Chapter(processors.FilterDefaults):
    """nbdev's processors, but for the ones that replace exported code by generated tables."""

    def base_procs(self):
        kept = [p for p in super().base_procs() if p.__name__ not in GENERATED]
        kept = [rm_plumbing if p is processors.rm_export else p for p in kept]
        return kept + [anchor, join_streams, Fold, LinkNames, link_beside, keep_file_name]


def chapters() -> dict[str, tuple[str, str]]:
    """Modules in reading order, with page and title of the chapter each is exported from."""
    found = {}
    for notebook in sorted(nbglob(as_path=True)):
        cells = read_nb(notebook).cells
        code = "\n".join(c.source for c in cells if c.cell_type == "code")
        if module := re.search(r"^#\|\s*default_exp\s+(\w+)", code, re.MULTILINE):
            title = cells[0].source.splitlines()[0].lstrip("# ")
            found[module[1]] = (notebook.relative_to(get_config().nbs_path).as_posix(), title)
    return found


def unlisted(cfg) -> list[str]:
    """Notebooks without a line in the sidebar, and lines without a notebook."""
    def pages(entry):
        if isinstance(entry, str):
            return {entry}
        return set().union(*map(pages, entry.get("contents", [])))

    site = yaml.safe_load((cfg.config_path / "_quarto.yml").read_text())
    listed = pages(site["website"]["sidebar"])
    found = {p.relative_to(cfg.nbs_path).as_posix() for p in nbglob(as_path=True)} | MADE
    return [f"_quarto.yml: {name} {'has no notebook' if name in listed else 'is not in the sidebar'}"
            for name in sorted(listed ^ found)]


def formulas(site: Path) -> list[str]:
    """Write the formulas as MathML, which browsers show without a script from elsewhere.

    Returns the commands that could not be translated.
    """
    tex = re.compile(r'<span class="math (inline|display)">\\[(\[](.+?)\\[)\]]</span>([,.;:)?]*)', re.DOTALL)
    script = re.compile(r'<(?:link|script)[^>]*katex[^>]*>(?:</script>)?')

    unknown = []

    def mathml(match):
        made = latex2mathml.converter.convert(html.unescape(match[2]), display=DISPLAY[match[1]])
        unknown.extend(f"{path.name}: formula with {c}" for c in re.findall(r">(\\[A-Za-z]+)<", made))
        for pattern, better in SPACING:
            made = pattern.sub(better, made)
        long = " long" if len(re.sub(r"<[^>]+>|&#x\w+;", "", made)) > 18 else ""
        made = f'<span class="math {match[1]}{long}">{made.replace(chr(92) + "_", "_")}</span>'
        return f'<span class="together">{made}{match[3]}</span>' if match[3] else made

    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        path.write_text(script.sub("", tex.sub(mathml, page)), encoding="utf-8")
    return unknown


def wrap_outputs(site: Path):
    """Printed text may be broken at its blanks where it is not a table; tables scroll.

    In a table, cells with many words may have several lines.
    """
    words = re.compile(r"<td>(?=[^<]{31,}</td>)")
    def mark(match):
        text = html.unescape(re.sub(r"<[^>]+>", "", match[2]))
        columns = any(re.search(r"\S(?:  +)(?! *\(\d)\S", line) for line in text.splitlines())
        return match[0] if columns else f'{match[1]}<pre class="wrapped">{match[2]}</pre>'

    output = re.compile(r'(<div class="cell-output cell-output-(?:stdout|display|stderr)">\s*)<pre>(.*?)</pre>', re.DOTALL)
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        page = words.sub('<td class="words">', output.sub(mark, page))
        path.write_text(page, encoding="utf-8")


def stay_at_home(site: Path):
    """Style sheets without fonts from elsewhere, and a search that also works without a server.

    A browser does not let a page that was opened from a folder fetch a file, but it runs scripts.
    """
    for path in site.rglob("*.css"):
        style = path.read_text(encoding="utf-8")
        if "@import url(http" in style:
            path.write_text(re.sub(r"@import url\(https?:[^)]*\);", "", style), encoding="utf-8")
    index, script = site / "search.json", site / "site_libs" / "smalldocs.js"
    if index.exists() and script.exists():
        entries = index.read_text(encoding="utf-8")
        (site / "search.js").write_text(f"window.searchIndex = {entries};\n", encoding="utf-8")
        code = script.read_text(encoding="utf-8")
        script.write_text(code.replace(FETCHED, LOADED), encoding="utf-8")


class Page(HTMLParser):
    """The links a page makes, what it loads, and the anchors it offers."""

    def __init__(self, text: str):
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[k] for k in ("id", "name") if attrs.get(k)}
        self.links |= {attrs[k] for k in ("href", "src") if attrs.get(k)}
        self.loads |= {attrs[k] for k in ("src", *(["href"] if tag == "link" else [])) if attrs.get(k)}

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.loads |= set(re.findall(r"""\bfrom\s+['"](https?://[^'"]+)""", data))


def read_pages(site: Path) -> dict[Path, Page]:
    return {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}


def from_elsewhere(site: Path, pages: dict[Path, Page]) -> list[str]:
    """Pages and style sheets that load something from the network."""
    wanted = [(path, link) for path, page in pages.items() for link in page.loads
              if urlsplit(link).scheme in ("http", "https") or link.startswith("//")]
    wanted += [(path.resolve(), link) for path in site.rglob("*.css")
               for link in re.findall(r"url\(['\"]?(https?:[^)]*)", path.read_text(encoding="utf-8"))]
    return [f"{path.relative_to(site.resolve())}: loads {link}" for path, link in sorted(wanted)]


def broken_links(site: Path, pages: dict[Path, Page]) -> list[str]:
    """Links that lead to no file, or to no anchor, of the site."""
    broken = []
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            start = site.resolve() if url.path.startswith("/") else path.parent
            target = (start / unquote(url.path).lstrip("/")).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(url.fragment)
            if not target.exists():
                broken.append(f"{path.relative_to(site.resolve())}: no file for {link}")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{path.relative_to(site.resolve())}: no anchor for {link}")
    return broken


def render(cfg) -> Path:
    """Process the notebooks into _proc, render that folder, and move the site to the top."""
    work, site = cfg.config_path / "_proc", cfg.doc_path
    for folder in (work, site):
        shutil.rmtree(folder, ignore_errors=True)
    serve.FilterDefaults = Chapter
    serve.proc_nbs(n_workers=0)
    for name in BESIDE:
        shutil.copy(cfg.config_path / name, work)
    api.write(work, cfg.lib_name, chapters(), index())
    quarto = shutil.which("quarto")
    command = [quarto, "render", "--no-execute"] if quarto else [
        sys.executable, "-m", "smalldocs.cli", "render", "--quiet"]
    subprocess.run(command, cwd=work, check=True, env=os.environ | {"QUARTO_PYTHON": sys.executable})
    shutil.move(work / site.name, site)
    return site


def main() -> int:
    cfg, start = get_config(), time.monotonic()
    problems = unlisted(cfg)
    site = render(cfg)
    problems += formulas(site)
    wrap_outputs(site)
    stay_at_home(site)
    pages = read_pages(site)
    problems += broken_links(site, pages) + from_elsewhere(site, pages)
    for problem in problems:
        print(problem, file=sys.stderr)
    took = f"in {time.monotonic() - start:.0f} s"
    print(f"{len(pages)} pages in {site.name}/index.html {took}, {len(problems)} problems" if problems
          else f"{len(pages)} pages {took}, links hold: open {site.name}/index.html")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
