"""Pictures: nothing overlaps, nothing is lost, and any name can be drawn.

Here the drawn things themselves are looked at, by their extents, and two renderings of the same
model are compared; test_images.py holds each kind of picture beside one that was found right."""
import io
import unicodedata
import warnings
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from registry import learners, mixed_table, regressors
from hypothesis import given
from hypothesis import strategies as st

from swarmlit.antminer import AntMinerClassifier
from swarmlit.c45 import C45Classifier
from swarmlit.data import Attribute, Schema
from swarmlit.evaluate import plot_ranks
from swarmlit.models import RuleList, RuleSet
from swarmlit.plot import (BAR, STRIP, TRACK, animate_pheromone, class_colors, condition_lines, dark, font_families,
                           label_width, plain_label, plot_cuts, plot_pheromone, plot_regions,
                           plot_rules, plot_search, plot_tree, show_animation, text_width, tree_places, tree_words)
from swarmlit.read import load_dataset
from swarmlit.rules import Rule, Term
from swarmlit.tree import show_cases

ODD = ["petal width (cm)", "$x_1$", "<b>", "天气", "🌦️😀", "two\nlines", "x" * 200, "", " ", "a_b^c\\",
       "%s {x}", "مرحبا", "_hidden", "नमस्ते", "\u202ename", "$", "$$", "\\frac{1}{0}", "\t", "\ud800",
       "&lt;", "𝒳" * 50, "e\u0301" * 3, "天" * 120]
CLASSES = ["天", "$y_1$ & <b>", "_c", "", "z" * 200, "two\nlines", "🌦️", "d", "e", "f"]

pytestmark = pytest.mark.filterwarnings("ignore:No font here has")


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def some_rules(n, k=3, seed=0, cls=RuleList, **how):
    "A made-up list of n rules over the odd names, k classes, now and then without any cases."
    draw = np.random.default_rng(seed)
    schema = Schema(tuple(Attribute(name, "nominal", ("a", "$b$", "")) for name in ODD))
    rules = []
    for i in range(n):
        picked = draw.choice(len(ODD), 1 + i % 5, replace=False) if i < n - 1 else []
        terms = tuple(Term(ODD[j], *[("=", "$b$"), ("!=", ""), ("in", ("a", "$b$"))][j % 3])
                      for j in picked)
        counts = draw.integers(0, 60, k) * (draw.random(k) < .6) / (1 + (i == 3) * 2)
        shares = np.eye(k)[counts.argmax()]
        rules.append(Rule(terms, tuple(shares), tuple(counts.tolist()), quality=.5))
    return cls(schema, np.array(CLASSES[:k], dtype=object), "two\nlines", tuple(rules[:-1]),
               rules[-1], **how)


def some_tree(n_classes=4, rows=300, seed=0):
    "A tree that C4.5 grows over odd columns, values and classes, with missing cells."
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({name: draw.choice(["a", "$b$", "", "天"], rows) if i % 2 else
                          draw.normal(size=rows) for i, name in enumerate(n for n in ODD if n != "\ud800")})
    y = np.array(CLASSES[:n_classes], dtype=object)[draw.integers(0, n_classes, rows)]
    frame = frame.mask(draw.random(frame.shape) < .1)
    return C45Classifier(pruning=False, collapse=False, min_cases=5).fit(frame, y).model_


@pytest.fixture(scope="module")
def trees():
    fit = lambda name, **how: C45Classifier(**how).fit(*load_dataset(name, return_X_y=True)).model_
    return {"5 leaves": fit("weather-numeric"), "iris": fit("iris"), "multiway": fit("zoo"),
            "60 leaves": fit("soybean"), "binary, 98 leaves": fit("vehicle"), "odd": some_tree(),
            "ten classes": some_tree(10), "leaf": fit("weather-numeric", min_cases=1000)}


@pytest.fixture(scope="module")
def colony():
    X, y = load_dataset("voting", return_X_y=True)
    return AntMinerClassifier(random_state=0, keep_pheromone=True).fit(X, y)


