"""Models as HTML, the way a notebook shows them: names are names, whatever they look like."""
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from registry import learners, mixed_table, regressors
from sklearn import config_context
from sklearn.pipeline import make_pipeline

NAMES = ["<b>", "setosa & 123", "it's \"quoted\"", "two\nlines", "</td><script>alert(1)</script>",
         "&lt;i&gt;", "天气 ≤ ½"]
TAGS = {"p", "code", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "b", "div"}


class Page(HTMLParser):
    "Markup as it is understood: every tag known and closed, no attribute that could do something."

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.open, self.cells, self.bars = [], [], []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS and {name for name, _ in attributes} <= {"style", "title"}, (tag, attributes)
        assert not any("url" in value or "expression" in value for _, value in attributes)
        self.open.append(tag)
        if tag in ("td", "th", "caption", "code"): self.cells.append("")
        style = dict(attributes).get("style", "")
        if "background:" in style: self.bars.append(style)

    def handle_endtag(self, tag): assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and {"td", "th", "caption", "code"} & {*self.open}: self.cells[-1] += data


def hostile_table(n=120):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(NAMES[:3] + [NAMES[4]], n) if i % 2 == 0 else
                      rng.normal(size=n).round(2) for i, name in enumerate(NAMES)})
    y = np.where(X["<b>"] == NAMES[0], NAMES[0], np.where(X[NAMES[1]] > 0, NAMES[1], NAMES[4]))
    return X, pd.Series(y, name="<u>class</u>")


@learners()
def test_a_fitted_classifier_shows_its_call_and_its_model(learner):
    X, y = hostile_table()
    fitted = learner().fit(X, y)
    shown = fitted._repr_mimebundle_()
    assert shown["text/html"] == fitted._repr_html_()
    assert fitted.model_.to_html() in shown["text/html"] and fitted.model_._repr_html_()
    page = Page(shown["text/html"])
    assert type(fitted).__name__ in page.cells[0]
    assert any(cell == "<u>class</u>" for cell in page.cells)
    assert {"<b>", "setosa & 123", NAMES[4]} & {*page.cells}            # some class, as it is
    assert any(NAMES[0] in cell or NAMES[1] in cell for cell in page.cells if "=" in cell or ">" in cell)
    assert page.bars and "script>" not in shown["text/html"]


@regressors
def test_a_fitted_regressor_shows_its_call_and_its_formula(regressor):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"<b>": rng.normal(size=50), "setosa & 123": rng.normal(size=50)})
    fitted = regressor().fit(X, pd.Series(X["<b>"] * X["setosa & 123"], name="</code><script>"))
    page = Page(fitted._repr_mimebundle_()["text/html"])
    assert type(fitted).__name__ in page.cells[0] and "</code><script> = " in page.cells[1]


@learners()
def test_what_scikit_learn_shows_stays(learner):
    assert "sk-container" in learner()._repr_mimebundle_()["text/html"]    # before fit
    X, y = hostile_table()
    pipeline = make_pipeline(learner()).fit(X, y)
    assert type(pipeline[-1]).__name__ in pipeline._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert set(pipeline[-1]._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(pipeline[-1], "_repr_html_")


@pytest.mark.parametrize("name", NAMES)
def test_the_reader_of_this_test_notices_what_is_not_escaped(name):
    if "<" in name:
        with pytest.raises(AssertionError):
            Page(f"<table><td>{name}</td></table>")


@learners()
def test_a_question_that_wraps_stays_at_its_depth(learner):
    "Lines of trees are blocks that are padded by their depth, and go on further in than they begin."
    model = learner().fit(*mixed_table()).model_
    trees = getattr(model, "trees", [model] if hasattr(model, "tree_lines") else [])
    depths = [max(depth - 1, 0) for tree in trees for depth, *_ in tree.tree_lines()]
    styles = re.findall(r"<div style='padding-left:([\d.]+)em;text-indent:-([\d.]+)em'>", model.to_html())
    found = [(float(padding), float(hanging)) for padding, hanging in styles]
    assert len(found) == len(depths) and all(0 < hanging <= padding for padding, hanging in found)
    assert [round(padding - hanging, 6) for padding, hanging in found] == [1.5 * depth for depth in depths]
