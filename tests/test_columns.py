"""Columns of every type, name and shape, when a table is learned from and when it is asked about."""
import sqlite3
import warnings
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from registry import check_answers, fitted_names, learners, mixed_table, signal

from swarmlit.export import from_json

N = 40
ON, Y = signal(N)
HOLES = np.arange(N) % 7 == 3
WORDS = pd.Series(np.where(ON, "b", "a"), dtype=object)
HALVES = pd.Series(np.where(ON, 1.5, -2.0))
WHOLE = pd.Series(np.where(ON, 3, 0))
dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))

WORD_TYPES = ["object", "str", "string", "string[python]", "string[pyarrow]", "category", "arrow dictionary"]
NUMBER_TYPES = ["float64", "float32", "float16", "Float64", "Float32", "double[pyarrow]", "float[pyarrow]"]
INTEGER_TYPES = ["int64", "int8", "uint8", "Int64", "UInt8", "int64[pyarrow]", "float64", "float32", "Float64"]
TRUTH_TYPES = ["bool", "boolean", "bool[pyarrow]", "object"]


def as_type(cells, dtype):
    if dtype == "arrow dictionary":
        array = pa.array(cells.astype(object).where(cells.notna(), None)).dictionary_encode()
        return pd.Series(pd.arrays.ArrowExtensionArray(array))
    return cells.astype(dtype)


def frame(column, name="x"):
    "The column beside one that says nothing."
    return pd.DataFrame({name: column, "same": "k"})


def same_text(learner, one, other, **settings):
    left, right = learner(**settings).fit(one, Y), learner(**settings).fit(other, Y)
    check_answers(right, other, Y)
    assert left.to_text() == right.to_text()
    assert (left.predict(one) == right.predict(other)).all()
    for fitted, cells in ((left, other), (right, one)):        # fitted on one type, asked in the other
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (fitted.predict(cells) == left.predict(one)).all()
    return right


def equations(fitted):
    "The text of a model; what is excluded by != counts like what is demanded by =."
    return fitted.to_text().replace("x != ", "x = ")


# ------------------------------------------------------------------------------------------- types

@learners()
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("dtype", WORD_TYPES)
def test_words_of_every_type(learner, dtype, holes):
    if holes and dtype == "str" and pd.__version__ < "3":
        pytest.skip("before pandas 3, str turns a hole into the word nan")
    cells = WORDS.mask(HOLES) if holes else WORDS
    fitted = same_text(learner, frame(cells), frame(as_type(cells, dtype)))
    assert "x = " in equations(fitted) and fitted.score(frame(cells), Y) >= .8


@learners()
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("dtype", NUMBER_TYPES)
def test_numbers_of_every_type(learner, dtype, holes):
    cells = HALVES.mask(HOLES) if holes else HALVES
    fitted = same_text(learner, frame(cells), frame(as_type(cells, dtype)))
    assert fitted.model_.schema.attributes[0].kind == "continuous"
    assert fitted.score(frame(cells), Y) >= .8
    assert "x <= " in fitted.to_text() or "x > " in fitted.to_text()


@learners()
@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_whole_numbers_of_every_type(learner, dtype, nominal):
    declared = {"categorical_features": ["x"] if nominal else None}
    cells = frame(as_type(WHOLE, dtype))
    fitted = same_text(learner, frame(WHOLE), cells, **declared)
    assert fitted.model_.schema.attributes[0].is_nominal == nominal
    assert not nominal or "x = " in equations(fitted)


@learners()
@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "int64[pyarrow]", "Float64", "float32"])
def test_whole_numbers_with_holes(learner, dtype):
    for declared in (None, ["x"]):
        holes = as_type(WHOLE.astype("Int64").mask(HOLES), dtype)
        same_text(learner, frame(WHOLE.astype(float).mask(HOLES)), frame(holes),
                  categorical_features=declared)


@learners()
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("dtype", TRUTH_TYPES)
def test_truth_values_of_every_type(learner, dtype, holes):
    if holes and dtype == "bool":
        pytest.skip("has no missing value")
    cells = pd.Series(ON).astype("boolean").mask(HOLES) if holes else pd.Series(ON)
    fitted = same_text(learner, frame(cells), frame(as_type(cells, dtype)))
    assert "x = True" in equations(fitted) or "x = False" in equations(fitted)


