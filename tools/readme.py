"""Write README.md from nbs/index.ipynb.

The page's code, outputs and pictures become plain Markdown as GitHub shows it. Links between
notebooks are made relative to the top of the repository, pictures are saved in nbs/images.
"""
import base64
import re
from pathlib import Path

from execnb.nbio import read_nb
from nbdev.config import get_config

DIRECTIVE = re.compile(r"^#\|\s*(.+)\n?", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)]+)\)")
FRAME = re.compile(r'<table border="1" class="dataframe">.*</table>', re.DOTALL)
NOTE = "<!-- Made from {}; edit that and run `make sync`. -->\n"


def text(lines) -> str:
    """A notebook keeps text as one string or as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def fence(body: str, language: str = "") -> str:
    return f"```{language}\n{body.strip(chr(10))}\n```"


def to_root(path: str, folder: str) -> str:
    """A link written in a notebook of `folder`, as seen from the top of the repository."""
    return path[3:] if path.startswith("../") else f"{folder}/{path}"


class Readme:
    """README.md and its pictures, both as they should be on disk."""

    def __init__(self, notebook: Path, root: Path):
        self.notebook, self.folder = notebook, notebook.parent.relative_to(root).as_posix()
        self.pictures: dict[Path, bytes] = {}
        parts = [p for cell in read_nb(notebook).cells for p in self.cell(cell)]
        source = notebook.relative_to(root).as_posix()
        self.markdown = NOTE.format(source) + "\n" + "\n\n".join(parts) + "\n"

    def cell(self, cell) -> list[str]:
        source = text(cell.source)
        if cell.cell_type == "markdown":
            return [LINK.sub(lambda m: f"]({to_root(m[1], self.folder)})", source.strip())]
        directives = {d.split()[0].rstrip(":") for d in DIRECTIVE.findall(source)}
        if cell.cell_type != "code" or directives & {"hide", "default_exp"}:
            return []
        code = [] if "echo" in directives else [fence(DIRECTIVE.sub("", source), "python")]
        return code + [o for o in map(self.output, cell.get("outputs", [])) if o]

    def output(self, output) -> str:
        if output["output_type"] == "stream":
            return fence(text(output["text"])) if output["name"] == "stdout" else ""
        data = output.get("data", {})
        if "image/png" in data:
            return self.picture(base64.b64decode(text(data["image/png"])))
        if frame := FRAME.search(text(data.get("text/html", ""))):
            return frame[0]
        if "text/markdown" in data:
            return text(data["text/markdown"]).strip()
        return fence(text(data["text/plain"])) if "text/plain" in data else ""

    def picture(self, png: bytes) -> str:
        path = self.notebook.parent / "images" / f"readme-{len(self.pictures) + 1}.png"
        self.pictures[path] = png
        return f"![]({self.folder}/images/{path.name})"


def project_readme() -> tuple[Path, Readme]:
    """Where README.md is, and what should be in it."""
    cfg = get_config()
    return cfg.config_path / "README.md", Readme(cfg.nbs_path / cfg.readme_nb, cfg.config_path)


if __name__ == "__main__":
    path, readme = project_readme()
    path.write_text(readme.markdown, encoding="utf-8")
    for picture, png in readme.pictures.items():
        picture.parent.mkdir(exist_ok=True)
        picture.write_bytes(png)
