"""Each kind of picture beside one that was looked at and found right (tests/images).

Letters differ from one version of matplotlib or FreeType to the next, so they are left out here,
and room is made for them by a rule of thumb; what remains are bars, strips, lines and areas.
`NEW_IMAGES=1 pytest tests/test_images.py` draws the pictures anew: look at them before a commit."""
import os
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.testing.compare import compare_images
from matplotlib.testing.exceptions import ImageComparisonFailure

from swarmlit import evaluate, multitree, plot, sbgp
from swarmlit.c45 import C45Classifier
from swarmlit.data import Attribute, Schema
from swarmlit.models import RuleList
from swarmlit.rules import Rule, Term

IMAGES = Path(__file__).parent / "images"
TOLERANCE = 2.5                                   # root mean square of the pixels' differences


def rules(counts=((0, 40), (25, 5), (12, 0), (8, 9))):
    "A list with these counts of two classes; each rule asks about one number."
    schema = Schema((Attribute("x", "continuous"), Attribute("y", "continuous")))
    terms = [(Term("x", ">", 6.0),), (Term("y", "<=", 3.0),), (Term("x", "<=", 2.0),), ()]
    *made, default = [Rule(t, tuple(np.eye(2)[np.argmax(c)]), c) for t, c in zip(terms, counts)]
    return RuleList(schema, np.array(["no", "yes"]), "class", tuple(made), default)


def table(shift=0.0):
    "Sixty cases of three classes, on a grid that no library changes."
    i = np.arange(60)
    X = pd.DataFrame({"x": i * 7 % 60 / 6 + shift * (i % 3), "y": i * 11 % 60 / 6})
    return X, np.array(["a", "b", "c"])[(X["x"] > 5).astype(int) + (X["y"] > 4)]


def tree(shift=0.0): return C45Classifier(min_cases=3).fit(*table(shift)).model_


def trees(shift=0.0):
    return multitree.MultiTreeClassifier(strategy="greedy", min_cases=3).fit(*table(shift)).model_


def trails(power=1.0):
    rise = np.linspace(0, 1, 12)[:, None] ** power
    first = np.hstack([rise, 1 - rise, .5 + 0 * rise, .3 * rise])
    return [first, first[::-1]]


TERMS = [Term("x", ">", float(i)) for i in range(4)]


def film(power=1.0):
    animation = plot.animate_pheromone(trails(power), TERMS, n_frames=6)
    animation._func(9)                            # one frame of it
    animation._draw_was_started = True
    return animation


def diary(best=.9):
    quality = np.array([.2, .5, .4, .7, best, .6])
    return pd.DataFrame({"rule": [1, 1, 1, 1, 2, 2], "ant": [1, 2, 3, 4, 1, 2], "quality": quality,
                         "best_quality": np.maximum.accumulate(quality),
                         "pheromone_entropy": [3, 2.5, 1, .2, 3, 1]})


def cuts(where=5.0, **how):
    X, y = table()
    return plot.plot_cuts(X["x"], y, {"C4.5": [where], "MDLP": [where, 7.0]}, **how)


def ranks(best=1.2):
    return pd.Series({"ants": best, "swarm": 2.1, "tree": 2.9, "genes": 3.8})


PICTURES = {  # name -> (as it should be, as it should not)
    "rules": (lambda: plot.plot_rules(rules()),
              lambda: plot.plot_rules(rules(((0, 30), (25, 5), (12, 0), (8, 9))))),
    "confidence": (lambda: plot.plot_rules(rules(((0, 9), (6, 3), (40, 0), (8, 9)))),
                   lambda: plot.plot_rules(rules(((0, 9), (7, 2), (40, 0), (8, 9))))),
    "some_rules": (lambda: plot.plot_rules(rules(), n_rules=3),
                   lambda: plot.plot_rules(rules(), n_rules=4)),
    "tree": (lambda: plot.plot_tree(tree()), lambda: plot.plot_tree(tree(2.0))),
    "tree_to_the_right": (lambda: plot.plot_tree(tree(), down=False),
                          lambda: plot.plot_tree(tree(2.0), down=False)),
    "one_tree_a_class": (lambda: trees().plot(), lambda: trees(2.0).plot()),
    "formula": (lambda: sbgp.read_formula("2.5 * x + sin(x - y) / 3", ("x", "y")).plot(),
                lambda: sbgp.read_formula("2.5 * x + sin(x) - y / 3", ("x", "y")).plot()),
    "pheromone": (lambda: plot.plot_pheromone(trails(), TERMS),
                  lambda: plot.plot_pheromone(trails(2.0), TERMS)),
    "animation": (lambda: film(), lambda: film(2.0)),
    "search": (lambda: plot.plot_search(diary()), lambda: plot.plot_search(diary(.75))),
    "cuts": (lambda: cuts(), lambda: cuts(5.5)),
    "densities": (lambda: cuts(densities=True), lambda: cuts(5.5, densities=True)),
    "regions": (lambda: plot.plot_regions(tree(), *table(), n=60),
                lambda: plot.plot_regions(tree(2.0), *table(), n=60)),
    "regions_of_rules": (lambda: plot.plot_regions(rules(), table()[0], n=60),
                         lambda: plot.plot_regions(replace(rules(), rules=rules().rules[:2]),
                                                   table()[0], n=60)),
    "ranks": (lambda: evaluate.plot_ranks(ranks(), 12), lambda: evaluate.plot_ranks(ranks(1.6), 12)),
}


@pytest.fixture(autouse=True)
def room_for_letters(monkeypatch):
    "Six tenths of the height for each letter, whatever the font."
    def width(text, size=9, weight="normal", font=None):
        return .6 * size * plot.label_width(text)
    for module in (plot, sbgp):
        monkeypatch.setattr(module, "text_width", width)
    with plt.style.context(["default", {"figure.dpi": 50, "savefig.dpi": 50}]):
        yield
    plt.close("all")


def without_letters(figure):
    for ax in figure.axes:
        ax.set(xlabel="", ylabel="")
        for title in ("left", "center", "right"):
            ax.set_title("", loc=title)
        ax.xaxis.set_ticklabels([])
        ax.yaxis.set_ticklabels([])
        for text in list(ax.texts):
            text.remove()
        if ax.get_legend():
            ax.get_legend().remove()


def draw(name, which, path):
    plt.close("all")
    PICTURES[name][which]()
    figure = plt.gcf()
    without_letters(figure)
    if figure.get_layout_engine():                # its margins are those of the letters
        figure.set_layout_engine("none")
    figure.savefig(path)


def difference(name, path):
    "None if a picture is as the kept one, else what matplotlib says of them."
    try:
        return compare_images(str(IMAGES / f"{name}.png"), str(path), TOLERANCE)
    except ImageComparisonFailure as other_size:
        return str(other_size)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_as_it_was_found_right(name, tmp_path):
    if os.environ.get("NEW_IMAGES"):
        draw(name, 0, IMAGES / f"{name}.png")
    draw(name, 0, tmp_path / "now.png")
    assert difference(name, tmp_path / "now.png") is None


@pytest.mark.parametrize("name", PICTURES)
def test_a_wrong_picture_is_told_apart(name, tmp_path):
    draw(name, 1, tmp_path / "wrong.png")
    assert difference(name, tmp_path / "wrong.png") is not None