@learners()
def test_truth_values_and_zeros_and_ones(learner):
    "The same content gives the same model; True is printed True."
    truth, bits = frame(pd.Series(ON)), frame(pd.Series(ON.astype(int)))
    by_truth = learner().fit(truth, Y)
    by_bits = learner(categorical_features=["x"]).fit(bits, Y)
    as_bits = by_truth.to_text().replace("= True", "= 1").replace("= False", "= 0")
    assert as_bits == by_bits.to_text()
    assert (by_truth.predict(bits) == by_bits.predict(truth)).all()


@learners()
def test_words_stand_in_the_rules(learner):
    "A table as field notes are kept, with words, numbers and holes: rules name what was written."
    rng = np.random.default_rng(0)
    island = pd.Series(rng.choice(["Torgersen", "Biscoe", "Dream"], 90), dtype=object)
    notes = pd.DataFrame({"island": island, "bill_length_mm": rng.normal(44, 5, 90).round(1),
                          "sex": rng.choice(["male", "female", np.nan], 90).astype(object)})
    notes.loc[[4, 40], ["sex", "bill_length_mm"]] = np.nan, None
    species = island.map({"Torgersen": "Adelie", "Biscoe": "Gentoo", "Dream": "Chinstrap"})
    fitted = learner().fit(notes, species)
    check_answers(fitted, notes, species)
    assert fitted.score(notes, species) >= .95
    told = fitted.rules_.to_text()
    assert any(f"island {sign} {word}" in told for sign in ("=", "!=") for word in island.unique())


@learners()
def test_every_kind_of_hole_is_one_hole(learner):
    holes = [None, np.nan, pd.NA, pd.NaT]
    mixed = WORDS.copy()
    for i, row in enumerate(np.flatnonzero(HOLES)):
        mixed[row] = holes[i % 4]
    same_text(learner, frame(WORDS.mask(HOLES)), frame(mixed))


@learners()
@pytest.mark.parametrize("hole", [None, np.nan, pd.NA], ids=["None", "nan", "NA"])
def test_holes_in_arrays_and_lists(learner, hole):
    "In rows of objects the type of a column is that of its known cells."
    rows = [[hole if gap else half, hole if gap else word]
            for gap, half, word in zip(HOLES, HALVES, WORDS)]
    truth = learner().fit(pd.DataFrame({"x0": HALVES.mask(HOLES), "x1": WORDS.mask(HOLES)}), Y)
    for table in (rows, np.array(rows, dtype=object), [tuple(row) for row in rows]):
        fitted = learner().fit(table, Y)
        check_answers(fitted, table, Y)
        assert [a.kind for a in fitted.model_.schema.attributes] == ["continuous", "nominal"]
        assert fitted.to_text() == truth.to_text()


@learners()
def test_arrays_of_one_type(learner):
    text = learner().fit(WORDS.to_numpy(object)[:, None], Y).to_text()
    assert learner().fit(WORDS.to_numpy("U1")[:, None], Y).to_text() == text
    number = learner().fit(HALVES.to_numpy()[:, None], Y)
    for array in (np.asfortranarray(HALVES.to_numpy("f4")[:, None]), HALVES.to_numpy(">f8")[:, None],
                  np.repeat(HALVES.to_numpy()[:, None], 2, axis=1)[:, ::2]):
        assert learner().fit(array, Y).to_text() == number.to_text()
    truth = learner().fit(ON[:, None], Y)
    assert [a.kind for a in truth.model_.schema.attributes] == ["nominal"]
    masked = np.ma.masked_array(HALVES.to_numpy()[:, None], HOLES[:, None])
    check_answers(learner().fit(np.ma.filled(masked, np.nan), Y), masked.filled(np.nan), Y)


@learners()
def test_category_keeps_its_declared_values(learner):
    cells = pd.Series(pd.Categorical(WORDS, categories=["never", "b", "a"]))
    fitted = learner().fit(frame(cells), Y)
    check_answers(fitted, frame(cells), Y)
    assert fitted.model_.schema.attributes[0].values == ("never", "b", "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")                        # declared is not the same as unseen
        fitted.predict(frame(pd.Series(["never", None])))


