"""Look at the built site in Chromium: every page, on a desktop and on a telephone.

Measures what a reader would stumble over: a page or a line of code wider than its place, a formula
that did not come out, a picture that is missing, anything fetched from elsewhere, a script that
fails; and tries search and the switch between light and dark. With a folder as argument, pictures
of all pages are left there.
"""
import os
import shutil
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from nbdev.config import get_config

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
MEASURE = """(desktop) => {
    const found = [], room = document.documentElement.clientWidth, main = document.querySelector('main');
    const say = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' '
        + JSON.stringify(e.textContent.trim().replace(/\\s+/g, ' ').slice(0, 50));
    const scrolls = (e) => { for (; e && e !== document.body; e = e.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX)) return true; return false; };
    if (document.documentElement.scrollWidth > room + 1) {
        const out = [...main.querySelectorAll('*')].filter(
            e => e.getBoundingClientRect().right > room + 1 && !scrolls(e.parentElement));
        found.push('is wider than the window' + (out.length ? ': ' + say(out[0]) : ''));
    }
    for (const e of main.querySelectorAll('p, li, h1, h2, h3'))
        if (e.scrollWidth > e.clientWidth + 2 && e.clientWidth) found.push('text sticks out: ' + say(e));
    if (desktop) for (const e of main.querySelectorAll('pre.cell-code'))
        if (e.scrollWidth > e.clientWidth + 2 && e.clientWidth) found.push('code wider than its box: ' + say(e));
    for (const e of main.querySelectorAll('span.math')) {
        const made = e.querySelector('math');
        if (!made || made.querySelector('merror') || /\\\\[a-zA-Z]/.test(made.textContent))
            found.push('formula: ' + say(e));
        else if (made.getBoundingClientRect().width < 3) found.push('empty formula: ' + say(e));
        else if (desktop && e.scrollWidth > e.clientWidth + 2 && e.classList.contains('display'))
            found.push('wide formula: ' + say(e));
    }
    const text = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    while (text.nextNode()) {
        const node = text.currentNode;
        if (/\\$\\$|\\\\(frac|sum|tau|eta|text|left|begin)\\b/.test(node.data)
                && !node.parentElement.closest('pre, code, math, script, style'))
            found.push('formula left as text: ' + JSON.stringify(node.data.trim().slice(0, 50)));
    }
    for (const e of main.querySelectorAll('img'))
        if (e.complete && !e.naturalWidth) found.push('picture missing: ' + e.src.slice(0, 80));
    for (const e of main.querySelectorAll('.cell-output-stderr, .cell-output-error'))
        if (/Warning|WARN|Traceback/.test(e.textContent)) found.push('warning as output: ' + say(e));
    return found;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def serve(folder: Path) -> ThreadingHTTPServer:
    """The folder on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def look(page, site: Path, url: str, pictures: Path | None) -> list[str]:
    """What is wrong with the pages of the site."""
    problems, elsewhere = [], []
    page.on("request", lambda r: elsewhere.append(r.url)
            if r.url.startswith("http") and not r.url.startswith(url) else None)
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        page.goto(f"{url}/{name}")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            found = page.evaluate(MEASURE, size == "desktop")
            problems += [f"{name} ({size}): {what}" for what in dict.fromkeys(found)]
            if pictures:
                file = pictures / f"{name.removesuffix('.html').replace('/', '_')}-{size}.png"
                page.screenshot(path=file, full_page=True)
    return problems + [f"loads {link}" for link in dict.fromkeys(elsewhere)]


def try_search(page, start: str) -> list[str]:
    """A word typed into the search box finds pages."""
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["desktop"])))
    page.goto(start)
    page.locator(".smalldocs-search input").first.fill("pheromone")
    try:
        page.locator(".search-result").first.wait_for(timeout=10_000)
    except Exception:
        return [f"search finds nothing at {start.split('/')[0]}"]
    return []


def try_colours(page, start: str) -> list[str]:
    """The switch changes the colours, and the next page remembers."""
    colour = "getComputedStyle(document.body).backgroundColor"
    page.goto(start)
    before = page.evaluate(colour)
    page.locator(".quarto-color-scheme-toggle").first.click()
    page.wait_for_function(f"{colour} !== '{before}'", timeout=5_000)
    after = page.evaluate(colour)
    page.goto(start)
    return [] if page.evaluate(colour) == after else ["the choice between light and dark is forgotten"]


def main() -> int:
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        print("The site was not looked at: no Chromium or Chrome is installed.", file=sys.stderr)
        return int("CI" in os.environ)
    from playwright.sync_api import sync_playwright
    site, start = get_config().doc_path, time.monotonic()
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    server = serve(site)
    with sync_playwright() as tool:
        chrome = tool.chromium.launch(executable_path=browser, args=list(FLAGS))
        page, url = chrome.new_page(), f"http://127.0.0.1:{server.server_port}"
        problems = look(page, site, url, pictures)
        problems += try_search(page, f"{url}/index.html")
        problems += try_search(page, (site / "index.html").as_uri())
        problems += try_colours(page, f"{url}/index.html")
        chrome.close()
    server.shutdown()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(list(site.rglob('*.html')))} pages looked at in {time.monotonic() - start:.0f} s, "
          f"{len(problems)} problems")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
