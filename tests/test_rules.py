"""Rule algebra: what may be said shorter still means the same, and counts add up."""
import itertools
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st
from registry import make, mixed_table

from swarmlit.bits import unpack
from swarmlit.data import make_table
from swarmlit.models import RuleList, RuleSet, with_counts
from swarmlit.rules import (QUALITY_MEASURES, Rule, Term, attribute_bits, attribute_terms,
                            majority_quality, prune_rule, rule_mask, simplify_terms, term_bits,
                            term_mask)

VALUES = ["a", "b", "c"]
CUTS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])


@st.composite
def tables(draw):
    n = draw(st.integers(1, 30))
    column = lambda cells: draw(st.lists(cells, min_size=n, max_size=n))
    word = pd.Categorical(column(st.sampled_from([*VALUES, None])), categories=VALUES)
    number = np.array(column(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 3.0, np.nan])))
    return make_table(pd.DataFrame({"word": word, "number": number}),
                      column(st.sampled_from(["x", "y"])))


terms = st.one_of(
    st.builds(Term, st.just("word"), st.sampled_from(["=", "!="]), st.sampled_from(VALUES)),
    st.builds(Term, st.just("word"), st.just("in"),
              st.lists(st.sampled_from(VALUES), min_size=1, unique=True).map(tuple)),
    st.builds(Term, st.just("number"), st.sampled_from(["<=", ">"]), CUTS),
    st.builds(Term, st.just("number"), st.sampled_from(["interval", "outside"]),
              st.tuples(CUTS, CUTS).map(sorted).map(tuple)))
conditions = st.lists(terms, max_size=5).map(tuple)


@given(tables(), conditions)
def test_simplified_conditions_cover_the_same_cases(table, condition):
    simpler = simplify_terms(condition)
    assert (rule_mask(simpler, table) == rule_mask(condition, table)).all()
    assert len(simpler) <= len(condition)
    assert simplify_terms(simpler) == simpler


def test_holes_that_overlap_touch_or_lie_in_each_other():
    "Every two and three of the holes between five numbers, alone and below a bound."
    ends = [-1.0, 0.0, 0.5, 1.0, 2.0]
    numbers = np.array([-2, -1, -.5, 0, .25, .5, .75, 1, 1.5, 2, 3, np.nan])
    table = make_table(pd.DataFrame({"number": numbers}), ["x", "y"] * 6)
    holes = [Term("number", "outside", pair) for pair in itertools.combinations(ends, 2)]
    covered = {hole: term_mask(hole, table) for hole in holes}
    bound = Term("number", "<=", 1.0)
    for several in [*itertools.product(holes, repeat=2), *itertools.combinations(holes, 3)]:
        mask = np.logical_and.reduce([covered[hole] for hole in several])
        assert (rule_mask(simplify_terms(several), table) == mask).all()
        below = simplify_terms((bound, *several))
        assert (rule_mask(below, table) == mask & term_mask(bound, table)).all()


@given(tables(), conditions, terms)
def test_another_term_never_covers_more(table, condition, term):
    assert not (rule_mask((*condition, term), table) & ~rule_mask(condition, table)).any()


@given(tables(), st.lists(CUTS, unique=True).map(sorted))
def test_the_terms_of_an_attribute_divide_its_known_cases(table, cuts):
    for i, attribute in enumerate(table.attributes):
        packed = attribute_bits(table, i, cuts)
        stock = attribute_terms(attribute, cuts)
        assert (packed == term_bits(stock, table)).all()
        if attribute.is_nominal or cuts:
            cells = table.column(i)
            known = cells >= 0 if attribute.is_nominal else ~np.isnan(cells)
            assert (unpack(packed, table.n_cases).sum(0) == known).all()


@given(tables(), conditions, st.sampled_from(QUALITY_MEASURES), st.booleans())
def test_pruning_never_lowers_quality_nor_coverage(table, condition, measure, ties):
    assume(condition and table.n_classes == 2 and rule_mask(condition, table).any())
    score = lambda terms: majority_quality(rule_mask(terms, table), table.y, 2, measure)[0]
    shorter = prune_rule(condition, table, measure, ties)
    assert score(shorter) >= score(condition)
    assert 1 <= len(shorter) <= len(condition)
    assert not (rule_mask(condition, table) & ~rule_mask(shorter, table)).any()


@given(tables(), st.lists(st.tuples(conditions, st.integers(0, 1), st.floats(0, 1)), max_size=4),
       st.sampled_from(["list", "sum", "best"]))
def test_every_case_is_counted_under_one_rule(table, parts, kind):
    k = table.n_classes
    rule = lambda terms, c, quality: Rule(terms, tuple(np.eye(k)[min(c, k - 1)]), (0,) * k, quality)
    rules = tuple(rule(*part) for part in parts)
    head = (table.schema, table.classes, "class", rules, rule((), 0, 0.0))
    model = with_counts(RuleList(*head) if kind == "list" else RuleSet(*head, kind), table)
    assert sum(r.covered for r in model.all_rules) == table.n_cases
    chances = model.predict_proba(table)
    assert np.allclose(chances.sum(1), 1)
    assert (model.predict(table) == table.classes[chances.argmax(1)]).all()
    wrong = (model.predict(table) != table.classes[table.y]).sum()
    assert sum(r.errors for r in model.all_rules) == wrong
    decided = model.deciding_rule(table)
    for i, r in enumerate(model.rules):
        assert rule_mask(r.terms, table)[decided == i].all()


@given(tables(), terms)
def test_missing_cells_are_never_covered(table, term):
    i = table.schema.index(term.attribute)
    cells = table.column(i)
    missing = cells < 0 if table.attributes[i].is_nominal else np.isnan(cells)
    assert not term_mask(term, table)[missing].any()


def test_rules_print_and_travel():
    "A rule prints, alone by the position of its class, out of its list by name; copies stay the same."
    rules = make("c45").fit(*mixed_table()).rules_
    for alone, listed, line in zip(rules.all_rules, rules, rules.to_text().splitlines(), strict=True):
        assert repr(listed) == repr(alone) and str(listed) == line
        position = f"classes[{alone.prediction}]   {alone.record}"
        assert str(alone) == (f"IF {alone.condition} THEN " if alone.terms else "OTHERWISE ") + position
        for rule in (alone, listed):
            back = pickle.loads(pickle.dumps(rule))
            assert str(back) == str(rule) and repr(back) == repr(rule)
        assert str(replace(listed, quality=.5)) == str(alone)             # what is changed has no line
        old = {name: value for name, value in vars(listed).items() if name != "line"}   # of an earlier version
        revived = object.__new__(Rule)
        revived.__dict__.update(old)
        assert repr(revived) == repr(alone) and str(revived) == str(alone)
