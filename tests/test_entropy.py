"""Entropies and gains beside those of scikit-learn and SciPy."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from swarmlit.entropy import (gain_ratio, information_gain, normalised_heuristic,
                              split_information, term_entropy)

COUNTS = arrays(int, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=st.integers(0, 40))


@given(COUNTS)
def test_entropy_is_that_of_scipy(counts):
    filled = counts.sum(1) > 0
    np.testing.assert_allclose(term_entropy(counts)[filled], entropy(counts[filled], base=2, axis=1),
                               atol=1e-12)
    assert (normalised_heuristic(counts) >= 0).all()


@given(COUNTS, st.integers(0, 30))
def test_gain_is_mutual_information_of_what_is_known(counts, unknown):
    known = counts.sum()
    if known == 0:
        assert information_gain(counts, unknown) == gain_ratio(counts, unknown) == 0
        return
    shared = mutual_info_score(None, None, contingency=counts) / np.log(2)
    gain = known / (known + unknown) * shared
    assert information_gain(counts, unknown) == pytest.approx(gain, abs=1e-9)
    split = entropy(np.append(counts.sum(1), unknown), base=2)
    assert split_information(counts, unknown) == pytest.approx(split, abs=1e-12)
    if split > 1e-6: assert gain_ratio(counts, unknown) == pytest.approx(gain / split, abs=1e-6)
    else: assert gain_ratio(counts, unknown) == pytest.approx(0, abs=1e-9)


def test_one_class_has_no_heuristic():
    with pytest.raises(ValueError, match="at least two classes"):
        normalised_heuristic(np.array([[3], [4]]))
