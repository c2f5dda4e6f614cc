"""JupyterLab in a real browser: a notebook runs from the top, and models show themselves.

A browser must be installed (Chromium or Chrome); where the variable CI is set, it is an error if
none is there, and nothing is skipped."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
PATIENCE = 240_000                                # milliseconds, for a machine that is busy

TEXT_ERROR = "application/vnd.jupyter.error"
STATE = """() => {
    const cells = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')];
    const prompts = cells.map(c => c.querySelector('.jp-InputPrompt').textContent);
    const empty = cells.map(c => !c.querySelector('.cm-content').textContent.trim());
    return {errors: document.querySelectorAll('[data-mime-type="%s"]').length,
            begun: prompts.some(p => /[\\d*]/.test(p)),
            left: prompts.filter((p, i) => !empty[i] && !/\\d/.test(p)).length, n: cells.length};
}""" % TEXT_ERROR


def browser_path():
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def settings(folder, theme):
    "JupyterLab's settings: the theme, all cells on the page at once, no news from the network."
    chosen = {"apputils-extension/themes": {"theme": theme},
              "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
              "notebook-extension/tracker": {"windowingMode": "none"}}
    for name, values in chosen.items():
        file = folder / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


@contextmanager
def jupyterlab(home, notebooks):
    "JupyterLab with settings of its own -> function of a name and a theme -> address."
    port, token = free_port(), os.urandom(16).hex()
    own = {f"JUPYTER_{what}_DIR": str(home / what) for what in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
               f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={notebooks}",
               f"--LabApp.user_settings_dir={home / 'settings'}",
               f"--LabApp.workspaces_dir={home / 'workspaces'}"]
    with open(home / "log", "w") as log:
        env = os.environ | own | {"IPYTHONDIR": str(home / "ipython")}
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=home, env=env)
    try:
        wait_for(f"http://127.0.0.1:{port}/api?token={token}", server, home / "log")
        def address(name, theme="JupyterLab Light"):
            settings(home / "settings", theme)
            return f"http://127.0.0.1:{port}/lab/tree/{name}?token={token}&reset"

        yield address
    finally:
        stop = urllib.request.Request(f"http://127.0.0.1:{port}/api/shutdown?token={token}", b"")
        with suppress(OSError):                   # which ends the kernels as well
            urllib.request.urlopen(stop, timeout=10).close()
        with suppress(subprocess.TimeoutExpired):
            server.wait(10)
        server.kill()


def wait_for(url, server, log, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            return urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    path = browser_path()
    if path is None:
        reason = "neither Chromium nor Chrome is installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("profile")
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=path, args=FLAGS, headless=True,
            viewport={"width": 1400, "height": 1000})
        context.set_default_timeout(PATIENCE)
        yield context
        context.close()


def run_all(page, url, n, meanwhile=lambda: None):
    "Opens a notebook of n code cells, chooses Run > Run All Cells, and waits until they have run."
    page.goto(url)
    page.wait_for_function(f"() => ({STATE})().n == {n}")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    while not page.evaluate(STATE)["begun"]:      # a kernel may say that it is idle too early
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_timeout(2000)
    meanwhile()
    page.wait_for_function(f"() => {{ const s = ({STATE})(); return s.errors || !s.left; }}")
    state = page.evaluate(STATE)
    said = page.locator(f'[data-mime-type="{TEXT_ERROR}"]').all_inner_texts()
    assert not state["errors"], "\n".join(said)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    "A folder, and JupyterLab in it -> the folder, function of a notebook's name -> its address."
    home, notebooks = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notebooks")
    with jupyterlab(home, notebooks) as address:
        yield notebooks, address


def without_outputs(source, target):
    "Copies a notebook as if it had never been run -> number of its code cells."
    notebook = nbformat.read(source, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, target)
    return len(code)


def fresh(notebook, name):
    "What a notebook's code gives that name, run here from the top until it does."
    known = {}
    for cell in nbformat.read(notebook, 4).cells:
        if cell.cell_type == "code" and name not in known:
            exec(cell.source, known)
    return known[name]


def test_the_first_tutorial_runs_from_the_top(browser, lab, monkeypatch):
    notebooks, address = lab
    tutorial = ROOT / "nbs/tutorials/1_csv_to_sql.ipynb"
    n = without_outputs(tutorial, notebooks / "first.ipynb")
    page = browser.new_page()
    run_all(page, address("first.ipynb"), n)
    monkeypatch.chdir(notebooks)                  # the tutorial goes elsewhere; this comes back
    learner = fresh(tutorial, "learner")
    assert len(learner.rules_.rules) >= 2
    for rule in learner.rules_.rules:
        cells = page.locator(".jp-OutputArea-output td").get_by_text(rule.condition, exact=True)
        assert cells.first.is_visible()
    page.close()


SHOW = ["""from swarmlit import AntMinerClassifier, load_dataset
X, y = load_dataset("iris", return_X_y=True)
X = X.rename(columns={X.columns[2]: "<b>petal</b> & '123'"})
learner = AntMinerClassifier(random_state=0, verbose=1).fit(X, "<i>" + y)""", "learner",
        "learner.model_",
        """AntMinerClassifier(n_ants=10**7, n_rules_converge=10**7, max_time=5, random_state=0,
                   verbose=1).fit(X, y).score(X, y)"""]

COLORS = """() => {
    const background = e => {
        for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!/rgba\\(.*, 0\\)/.test(c) && c !== 'transparent') return c;
        }
        return 'rgb(255, 255, 255)';
    };
    return [...document.querySelectorAll('.jp-OutputArea-output table :is(caption, th, td)')].map(
        e => [e.textContent, getComputedStyle(e).color, background(e)]);
}"""


def contrast(a, b):
    "Of two colours as CSS gives them: 1 to 21."
    def luminance(css):
        channels = [int(c) / 255 for c in re.findall(r"\d+", css)[:3]]
        linear = [c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in channels]
        return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2]
    dark, light = sorted([luminance(a), luminance(b)])
    return (light + .05) / (dark + .05)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_model_shows_itself(browser, lab, theme):
    notebooks, address = lab
    kernel = {"kernelspec": {"display_name": "python3", "language": "python", "name": "python3"}}
    shown = new_notebook(cells=[new_code_cell(code) for code in SHOW], metadata=kernel)
    nbformat.write(shown, notebooks / f"{theme}.ipynb")
    page = browser.new_page()
    progress = page.locator(".jp-OutputArea .widget-hprogress")      # of a fit that takes time
    run_all(page, address(f"{theme}.ipynb", f"JupyterLab {theme}"), len(SHOW),
            progress.filter(visible=True).first.wait_for)
    table = page.locator(".jp-OutputArea-output table")
    assert table.count() == 2
    assert "<b>petal</b> & '123'" in table.first.inner_text()      # as it is called
    assert table.locator("b, i").count() == 0                       # and not as it would do
    bars = table.first.locator("td:last-child span span")
    assert max(bar.bounding_box()["width"] for bar in bars.all()) > 20
    assert page.locator("body").get_attribute("data-jp-theme-light") == str(theme == "Light").lower()
    cells = page.evaluate(COLORS)
    assert len(cells) > 20
    assert min(contrast(ink, ground) for _, ink, ground in cells) > 4.5
    warned = page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts()
    assert len(warned) == 1 and "time was up (max_time=5 seconds)" in warned[0]   # and nothing else
    assert progress.filter(visible=True).count() == 0            # a bar goes when its fit is done
    if os.environ.get("SCREENSHOTS"): page.screenshot(path=f"{os.environ['SCREENSHOTS']}/{theme}.png")
    page.close()
