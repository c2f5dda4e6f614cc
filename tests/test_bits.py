"""Packed bits against masks: the fast counting kernels and the slow, obvious way agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from swarmlit import bits

sizes = st.integers(0, 200)


@st.composite
def masks(draw, rows):
    return draw(hnp.arrays(bool, (rows, draw(sizes))))


@given(masks(3))
def test_pack_and_unpack_are_inverse(mask):
    packed = bits.pack(mask)
    assert packed.shape == (3, bits.n_words(mask.shape[1]))
    assert (bits.unpack(packed, mask.shape[1]) == mask).all()


@given(masks(2))
def test_counts(mask):
    left, right = bits.pack(mask)
    shared = int((mask[0] & mask[1]).sum())
    assert bits.count_ones(left) == mask[0].sum()
    assert bits.count_common(left, right) == shared
    for enough in (0, 1, shared, shared + 1):
        assert bits.has_common(left, right, enough) == (shared >= enough)


@given(hnp.arrays(np.int32, sizes, elements=st.integers(-2, 4)))
def test_code_bits(codes):
    rows = bits.unpack(bits.code_bits(codes, 5), len(codes))
    assert (rows == (codes == np.arange(5)[:, None])).all()


@given(masks(6), st.data())
def test_class_counts_of_terms(mask, data):
    n = mask.shape[1]
    terms, active = mask[:5], mask[5]
    y = data.draw(hnp.arrays(np.int32, n, elements=st.integers(0, 2)))
    classes = bits.code_bits(y, 3)
    slow = [[(t & active & (y == c)).sum() for c in range(3)] for t in terms]
    assert bits.count_terms(bits.pack(terms), classes, bits.pack(active)).tolist() == slow


@given(masks(4))
def test_keeping_cases(mask):
    rows, kept = mask[:3], mask[3]
    shorter = bits.keep_cases(bits.pack(rows), bits.pack(kept))
    assert (shorter == bits.pack(rows[:, kept])).all()