def all_texts(ax):
    legend = ax.get_legend().get_texts() if ax.get_legend() else []
    marks = []
    if ax.axison:                                 # ticks beyond the ends of an axis are not drawn
        marks = [ax.xaxis.label, ax.yaxis.label]
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            marks += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [t for t in (*ax.texts, *marks, *legend) if t.get_text() and t.get_visible()]


def edges(artists):
    "Extents as drawn: left, bottom, right, top, one row each."
    return np.array([a.get_window_extent().extents for a in artists]).reshape(-1, 4)


def overlaps(a, b):
    "Which boxes of the rows of `a` share some area with which rows of `b`."
    a, b = a[:, None], b[None]
    return ((a[..., :2] < b[..., 2:] - .01) & (b[..., :2] < a[..., 2:] - .01)).all(-1)


def touching(ax):
    "Pairs of texts whose boxes overlap as drawn."
    ax.figure.draw_without_rendering()
    drawn = all_texts(ax)
    box = edges(drawn)
    return [(drawn[i].get_text(), drawn[j].get_text())
            for i, j in np.argwhere(np.tril(overlaps(box, box), -1))]


def outside(ax):
    "Texts that stick out of the figure by more than a pixel."
    ax.figure.draw_without_rendering()
    drawn, page = all_texts(ax), ax.figure.bbox.padded(1).extents
    box = edges(drawn)
    out = (box[:, :2] < page[:2]).any(1) | (box[:, 2:] > page[2:]).any(1)
    return [drawn[i].get_text() for i in np.flatnonzero(out)]


def texts(ax):
    return [t.get_text() for t in ax.texts]


def bars(ax, what):
    return [p for p in ax.patches if p.get_label().startswith(f"_{what} ")]


def pixels(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba()).copy()


# names

@given(st.one_of(st.sampled_from(ODD), st.text(max_size=80), st.integers(), st.booleans(), st.floats()),
       st.integers(6, 60))
def test_a_label_is_one_visible_line_that_fits(name, width):
    label = plain_label(name, width)
    assert label.strip() and label_width(label) <= width
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in label)
    assert not set(label) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200f")
    label.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20))
def test_a_short_name_stays_as_it_is(name):
    assert plain_label(name, 60).strip("\u200e") == name.strip("\u200e") or "\u200e" in name


@pytest.mark.parametrize("text", [plain_label(name) for name in ODD])
def test_any_label_can_be_measured_in_any_weight(text):
    assert text_width(text) > 0 and text_width(text, 9, "bold") > 0


def test_a_font_that_has_the_characters_is_found_if_there_is_one():
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
    has = lambda path, c: ord(c) in get_font(path).get_charmap()
    for c in "é≤Я天あ한ع":
        able = [e.name for e in fontManager.ttflist
                if not e.name.startswith("Last Resort") and has(e.fname, c)]
        chosen = [findfont(FontProperties(family=[name])) for name in font_families(c)]
        assert not able or any(has(path, c) for path in chosen)


def test_missing_characters_are_reported_once_with_the_way_out():
    character = "\U000e0ffe"                      # no font has it, and no other test uses it
    with pytest.warns(UserWarning, match="give font= the path of a font file"):
        font_families("a" + character)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        font_families(character + "bc")


@pytest.mark.filterwarnings("default:No font here has")
def test_missing_scripts_are_reported_once_each(monkeypatch):
    from swarmlit import plot
    monkeypatch.setattr(plot, "_REPORTED", set())
    monkeypatch.setattr(plot, "_more_fonts", lambda missing: ([], missing))
    plot._families.cache_clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in ("花瓣", "宽度", "花瓣宽度", "🌸", "🙂", "한국어"): font_families(text)
    plot._families.cache_clear()
    assert len(caught) == 3                       # Chinese, symbols, Korean


def test_font_is_a_name_a_file_or_a_list():
    from matplotlib.font_manager import findfont
    path = findfont("DejaVu Serif")
    for font in ("DejaVu Serif", path, ["DejaVu Serif", "DejaVu Sans"]):
        ax = plot_rules(some_rules(5), font=font)
        assert {t.get_fontfamily()[0] for t in ax.texts} == {"DejaVu Serif"}
        assert touching(ax) == []
    with pytest.raises(ValueError, match="There is no font 'DejaVu Serf' here.*DejaVu Serif"):
        plot_rules(some_rules(2), font="DejaVu Serf")