@learners()
@pytest.mark.parametrize("categories", [["b", "a"], ["zz", "b", "more", "a"], ["a", "b", "c"]])
def test_categories_are_read_by_value(learner, categories):
    "Another order, and categories that the training table did not have, move nothing."
    fitted = learner().fit(frame(WORDS.astype("category")), Y)
    for ordered in (False, True):
        cells = pd.Categorical(WORDS, categories=categories, ordered=ordered)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (fitted.predict(frame(cells)) == fitted.predict(frame(WORDS))).all()


@learners()
def test_numbers_as_words(learner):
    fitted = learner().fit(frame(pd.Series(np.where(ON, "10", "9"))), Y)
    assert fitted.model_.schema.attributes[0].values == ("10", "9")
    assert "x = " in equations(fitted)


@learners()
def test_words_and_numbers_in_one_column(learner):
    cells = pd.Series(np.where(ON, "b", "a"), dtype=object)
    cells[::5], cells[1::5] = 7, 2.5
    fitted = learner().fit(frame(cells), Y)
    check_answers(fitted, frame(cells), Y)
    assert set(fitted.model_.schema.attributes[0].values) == {"a", "b", 7, 2.5}


@learners()
@pytest.mark.parametrize("numbers", [(1e300, -1e300), (5e-324, 0.0), (1e16, 1e16 + 2), (2.0**53, 0.1 + 0.2),
                                     (1.7e308, -1.7e308), (1e-300, 2e-300), (0.3, 0.1 + 0.2), (-0.0, 1e-9)])
def test_huge_and_tiny_numbers(learner, numbers):
    cells = frame(np.where(ON, *numbers))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = learner().fit(cells, Y)
        assert fitted.score(cells, Y) >= .9
    check_answers(fitted, cells, Y)
    back = from_json(fitted.to_json())
    assert (back.predict(cells) == fitted.predict(cells)).all()


@learners()
@pytest.mark.parametrize("cells", [Decimal(3), np.str_("b"), b"b"], ids=["Decimal", "str_", "bytes"])
def test_unusual_objects_are_words(learner, cells):
    column = pd.Series([cells if on else type(cells)(b"0" if isinstance(cells, bytes) else "1") for on in ON],
                       dtype=object)
    check_answers(learner().fit(frame(column), Y), frame(column), Y)


dates = pd.date_range("2020", periods=N)


@learners()
@pytest.mark.parametrize("cells", [
    dates, dates.tz_localize("UTC"), dates - dates[0], pd.Series(dates).astype(pd.ArrowDtype(pa.date32())),
    pd.Series(dates).astype(pd.ArrowDtype(pa.timestamp("us"))), [[1]] * N, [{}] * N, [{1}] * N,
    [np.zeros(2)] * N, np.ones(N) * 1j, np.where(ON, np.inf, 1.0), np.where(ON, -np.inf, 1.0),
    pd.array(np.where(ON, np.inf, 1.0), dtype="Float64")],
    ids="date zone duration date32 timestamp list dict set array complex inf -inf Float64-inf".split())
def test_cells_that_cannot_be_used_name_the_column(learner, cells):
    table = pd.DataFrame({"good": WORDS, "wrong one": cells})
    with pytest.raises((TypeError, ValueError), match="'wrong one'|Complex data not supported"):
        learner().fit(table, Y)
    fitted = learner().fit(table.assign(**{"wrong one": HALVES}), Y)
    with pytest.raises((TypeError, ValueError), match="'wrong one'|Complex data not supported"):
        fitted.predict(table)                      # the kind of a column changed after the fit


@learners()
@pytest.mark.parametrize("cells", [["abc"] * N, ["?"] * N, pd.Categorical(["abc"] * N), ["2020-01-01"] * N,
                                   pd.Series([1.5, "x"] * (N // 2), dtype=object), ["1.5e"] * N])
def test_words_where_numbers_were(learner, cells):
    fitted = learner().fit(frame(HALVES), Y)
    with pytest.raises(ValueError, match="'x' held numbers"):
        fitted.predict(frame(cells))


@learners()
@pytest.mark.parametrize("cells", [np.arange(N), np.ones(N), ON, dates, pd.Categorical(["q"] * N)],
                         ids=["int", "float", "bool", "date", "category"])
def test_other_things_where_words_were(learner, cells):
    "They are values never seen, unless equal to one that was."
    fitted = learner().fit(frame(WORDS), Y)
    try:
        with pytest.warns(UserWarning, match=f"'x' \\({N} cells"):
            fitted.predict(frame(cells))
    except TypeError as error:                          # refusing a column of dates is fine as well
        assert "'x'" in str(error)


@learners()
def test_numbers_in_another_guise(learner):
    fitted = learner().fit(frame(HALVES), Y)
    expected = fitted.predict(frame(HALVES))
    for cells in (HALVES.astype(str), HALVES.astype(object), HALVES.astype("category"), HALVES.astype("Float64")):
        assert (fitted.predict(frame(cells)) == expected).all()
    for hole in (pd.Series([None] * N, dtype=object), pd.array([pd.NA] * N, dtype="Int64"), [np.nan] * N):
        check_answers(fitted, frame(hole))


# ------------------------------------------------------------------------------------------- shapes

@learners()
@pytest.mark.parametrize("table", [
    pd.DataFrame({"c": [np.nan] * N}), pd.DataFrame({"c": pd.Series([None] * N, dtype=object)}),
    pd.DataFrame({"c": pd.Categorical([None] * N, categories=[])}),
    pd.DataFrame({"c": pd.Categorical([None] * N, categories=["a", "b"])}),
    pd.DataFrame({"c": pd.array([pd.NA] * N, dtype="Int64")}),
    pd.DataFrame({"c": pd.array([None] * N, dtype=pd.ArrowDtype(pa.null()))}),
    pd.DataFrame({"c": ["k"] * N}), pd.DataFrame({"c": [1.0] * N}), pd.DataFrame({"c": [True] * N}),
    pd.DataFrame({"c": [1.0] * N, "d": ["k"] * N, "e": [None] * N})],
    ids="nan None category declared Int64 null constant constant-number constant-truth three".split())
def test_columns_that_say_nothing(learner, table):
    fitted = learner().fit(table, Y)
    check_answers(fitted, table, Y)
    assert len(set(fitted.predict(table))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_answers(fitted, table.assign(c="new" if fitted.model_.schema.attributes[0].is_nominal else 5.0))


@learners()
def test_a_column_that_says_nothing_beside_one_that_does(learner):
    for cells in ([np.nan] * N, [None] * N, ["k"] * N, [0.0] * N):
        table = pd.DataFrame({"nothing": cells, "x": WORDS})
        assert learner().fit(table, Y).score(table, Y) > .9


@learners()
@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_rows(learner, n):
    for column in (["k", "l", "m"], [1.0, 2.0, 3.0], [True, False, None], [None, 3.0, None]):
        table = pd.DataFrame({"x": column}).iloc[:n]
        for labels in (["a"] * n, ["a", "b", "c"][:n]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = learner().fit(table, labels)
            check_answers(fitted, table, labels)


@learners()
@pytest.mark.parametrize("table, shape", [
    (pd.DataFrame({"x": pd.Series([], dtype=object)}), r"\(0, 1\)"), (np.empty((0, 2)), r"\(0, 2\)"),
    (pd.DataFrame(index=range(N)), rf"\({N}, 0\)"), (np.empty((N, 0)), rf"\({N}, 0\)")])
def test_no_rows_and_no_columns(learner, table, shape):
    estimator = learner()
    with pytest.raises(ValueError, match=f"shape={shape}"):
        estimator.fit(table, Y[:len(table)])
    assert fitted_names(estimator) == []


@learners()
def test_no_rows_at_predict(learner):
    fitted = learner().fit(frame(WORDS), Y)
    for ask in (fitted.predict, fitted.predict_proba, fitted.explain):
        with pytest.raises(ValueError, match="0 sample"):
            ask(frame(WORDS)[:0])


@learners()
@pytest.mark.parametrize("table", [WORDS, WORDS.to_numpy(), np.zeros((N, 1, 1)), 3, None, {"x": WORDS},
                                   [[1, 2]] * (N - 1) + [[1]], "text"],
                         ids="series 1d 3d scalar None dict ragged text".split())
def test_what_is_not_a_table(learner, table):
    with pytest.raises((ValueError, TypeError)):
        learner().fit(table, Y)


@learners()
def test_sparse(learner):
    from scipy.sparse import csr_array
    with pytest.raises(TypeError, match="dense"):
        learner().fit(csr_array(HALVES.to_numpy()[:, None]), Y)
    column = pd.arrays.SparseArray(HALVES)
    assert learner().fit(frame(column), Y).to_text() == learner().fit(frame(HALVES), Y).to_text()


@learners()
def test_thousands_of_columns(learner):
    rng = np.random.default_rng(0)
    words = pd.DataFrame(rng.choice(["a", "b"], (N, 2000))).rename(columns=str)
    numbers = pd.DataFrame(rng.normal(size=(N, 500)), columns=[f"n{i}" for i in range(500)])
    table = pd.concat([words, numbers, frame(WORDS)], axis=1)
    settings = {"min_cases_per_rule": 10} if "min_cases_per_rule" in learner().get_params() else {}
    check_answers(learner(**settings).fit(table, Y), table, Y)


@learners()
def test_many_values(learner):
    "A column with a value of its own in each row, and one with more values than fit in a byte."
    table = pd.DataFrame({"own": [f"id{i}" for i in range(600)], "some": [f"s{i % 300}" for i in range(600)],
                          "x": np.where(np.arange(600) % 3 == 0, "a", "b")})
    y = np.where(np.arange(600) % 3 == 0, "up", "down")
    assert check_answers(learner().fit(table, y), table, y).shape == (600,)


# -------------------------------------------------------------------------------------------- names

class OtherFrame:
    "A frame of another library, as polars has them."
    def __init__(self, table): self.table, self.columns, self.shape = table, list(table.columns), table.shape
    def __len__(self): return len(self.table)
    def to_pandas(self): return self.table


@learners()
@pytest.mark.parametrize("wrap", [OtherFrame, lambda table: pa.Table.from_pandas(table, preserve_index=False)],
                         ids=["polars-like", "arrow"])
def test_frames_of_other_libraries(learner, wrap):
    table = frame(WORDS)
    fitted, plain = learner().fit(wrap(table), Y), learner().fit(table, Y)
    assert fitted.to_text() == plain.to_text()
    assert list(fitted.feature_names_in_) == ["x", "same"]
    assert (fitted.predict(wrap(table)) == plain.predict(table)).all()
    assert (fitted.predict(table) == plain.predict(table)).all()
    for wrong in (table[["same", "x"]], table[["x"]], table.assign(more=1), table.set_axis(["x", "y"], axis=1)):
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(wrap(wrong))


@learners()
def test_columns_at_predict_as_in_scikit_learn(learner):
    X, y = mixed_table()
    fitted = learner().fit(X, y)
    for wrong, message in ((X[X.columns[::-1]], "same order"), (X.drop(columns="word"), "now missing:\n- word"),
                           (X.assign(more=1), "unseen at fit time:\n- more"),
                           (X.rename(columns={"word": "Word"}), "- Word")):
        for ask in (fitted.predict, fitted.predict_proba, fitted.explain):
            with pytest.raises(ValueError, match="feature names should match.*(\n.*)*" + message):
                ask(wrong)
    with pytest.raises(ValueError, match="3 features, but .* is expecting 4"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.predict(X.to_numpy(object)[:, :3])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (fitted.predict(X.to_numpy(object)) == fitted.predict(X)).all()


@learners()
@pytest.mark.parametrize("labels", [[0, 1], [np.int64(5), np.int64(6)], [("a", 1), ("a", 2)], [None, 1.5],
                                    pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]),
                                    pd.date_range("2020", periods=2)],
                         ids=["int", "int64", "tuple", "None", "levels", "dates"])
def test_column_labels_that_are_not_words(learner, labels):
    "They are turned into words; in another order or under other labels they are not taken silently."
    table = pd.DataFrame({"x": WORDS, "z": np.where(ON, "u", "v")})
    table.loc[:5, "z"] = "u"
    table = table.set_axis(labels, axis=1)
    fitted = learner().fit(table, Y)
    assert fitted.model_.schema.names == [str(label) for label in table.columns]
    check_answers(fitted, table, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (fitted.predict(table.to_numpy(object)) == fitted.predict(table)).all()
    for wrong in (table.iloc[:, ::-1], table.set_axis([7, 8], axis=1)):
        with pytest.raises(ValueError, match="feature names should match|lacks the column"):
            fitted.predict(wrong)


@learners()
def test_a_model_of_an_array_is_asked_by_position(learner):
    table = pd.DataFrame({"x": WORDS, "z": HALVES})
    fitted = learner().fit(table.to_numpy(object), Y)
    assert fitted.model_.schema.names == ["x0", "x1"]
    for other in (table.to_numpy(object), table.to_numpy(object).tolist()):
        assert len(fitted.predict(other)) == N
    with pytest.warns(UserWarning, match="fitted without feature names"):
        named = fitted.predict(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbered = fitted.predict(table.set_axis([0, 1], axis=1))
    assert (named == fitted.predict(table.to_numpy(object))).all() and (numbered == named).all()


@learners()
def test_mixed_and_repeated_labels(learner):
    table = pd.DataFrame({"x": WORDS, "z": HALVES})
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        learner().fit(table.set_axis([0, "z"], axis=1), Y)
    for labels in (["x", "x"], ["1", 1]):
        with pytest.raises((ValueError, TypeError), match="occur twice: (x|1)|string names"):
            learner().fit(table.set_axis(labels, axis=1), Y)
    fitted = learner().fit(table, Y)
    with pytest.raises(ValueError):
        fitted.predict(table.set_axis(["x", "x"], axis=1))


ODD = ["petal width (cm)", 'a "quoted" name', "it's", "a = b", "x; DROP TABLE t", "<b>", "a\\b", "a|b",
       "two\nlines", "[x]", "`b`", "天气", "🌦️", "", " edge ", "class", "None", "SELECT", "%s", "{x}", "&lt;",
       "--", "/*", "\t", '"""', "row", "value", "x0", "0", "True", "setosa & 123", "n" * 3000, "__class__",
       "a.b", "AND", "x <= 3"]


@learners()
def test_odd_names_in_every_export(learner):
    "Columns, values and labels under odd names: what is exported answers as the estimator does."
    for i, name in enumerate(ODD):
        other, value = ODD[i - 1], ODD[i - 2]
        table = pd.DataFrame({name: np.where(ON, value, other), other: HALVES})
        y = pd.Series(np.where(Y == "up", name, other), name=value)
        fitted = learner().fit(table, y)
        truth = check_answers(fitted, table, y).tolist()
        assert list(fitted.feature_names_in_) == [name, other]
        assert (from_json(fitted.to_json()).predict(table) == truth).all()
        space = {}
        exec(fitted.to_python(), space)
        assert [space["predict"](row) for row in table.to_dict("records")] == truth
        with closing(sqlite3.connect(":memory:")) as db:
            quoted = ", ".join('"' + n.replace('"', '""') + '"' for n in table.columns)
            if name.lower() == other.lower(): continue
            db.execute(f"CREATE TABLE t ({quoted})")
            db.executemany("INSERT INTO t VALUES (?, ?)", table.values.tolist())
            assert [a for a, in db.execute(f"SELECT {fitted.to_sql()} FROM t ORDER BY rowid")] == truth
        assert fitted.to_html() and fitted.to_markdown() and len(fitted.to_frame())


@learners()
@pytest.mark.parametrize("name", ["iris", "voting", "hepatitis"])
def test_exports_of_real_tables(learner, name):
    "SQL in SQLite, Python and JSON agree with `predict` on every row."
    from swarmlit.read import load_dataset
    X, y = load_dataset(name, return_X_y=True)
    fitted = learner().fit(X, y)
    truth = fitted.predict(X).tolist()
    assert from_json(fitted.to_json()).predict(X).tolist() == truth
    cells = X.astype(object).where(X.notna(), None)
    space = {}
    exec(fitted.to_python(), space)
    assert [space["predict"](row) for row in cells.to_dict("records")] == truth
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE t ({', '.join(chr(34) + n + chr(34) for n in X.columns)})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * X.shape[1])})", cells.values.tolist())
        assert [a for a, in db.execute(f"SELECT {fitted.to_sql()} FROM t ORDER BY rowid")] == truth


@learners()
def test_exports_ask_for_no_more_than_the_columns_they_use(learner):
    "`features_used_` is all that SQL and Python need of a wide table; and nothing less."
    X, y = mixed_table(holes=False)
    wide = X.assign(**{f"idle {i}": "k" for i in range(5)})
    fitted = learner().fit(wide, y)
    used = fitted.features_used_
    assert used and used == [name for name in wide if name in used]
    truth, space = fitted.predict(wide).tolist(), {}
    exec(fitted.to_python(), space)
    assert [space["predict"](row) for row in wide[used].to_dict("records")] == truth
    with closing(sqlite3.connect(":memory:")) as db:
        wide[used].to_sql("t", db, index=False)
        assert [a for a, in db.execute(f"SELECT {fitted.to_sql(table='t')} FROM t ORDER BY rowid")] == truth
        for name in used:
            wide[used].drop(columns=name).assign(other=1).to_sql("less", db, index=False, if_exists="replace")
            with pytest.raises(sqlite3.OperationalError, match="no such column"):
                db.execute(f"SELECT {fitted.to_sql(table='less')} FROM less").fetchall()


# ------------------------------------------------------------------------------- categorical_features

@learners()
@pytest.mark.parametrize("declared", [["x"], "x", [0], [-2], np.array([0]), np.array(["x"]), [True, False],
                                      np.array([True, False]), pd.Index(["x"]), ("x",), [np.int64(0)]], ids=repr)
def test_columns_declared_nominal(learner, declared):
    table = pd.DataFrame({"x": WHOLE, "z": HALVES})
    fitted = learner(categorical_features=declared).fit(table, Y)
    assert [a.kind for a in fitted.model_.schema.attributes] == ["nominal", "continuous"]
    check_answers(fitted, table, Y)


@learners()
def test_columns_are_taken_by_their_type_unless_declared(learner):
    "None and 'from_dtype' say the same: whole numbers are numbers, a category of numbers is words."
    table = pd.DataFrame({"x": WHOLE, "z": WHOLE.astype("category")})
    plain, by_type = (learner(categorical_features=how).fit(table, Y) for how in (None, "from_dtype"))
    assert [a.kind for a in by_type.model_.schema.attributes] == ["continuous", "nominal"]
    assert by_type.to_text() == plain.to_text()


@learners()
@pytest.mark.parametrize("declared", [["nope"], [2], [-3], [True], [True, False, True], [0.5], 7])
def test_columns_declared_that_are_not_there(learner, declared):
    with pytest.raises((ValueError, TypeError), match="categorical_features"):
        learner(categorical_features=declared).fit(pd.DataFrame({"x": WHOLE, "z": HALVES}), Y)


# -------------------------------------------------------------------------------- unseen, out of range

@learners()
def test_values_never_seen(learner):
    X, y = mixed_table()
    new = X.head(6).copy()
    new.loc[[0, 2, 3], "word"], new.loc[1, "colour"] = ["ZZZ", "", "A"], "green"
    fitted = learner().fit(X, y)
    with pytest.warns(UserWarning) as caught:
        predicted = fitted.predict(new)
    told = [str(w.message) for w in caught if "never seen" in str(w.message)]
    assert len(told) == 1 and "'word' (3 cells" in told[0] and "'colour' (1 cells" in told[0]
    assert set(predicted) <= set(fitted.classes_)
    check_answers(fitted, new)
    strict = learner(handle_unknown="error").fit(X, y)
    assert (strict.predict(X) == fitted.predict(X)).all()
    with pytest.raises(ValueError, match="never seen.*'word' \\(3 cells"):
        strict.predict(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")                       # a hole is not a value never seen
        strict.predict(X.assign(word=None))


@learners()
@pytest.mark.parametrize("learned", [str, int, bool])
def test_words_and_numbers_are_known_by_their_spelling(learner, learned):
    "A column that was read as words when the model was learned, and as numbers now; and the other way round."
    values = np.where(ON, 1, 0).astype(bool if learned is bool else int)
    as_learned = pd.Series(values).astype(object).map(learned)
    fitted = learner(categorical_features=["x"]).fit(frame(as_learned), Y)
    truth, space = fitted.predict(frame(as_learned)).tolist(), {}
    assert len(set(truth)) == 2
    exec(fitted.to_python(), space)
    kinds = ["bool", "object", "str"] if learned is bool else ["int64", "float64", "Int64", "object", "str"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in kinds:
            asked = frame(pd.Series(values).astype(kind))
            assert fitted.predict(asked).tolist() == truth, kind
            assert from_json(fitted.to_json()).predict(asked).tolist() == truth, kind
            assert [space["predict"](row) for row in asked.to_dict("records")] == truth, kind


@learners()
def test_values_never_seen_in_every_export(learner):
    "New words, holes and far numbers, alone and together: SQL, Python and JSON answer as `predict` does."
    X, y = mixed_table()
    fitted = learner().fit(X, y)
    words, colours, numbers = ["a", "ZZZ", "A", None], ["red", "green", None], [-1e300, .5, 1e9, np.nan]
    new = pd.DataFrame([[w, c, s, n] for w in words for c in colours for s in (True, False) for n in numbers],
                       columns=X.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        truth = check_answers(fitted, new).tolist()
        assert from_json(fitted.to_json()).predict(new).tolist() == truth
    cells, space = new.astype(object).where(new.notna(), None), {}
    exec(fitted.to_python(), space)
    assert [space["predict"](row) for row in cells.to_dict("records")] == truth
    with closing(sqlite3.connect(":memory:")) as db:
        new.to_sql("t", db, index=False)
        assert [a for a, in db.execute(f"SELECT {fitted.to_sql(table='t')} FROM t ORDER BY rowid")] == truth


@learners()
def test_numbers_outside_the_training_range(learner):
    "They fall into the open interval at the end."
    fitted = learner().fit(frame(HALVES), Y)
    ends = fitted.predict(frame(HALVES))[[1, 0]]
    for low, high in ((-1e300, 1e300), (-2.1, 1.6), (np.nextafter(-2, -9), np.nextafter(1.5, 9)), (-1e9, 5.0)):
        answers = fitted.predict(pd.DataFrame({"x": [low, high], "same": "k"}))
        assert (answers == ends).all()


@learners()
def test_index_is_kept_and_ignored(learner):
    X, y = mixed_table()
    plain = learner().fit(X, y)
    for index in (np.arange(len(X))[::-1], np.zeros(len(X), int), [f"row {i}" for i in range(len(X))],
                  pd.date_range("2020", periods=len(X))):
        moved = X.set_axis(index)
        fitted = learner().fit(moved, y.sample(frac=1, random_state=0).sort_index())
        assert fitted.to_text() == plain.to_text()
        assert (fitted.predict(moved) == plain.predict(X)).all()
        assert list(fitted.explain(moved).index) == list(moved.index)


DAYS = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])[np.asarray(ON, int)])


@learners()
@pytest.mark.parametrize("times", [
    DAYS, DAYS.dt.tz_localize("UTC"), DAYS.dt.date, DAYS.dt.time, DAYS.astype(object), DAYS.dt.to_period("D"),
    DAYS - DAYS[0], (DAYS - DAYS[0]).astype(object), DAYS.astype("category"), DAYS.dt.date.astype("category"),
    DAYS.dt.to_period("D").astype("category"), DAYS.dt.date.where(DAYS.index > 0, None),
], ids=lambda times: f"{times.dtype}-{type(times.iloc[-1]).__name__}")
def test_dates_and_durations_are_refused_by_name(learner, times):
    "Whichever library made them, and wherever they are kept; named by the user, they are names."
    with pytest.raises(TypeError, match="Column 'x' holds dates or durations"):
        learner().fit(frame(times), Y)
    if times.dtype == object and times.notna().all():
        fitted = learner(categorical_features=["x"]).fit(frame(times), Y)
        check_answers(fitted, frame(times), Y)


@learners()
def test_exported_python_finds_columns_whose_names_are_no_text(learner):
    X, y = mixed_table(holes=False)
    for columns in (range(4), [("a", 1), ("a", 2), ("b", 1), ("b", 2)]):
        renamed = X.set_axis(pd.Index(columns, tupleize_cols=False), axis=1)
        model, namespace = learner().fit(renamed, y), {}
        exec(model.to_python(), namespace)
        answers = [namespace["predict"](row) for row in renamed.to_dict("records")]
        assert answers == model.predict(renamed).tolist()


@learners()
@pytest.mark.parametrize("kind", ["records", "dicts", "dict", "path", "name"])
def test_what_holds_or_names_a_table_but_is_none(learner, kind):
    "The first things a newcomer hands over, in fit and in predict: a message with the way out."
    table, y = mixed_table(holes=False)
    other = {"records": table.to_records(index=False), "dicts": table.to_dict("records"), "dict": table.to_dict("list"),
             "path": Path("table.csv"), "name": "table.csv"}[kind]
    out = "pandas.DataFrame" if "csv" not in str(other) else "read_csv"
    fitted = learner().fit(table, y)
    for ask in (lambda: learner().fit(other, y), lambda: fitted.predict(other)):
        with pytest.raises(TypeError, match=out.replace(".", "[.]")):
            ask()