def test_colours_of_classes_are_readable():
    for color in class_colors(8):
        channels = [int(dark(color)[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in channels]
        luminance = np.dot(linear, [.2126, .7152, .0722])
        assert 1.05 / (luminance + .05) >= 4.5    # contrast with white that WCAG asks for


# rules

@pytest.mark.parametrize("n", [1, 2, 5, 15, 60])
@pytest.mark.parametrize("dpi", [72, 150])
def test_rules_do_not_overlap(n, dpi):
    ax = plot_rules(some_rules(n))
    ax.figure.set_dpi(dpi)
    assert touching(ax) == [] and outside(ax) == []


@pytest.mark.parametrize("cls, how", [(RuleList, {}), (RuleSet, {"policy": "best"})])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_bars_are_the_counts(cls, how, k):
    model = some_rules(12, k, cls=cls, **how)
    ax = plot_rules(model)
    scale = BAR / max(rule.covered for rule in model.all_rules)
    for i, rule in enumerate(model.all_rules):
        mine = [p for p in bars(ax, "rule") if p.get_label().startswith(f"_rule {i + 1}:")]
        wrong = [p.get_width() for p in mine if p.get_hatch()]
        right = [p.get_width() for p in mine if not p.get_hatch()]
        assert np.isclose(sum(wrong) / scale, rule.errors)
        assert np.isclose(sum(right) / scale, rule.covered - rule.errors)
        assert len(mine) == np.count_nonzero(rule.counts)
        ends = [(p.get_x(), p.get_x() + p.get_width()) for p in mine]
        assert all(np.isclose(a[1], b[0]) for a, b in zip(ends, ends[1:]))


def test_rules_say_condition_class_and_record_default_last(colony):
    ax, rules = plot_rules(colony.model_), colony.rules_.all_rules
    said = texts(ax)
    assert said[0] == f"class: {len(rules)} rules, 435 cases, " \
                      f"{sum(r.errors for r in rules):.0f} of them wrong (hatched)"
    assert said[-4:-1] == ["otherwise", colony.classes_[rules[-1].prediction], rules[-1].record]
    shares = [b.get_width() / TRACK for b in bars(ax, "confidence")]
    assert np.allclose(shares, [1 - r.errors / r.covered for r in rules])
    for rule in rules[:-1]:
        assert set(condition_lines(rule)) <= set(said) and rule.record in said
    heights = [t.get_position()[1] for t in ax.texts if t.get_text() in {r.record for r in rules}]
    assert heights == sorted(heights)             # in order from the top


def test_rules_without_any_counts():
    model = some_rules(4)
    blank = [replace(rule, counts=(0, 0, 0)) for rule in model.all_rules]
    ax = plot_rules(replace(model, rules=tuple(blank[:-1]), default=blank[-1]))
    assert bars(ax, "rule") == [] and texts(ax).count("(0/0)") == 4 and touching(ax) == []


@given(st.integers(0, 40), st.integers(20, 90))
def test_conditions_are_broken_between_terms(n, width):
    terms = tuple(Term(f"a{i}" * (1 + i % 4), "=", "v") for i in range(n))
    lines = condition_lines(Rule(terms, (1.0,), (1,)), width, n_lines=100)
    assert " ".join(lines) == (" AND ".join(map(str, terms)) or "otherwise")
    assert all(label_width(line) <= width for line in lines if line.count(" = ") > 1)
    assert len(condition_lines(Rule(terms, (1.0,), (1,)), width)) <= 8


# trees

KINDS = ["5 leaves", "iris", "multiway", "60 leaves", "binary, 98 leaves", "odd", "ten classes", "leaf"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("down", [None, True, False])
def test_trees_do_not_overlap(trees, kind, down):
    if down and trees[kind].n_leaves > 80: pytest.skip("several metres wide")
    ax = plot_tree(trees[kind], down=down)
    for dpi in (72, 100) if trees[kind].n_leaves < 60 else (72,):
        ax.figure.set_dpi(dpi)
        assert touching(ax) == [] and outside(ax) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("down", [None, False])
def test_cards_and_leaves_do_not_overlap(trees, kind, down):
    ax = plot_tree(trees[kind], down=down)
    ax.figure.draw_without_rendering()
    cards, strips = edges(bars(ax, "card")), edges(bars(ax, "empty"))
    within = lambda a, b: ((a[:, None, :2] >= b[None, :, :2] - .1)
                           & (a[:, None, 2:] <= b[None, :, 2:] + .1)).all(-1)
    for boxes in (cards, strips):
        assert not np.tril(overlaps(boxes, boxes), -1).any()
    assert not (overlaps(strips, cards) & ~within(strips, cards)).any()
    words = edges([t for t in ax.texts if t.get_text()])
    assert not overlaps(words, strips).any()


@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_a_tree_add_up(trees, kind):
    model, words = trees[kind], tree_words(trees[kind])
    ax = plot_tree(model)
    whole = model.nodes.class_weights[0].sum()
    said = words.remark[words.end].str.strip("()").str.split("/", expand=True).astype(float)
    assert np.isclose(said[0].sum(), whole, atol=.005 * len(words))
    frame = model.to_frame()
    assert np.isclose(said[1].sum(), frame.errors.sum(), atol=.005 * len(words))
    assert texts(ax)[0].startswith(f"{plain_label(model.target)}: {model.n_leaves} lea")
    assert {*words.title, *words.remark, *words.answer[1:]} <= {*texts(ax), ""}
    for row, node in enumerate(words.node):       # the strips show the class shares
        strip = next(p for p in bars(ax, "empty") if p.get_label() == f"_empty node {row}")
        parts = [p.get_width() for p in bars(ax, "node") if p.get_label().startswith(f"_node {row}:")]
        weights = model.nodes.class_weights[node] if node >= 0 else np.zeros(1)
        shares = weights[weights > 0] / max(weights.sum(), 1e-300)
        assert np.allclose(np.array(parts) / strip.get_width(), shares)
        assert strip.get_width() >= STRIP


def test_unknown_cases_are_said(trees):
    model = trees["60 leaves"]
    said = tree_words(model).remark[lambda remark: remark.str.contains("unknown")]
    assert len(said) == (model.nodes.unknown[model.nodes.attribute >= 0] > .005).sum() > 0
    assert said.iloc[0] == "683 cases, 84 unknown"


def test_large_trees_grow_to_the_right(trees):
    wide, small = plot_tree(trees["60 leaves"]), plot_tree(trees["5 leaves"])
    assert wide.figure.get_figheight() > 60 * 15.5 / 72       # a line for each leaf
    assert small.figure.get_figwidth() < 7 and small.figure.get_figheight() < 5
    assert plot_tree(trees["60 leaves"]).texts[2].get_size() >= 7


@given(st.data())
def test_subtrees_keep_to_their_strips(data):
    n = data.draw(st.integers(1, 40))
    parent = np.array([-1] + [data.draw(st.integers(0, i)) for i in range(n - 1)])
    breadth = np.array([data.draw(st.floats(1, 50)) for _ in range(n)])
    order = [0]                                   # preorder, as `walk` gives it
    children = {i: [j for j in range(1, n) if parent[j] == i] for i in range(n)}
    stack, order = [0], []
    while stack:
        order.append(node := stack.pop())
        stack += reversed(children[node])
    row = {node: i for i, node in enumerate(order)}
    up = np.array([-1] + [row[parent[node]] for node in order[1:]])
    breadth = breadth[order]
    centre = tree_places(up, breadth)
    depth = np.zeros(n, int)
    for i in range(1, n): depth[i] = depth[up[i]] + 1
    for level in range(depth.max() + 1):          # nobody touches a neighbour of the same level
        here = np.flatnonzero(depth == level)
        gaps = np.diff(centre[here]) - (breadth[here][1:] + breadth[here][:-1]) / 2
        assert (gaps > -1e-6).all()
    assert (centre - breadth / 2 > -1e-6).all()


# charts

def test_pheromone_shows_the_trails(colony):
    ax = plot_pheromone(colony.pheromone_, colony.terms_)
    shown = [t.get_text() for t in ax.get_yticklabels()]
    picture = np.asarray(ax.images[0].get_array())
    assert picture.shape == (20, sum(map(len, colony.pheromone_)))
    everything = np.concatenate(colony.pheromone_)
    row = [str(term) for term in colony.terms_].index(shown[3])
    assert np.array_equal(picture[3], everything[:, row])
    assert touching(ax) == [] and outside(ax) == []


def test_pheromone_of_odd_terms_in_a_small_axes():
    terms = [Term(name, "=", "$b$") for name in ODD]
    figure, ax = plt.subplots(figsize=(4, 2))
    assert plot_pheromone(np.random.default_rng(0).random((7, len(ODD))), terms, 60, ax=ax) is ax
    rows = [t.get_window_extent() for t in ax.get_yticklabels() if figure.canvas.draw() is None]
    assert not any(a.overlaps(b) for i, a in enumerate(rows) for b in rows[:i])


def test_search_shows_the_history(colony):
    ax = plot_search(colony.history_)
    history = colony.history_
    assert [len(line.get_xdata()) for line in ax.lines[::3]] == history.groupby("rule").size().tolist()
    assert ax.lines[1].get_ydata().tolist() == history.best_quality[history.rule == 1].tolist()
    assert all(line.get_ydata()[0] == 1 for line in ax.lines[2::3])
    assert touching(ax) == [] and outside(ax) == []


def test_search_of_sixty_rules():
    many = pd.concat([pd.DataFrame({"rule": r, "ant": np.arange(1, 12), "quality": .5, "best_quality": .5,
                                    "pheromone_entropy": 3.0}) for r in range(60)])
    ax = plot_search(many)
    assert len(ax.lines) == 180 and ax.get_xlim() == (0, 660) and touching(ax) == []


@pytest.mark.parametrize("name", ODD)
def test_cuts_of_odd_columns(name):
    x, y = np.arange(60.0), np.repeat(CLASSES[:6], 10)
    x[::7] = np.nan
    ax = plot_cuts(pd.Series(x, name=name), y, {name: [10.5, 10.6, 40], "MDLP": []})
    assert touching(ax) == []
    assert sum(p.get_height() for p in ax.patches) == np.isfinite(x).sum()
    assert ax.get_xlabel() == f"{plain_label(name, 60)}   (9 missing)"
    assert f"{plain_label(name, 20)}: 3 cuts" in texts(ax) and "MDLP: 0 cuts" in texts(ax)


@pytest.mark.parametrize("x", [[1.0, 1.0, 1.0], [np.nan] * 3, [1e300, -1e300, 0], [1, 2, 3]])
def test_cuts_of_hard_columns(x):
    ax = plot_cuts(x, ["a", "b", "a"], {"C4.5": [], "MDLP": [1.5]})
    assert "C4.5: 0 cuts" in texts(ax) and "MDLP: 1 cut" in texts(ax)


# every picture

@pytest.fixture(params=["rules", "tree", "pheromone", "search", "cuts"])
def picture(request, colony, trees):
    "A function that draws one kind of picture."
    iris = load_dataset("iris")
    return {"rules": lambda **how: plot_rules(some_rules(15), **how),
            "tree": lambda **how: plot_tree(trees["odd"], **how),
            "pheromone": lambda **how: plot_pheromone(colony.pheromone_, colony.terms_, **how),
            "search": lambda **how: plot_search(colony.history_, **how),
            "cuts": lambda **how: plot_cuts(iris.iloc[:, 2], iris.iloc[:, -1], {"C4.5": [1.9, 4.7]}, **how),
            }[request.param]


def test_the_same_model_gives_the_same_picture(picture):
    first, second = pixels(picture()), pixels(picture())
    assert first.shape == second.shape and np.array_equal(first, second)
    assert len(np.unique(first.reshape(-1, 4), axis=0)) > 10  # and it is not a blank page


def test_other_counts_give_another_picture():
    model = some_rules(5)
    other = replace(model, default=replace(model.default, counts=(50, 1, 1)))
    a, b = pixels(plot_rules(model)), pixels(plot_rules(other))
    assert a.shape != b.shape or not np.array_equal(a, b)


def test_given_axes_are_used_and_nothing_else(picture):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    blank = right.get_children()
    assert picture(ax=left) is left
    assert right.get_children() == blank and plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("size", [(10, 6), (6, 4)])
def test_pages_shrink_into_given_axes(trees, size):
    for draw in (lambda ax: plot_rules(some_rules(15), ax=ax), lambda ax: plot_tree(trees["iris"], ax=ax)):
        figure, ax = plt.subplots(figsize=size)
        draw(ax)
        assert touching(ax) == [] and outside(ax) == []
        frame = ax.get_window_extent().padded(2)
        assert all(frame.contains(*t.get_window_extent().min) for t in ax.texts)


@pytest.mark.parametrize("format", ["svg", "pdf", "png"])
def test_pictures_can_be_saved(picture, format):
    with io.BytesIO() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")           # PDF cannot embed every font of boxes
        picture().figure.savefig(file, format=format)
        assert len(file.getvalue()) > 1000


def test_settings_are_left_alone(picture):
    before = plt.rcParams.copy()
    picture()
    assert plt.rcParams == before


@learners()
def test_every_learner_and_its_model_have_a_picture(learner):
    "Of columns, values and classes that look like markup: they are drawn as they are."
    X, y = mixed_table()
    X = X.rename(columns={"word": "$x$ (cm)"}).replace({"a": "<b>", "b": "it's & 1"})
    y = y.map({"yes": "setosa & 123", "no": "<b>", "maybe": "x_{1}$"}).rename("<u>kind</u>")
    fitted = learner().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn, model = fitted.plot(), fitted.model_.plot()
        for ax, other in zip(np.ravel(drawn), np.ravel(model), strict=True):
            assert texts(ax) == texts(other) and (ax.patches or ax.lines)
            assert touching(ax) == [] and outside(ax) == []
        told = " ".join(text for ax in np.ravel(drawn) for text in texts(ax))
        assert plain_label("<b>") in told and plain_label("setosa & 123") in told


@regressors
def test_every_regressor_and_its_formula_have_a_picture(regressor):
    X = pd.DataFrame({"$x$": np.arange(30.0), "<b>": np.sin(np.arange(30))})
    fitted = regressor().fit(X, X["$x$"] * X["<b>"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = fitted.plot()
        assert texts(ax) == texts(fitted.model_.plot()) and len(ax.texts) > 1
        assert touching(ax) == [] and outside(ax) == []


@learners()
def test_every_search_can_be_drawn(learner):
    fitted = learner().fit(*mixed_table())
    if "best_quality" not in fitted.history_:
        with pytest.raises(ValueError, match="history"): plot_search(fitted.history_)
        return
    ax = plot_search(fitted.history_)
    assert len(ax.lines) > 0 and touching(ax) == [] and outside(ax) == []


@learners()
def test_every_classifier_has_regions(learner):
    X, y = mixed_table()
    fitted = learner().fit(X, y)
    ax = plot_regions(fitted, X, y, ("number", "word"), n=30)
    ground = np.asarray(ax.collections[0].get_array()).reshape(3, 30)
    grid = pd.DataFrame({"word": np.repeat(["a", "b", "c"], 30),
                         "colour": X["colour"].mode()[0], "switch": X["switch"].mode()[0],
                         "number": np.tile(centres(X["number"], 30), 3)})
    answers = fitted.model_.predict_proba(grid).argmax(1).reshape(3, 30)
    assert np.array_equal(ground, answers)
    assert ax.get_xlabel() == "number   (%d without a place)" % X[["word", "number"]].isna().any(axis=1).sum()
    assert touching(ax) == [] and outside(ax) == []


def centres(numbers, n):
    "Middles of n cells over some numbers and a twentieth beyond either end."
    low, high = numbers.min(), numbers.max()
    edges = np.linspace(low - .05 * (high - low), high + .05 * (high - low), n + 1)
    return (edges[1:] + edges[:-1]) / 2


def test_unclassified_places_are_grey():
    X = pd.DataFrame({"x": np.arange(10.0), "y": np.arange(10.0)})
    schema = Schema((Attribute("x", "continuous"), Attribute("y", "continuous")))
    rule = Rule((Term("x", ">", 4.5),), (0.0, 1.0), (0, 5), quality=.5)
    for choice, known in (("error", False), ("label", False), ("default", True)):
        model = RuleSet(schema, np.array(["a", "b"]), "c", (rule,), Rule((), (1.0, 0.0), (5, 0)),
                        on_unclassified=choice, unclassified_label="?")
        ax = plot_regions(model, X, n=10)
        assert set(np.unique(ax.collections[0].get_array())) == ({0, 1} if known else {1, 2})
        said = [t.get_text() for t in ax.get_legend().get_texts()]
        assert said == ["a", "b"] + ["unclassified"] * (not known)


def test_regions_of_odd_names():
    X = pd.DataFrame({name: ["a", "$b$", ""] * 10 if i else np.arange(30.0)
                      for i, name in enumerate(["$x_1$", "Ωμέγα <b>"])})
    y = np.array(CLASSES[:3], dtype=object)[np.arange(30) % 3]
    fitted = C45Classifier(min_cases=1).fit(X, y)
    ax = plot_regions(fitted, X, y, list(X), n=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x_1$", "Ωμέγα <b>")
    assert touching(ax) == [] and outside(ax) == []


@pytest.mark.parametrize("odd", [dict(attributes=("number",)), dict(attributes=("number", "age")),
                                 dict(at={"age": 3})])
def test_regions_name_what_they_do_not_know(odd):
    X, y = mixed_table()
    with pytest.raises(ValueError, match="attributes must be two of word, colour, switch, number"):
        plot_regions(C45Classifier().fit(X, y), X, y, **odd)


@pytest.mark.parametrize("n", [200, 1000])
def test_very_many_rules_are_cut_short(n):
    model = some_rules(n, 3)
    ax = plot_rules(model)
    rest = sorted((rule.covered for rule in model.rules), reverse=True)[59:]
    assert texts(ax)[-1].startswith(f"and {n - 60} more rules for {show_cases(sum(rest))} cases")
    assert len({p.get_label().split(":")[0] for p in bars(ax, "rule")}) <= 60
    assert ax.figure.get_figheight() < 60


def test_very_many_classes_are_counted():
    k = 200
    rules = [Rule((Term("x", ">", float(i)),), tuple(np.eye(k)[i]), tuple(np.eye(k)[i] * 3)) for i in range(k)]
    model = RuleList(Schema((Attribute("x", "continuous"),)), np.array([f"class {i}" for i in range(k)]),
                     "y", tuple(rules), Rule((), tuple(np.eye(k)[0]), (0,) * k))
    ax = plot_rules(model)
    assert "and 168 more classes" in texts(ax) and "and 141 more rules for 423 cases, 0 of them wrong" \
        "   (n_rules=None draws all)" in texts(ax)
    assert touching(ax) == []


def test_ranks_of_odd_names():
    ranks = pd.Series({"$x_1$": 1.2, "Ωμέγα": 2.0, "<b>" * 30: 2.8})
    ax = plot_ranks(ranks, 10)
    said = [t for t in texts(ax) if "  " in t]
    assert said[0] == "$x_1$  1.20" and said[1] == "Ωμέγα  2.00" and label_width(said[2]) == 38
    ax.figure.draw_without_rendering()


def test_the_film_shows_the_trails(colony):
    film = animate_pheromone(colony.pheromone_, colony.terms_, n_terms=6, n_frames=5)
    image = show_animation(film)
    assert image.data[:6] == b"GIF89a" and plt.get_fignums() == []


def test_plot_of_models_and_classifiers(colony, trees):
    assert texts(colony.plot()) == texts(colony.model_.plot()) == texts(plot_rules(colony.model_))
    assert texts(trees["iris"].plot()) == texts(plot_tree(trees["iris"]))
    assert texts(trees["iris"].to_rules().plot())[0].startswith("class: 6 rules")
    with pytest.raises(Exception, match="not fitted"):
        AntMinerClassifier().plot()
    iris = C45Classifier().fit(*load_dataset("iris", return_X_y=True))
    assert iris.plot(down=False).figure.get_figwidth() > iris.plot(down=True).figure.get_figwidth()
