"""Readers: what is written comes back, and nothing but a TableError goes wrong."""
import csv
import gzip
import io
import pickle
import re
import string
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swarmlit.read import TableError, TableWarning, list_datasets, load_dataset, read_table

FORMATS = ["csv", "tsv", "arff", "keel", "c45", "parquet"]
relaxed = settings(max_examples=80, deadline=None,
                   suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def read(tmp_path, content, name, **options):
    "Write a text and read it."
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return read_table(path, **options)


# ---------------------------------------------------------------- random tables

word = st.text(st.one_of(st.characters(exclude_categories=["Cs", "Cc"]), st.sampled_from("'\"\\,;%{}|:.? @\t<>[]=")),
               max_size=8).map(str.strip)
line_word = st.text(st.sampled_from(string.ascii_letters + "\n\r\t '\",ä"), max_size=8).map(str.strip)


@st.composite
def tables(draw, words=word):
    "Columns (name, values or None for a number) and rows of str, float or None."
    n_columns, n_rows = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    names = draw(st.lists(words.map(lambda w: "c" + w), min_size=n_columns, max_size=n_columns, unique=True))
    columns, cells = [], []
    for name in names:
        if draw(st.booleans()):
            values = draw(st.lists(words.map(lambda w: "v" + w), min_size=1, max_size=4, unique=True))
            columns.append((name, values))
            cells.append(draw(st.lists(st.one_of(st.none(), st.sampled_from(values)), min_size=n_rows, max_size=n_rows)))
        else:
            columns.append((name, None))
            number = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False),
                               st.integers(-10**12, 10**12))
            cells.append(draw(st.lists(number, min_size=n_rows, max_size=n_rows)))
    return columns, [list(row) for row in zip(*cells)]


def same(frame, columns, rows, domains=True):
    "Is the frame what was written?"
    assert list(frame.columns) == [name for name, _ in columns]
    assert len(frame) == len(rows)
    for (name, values), cells in zip(columns, zip(*rows)):
        column = frame[name]
        assert column.isna().tolist() == [c is None for c in cells]
        if values is None:
            assert column.dropna().tolist() == [c for c in cells if c is not None]
            assert column.dtype in (np.dtype("int64"), np.dtype("float64"))
        else:
            if domains: assert list(column.cat.categories) == values
            if any(c is not None for c in cells):
                assert column.dropna().tolist() == [c for c in cells if c is not None]


def quoted(text, mark="'"):
    for a, b in (("\\", "\\\\"), (mark, "\\" + mark), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(a, b)
    return mark + text + mark


def as_arff(columns, rows, mark="'", hole="?"):
    q = lambda t: quoted(t, mark)
    lines = ["% made by a test", "@RELATION " + q("r")]
    lines += [f"@Attribute {q(n)} " + ("NUMERIC" if v is None else "{" + ", ".join(map(q, v)) + "}") for n, v in columns]
    lines += ["@DATA"] + [",".join(hole if c is None else q(c) if isinstance(c, str) else repr(c) for c in r) for r in rows]
    return "\n".join(lines) + "\n"


@relaxed
@given(table=tables(st.one_of(word, line_word)), mark=st.sampled_from("'\""), end=st.sampled_from(["\n", "\r\n"]))
def test_arff_round_trip(tmp_path, table, mark, end):
    columns, rows = table
    same(read(tmp_path, as_arff(columns, rows, mark).replace("\n", end), "t.arff"), columns, rows)


@relaxed
@given(table=tables())
def test_keel_round_trip(tmp_path, table):
    columns, rows = table
    text = as_arff(columns, rows, hole="<null>").replace("NUMERIC", "real")
    names = [quoted(n) for n, _ in columns]
    extra = f"@outputs {names[-1]}\n@DATA" if len(names) == 1 else \
        f"@inputs {', '.join(names[:-1])}\n@outputs {names[-1]}\n@DATA"
    frame = read(tmp_path, text.replace("@DATA", extra, 1) if "@DATA" not in "".join(names) else text, "t.dat")
    same(frame, columns, rows)
    assert frame.attrs["target"] == columns[-1][0]


@relaxed
@given(table=tables(), sparse=st.booleans())
def test_sparse_arff_equals_dense(tmp_path, table, sparse):
    columns, rows = table
    head = as_arff(columns, rows).split("@DATA\n")[0] if "@DATA" not in str(columns) else None
    if head is None: return
    lines = []
    for row in rows:
        cells = []
        for i, ((_, values), c) in enumerate(zip(columns, row)):
            if sparse and c is not None and c == (values[0] if values else 0): continue
            cells.append(f"{i} " + ("?" if c is None else quoted(c) if isinstance(c, str) else repr(c)))
        lines.append("{" + ", ".join(cells) + "}")
    same(read(tmp_path, head + "@DATA\n" + "\n".join(lines), "t.arff"), columns, rows)


@relaxed
@given(table=tables(st.one_of(word, line_word)), sep=st.sampled_from(",;\t"), bom=st.booleans(), packed=st.booleans(),
       quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), hole=st.sampled_from(["", "?"]))
def test_csv_round_trip(tmp_path, table, sep, bom, packed, quoting, hole):
    columns, rows = table
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=sep, quoting=quoting, lineterminator="\r\n")
    writer.writerow([n for n, _ in columns])
    writer.writerows([[hole if c is None else c if isinstance(c, str) else repr(c) for c in r] for r in rows])
    raw = out.getvalue().encode("utf-8-sig" if bom else "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        frame = read(tmp_path, gzip.compress(raw) if packed else raw, "t.csv.gz" if packed else "t.csv", sep=sep)
    same(frame, columns, rows, domains=False)


def c45(text): return re.sub(r"([\\|,:.?])", r"\\\1", text)


@relaxed
@given(table=tables(), classes=st.lists(word.map(lambda w: "k" + w), min_size=2, max_size=3, unique=True),
       data=st.data(), stop=st.booleans())
def test_c45_round_trip(tmp_path, table, classes, data, stop):
    columns, rows = table
    if any(n == "class" for n, _ in columns): return
    labels = data.draw(st.lists(st.sampled_from(classes), min_size=len(rows), max_size=len(rows)))
    entries = [", ".join(map(c45, classes)) + ".  | the classes"]
    entries += [f"{c45(n)}: " + ("continuous" if v is None else ", ".join(map(c45, v))) + "." for n, v in columns]
    (tmp_path / "t.names").write_text("\n".join(entries), encoding="utf-8")
    end = "." if stop else ""
    lines = [", ".join([*("?" if c is None else c45(c) if isinstance(c, str) else repr(c) for c in row), c45(k)]) + end
             for row, k in zip(rows, labels)]
    frame = read(tmp_path, "\n".join(lines), "t.data")
    same(frame, [*columns, ("class", classes)], [[*r, k] for r, k in zip(rows, labels)])
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.names"), frame)


# ---------------------------------------------------------------- anything at all

pieces = st.sampled_from(["@relation r\n", "@attribute a real\n", "@attribute b {x,'y z'}\n", "@attribute a {", "@data\n", "@inputs a\n",
                          "@outputs b\n", "a,b\n", "1,x\n", "{0 1}\n", "{", "}", "'", '"', "\\", "%", "|", ":", ".", "?", ",", ";", "\t", "\n", "\r",
                          "yes, no.\n", "a: continuous.\n", "b: x, y.\n", "discrete 3", "<null>", "ä", "\x00", "\x85", "\u2028", "1e999", " "])
anything = st.one_of(st.binary(max_size=200), st.lists(pieces, max_size=25).map(lambda p: "".join(p).encode()),
                     st.binary(max_size=40).map(lambda b: b"PAR1" + b + b"PAR1"), st.binary(max_size=40).map(lambda b: b"\x1f\x8b" + b))


@pytest.mark.parametrize("kind", FORMATS)
@settings(relaxed, max_examples=250)
@given(raw=anything, names=anything)
def test_arbitrary_bytes_give_a_table_or_a_table_error(tmp_path, kind, raw, names):
    (tmp_path / "t.names").write_bytes(names)
    (tmp_path / "t.data").write_bytes(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        try: frame = read_table(tmp_path / "t.data", format=kind)
        except TableError as e: assert str(e.path).startswith(str(tmp_path)) and e.message
        else:
            assert isinstance(frame, pd.DataFrame) and len(frame) and frame.shape[1]
            assert frame.columns.is_unique


# ---------------------------------------------------------------- errors say where

HEAD = "@relation r\n@attribute age integer [0, 120]\n@attribute smoker {'yes','no'}\n@data\n"
WRONG = [  # name, text, line, column, a part of the message
    ("t.csv", "a,b\n1,2\n3\n", 3, "b", "1 fields where 2"),
    ("t.csv", "a,b\n1,2\n\n3,4,5\n", 4, 3, "3 fields where 2"),
    ("t.csv", 'a,b\n1,2\n3,"4\n5,6\n', 3, None, "never closed"),
    ("t.csv", 'a,b\n1,"2"3\n', 2, None, "closing quote"),
    ("t.csv", "a,b,a\n1,2,3\n", 1, "a", "same name"),
    ("t.csv", "a,,c\n1,2,3\n", 1, 2, "no name"),
    ("t.csv", "a,b\n", None, None, "no data"),
    ("t.csv", "", None, None, "empty"),
    ("t.csv", " \n\n", None, None, "empty"),
    ("t.csv", "\ufeff", None, None, "empty"),
    ("t.csv", "a\nK\xf6ln\n".encode("latin-1"), 2, None, "latin-1"),
    ("t.csv", "a,b\n1,2\n".encode("utf-16"), 1, None, "utf-16"),
    ("t.csv", b"PK\x03\x04rest", None, None, "spreadsheet"),
    ("t.csv", b"a,b\n1,2\n\x00\x00", 3, None, "zero byte"),
    ("t.tsv", "a\tb\n1\t2\t3\n", 2, 3, "3 fields where 2"),
    ("t.arff", HEAD + "18,'no'\n19,maybe\n", 6, "smoker", "'maybe' is not one of"),
    ("t.arff", HEAD + "18,no\nold,no\n", 6, "age", "not a number"),
    ("t.arff", HEAD + "18,no\n19\n", 6, "smoker", "1 fields where 2"),
    ("t.arff", HEAD + "18,no,no\n", 5, 3, "3 fields where 2"),
    ("t.arff", HEAD + "18,'no\n", 5, 2, "unterminated quote"),
    ("t.arff", HEAD + ",no\n", 5, "age", "empty"),
    ("t.arff", HEAD + "{0 18, 7 no}\n", 5, 8, "position 7"),
    ("t.arff", HEAD, None, None, "no data"),
    ("t.arff", "@relation r\n@attribute a date 'yyyy'\n@data\n1\n", 2, "a", "not a type"),
    ("t.arff", "@relation r\n@attribute a relational\n@data\n1\n", 2, "a", "not a type"),
    ("t.arff", "@relation r\n@attribute a relational\n@attribute b real\n@end a\n@attribute b real\n@data\n'1',1\n",
     2, "a", "It can be left out: drop=['a']."),
    ("t.csv", "# a remark\na,b\n1,2\n", 1, None, "starts with # and has another number of fields (1) than the table (2)"),
    ("t.csv", "# a remark\na;b\n1;2\n", 1, None, "If it is a comment, take it out"),
    ("t.csv", "\n# one\n# two\na;b\n1;2\n", 2, None, "If it is a comment, take it out"),
    ("t.csv", "a,b\n1,2\n3\n4,5\n6\n7,8,9\n", 3, "b", "nothing for this column. 2 more lines have a wrong number of fields: 5, 6."),
    ("t.csv", "a,b\n1,2\n3\n4\n5\n6\n7\n", 3, "b", "4 more lines have a wrong number of fields: 4, 5, 6, …"),
    ("t.csv", "a,b\n1,2\n3\n4,5,6\n", 3, "b", "Line 4 has a wrong number of fields too."),
    ("t.csv", 'a,b\n1,2\n3\n4,5,6\n7,"8\n', 3, "b", "Line 4 has a wrong number"),
    ("t.csv", "a,b,a\n1,2,3\n", 1, "a", "Rename one of them, or leave them out: drop=['a']. If the file has no header, give the"),
    ("t.arff", "@relation r\n@attribute a real\n@attribute a real\n@data\n1,1\n", 3, "a", "same name"),
    ("t.arff", "@relation r\n@attribute a {x, y\n@data\nx\n", 2, "a", "not a type"),
    ("t.arff", "@relation r\n@attribute a real\n1\n", 3, None, "expected @relation"),
    ("t.arff", "@relation r\n@data\n1\n", 2, None, "before any @attribute"),
    ("t.arff", "@relation r\n@attribute s string\n@attribute a real\n@data\n{1 3}\n", 5, "s", "left out"),
    ("t.dat", HEAD + "121, no\n", 5, "age", "outside the declared range [0, 120]"),
    ("t.dat", HEAD.replace("@data", "@inputs age, smoke\n@data") + "1, no\n", 4, "smoke", "Did you mean 'smoker'"),
    ("t.dat", "1,2,3\n", 1, None, "expected @relation"),
    ("t.parquet", b"PAR1....", None, None, "broken Parquet"),
    ("t.parquet", b"a,b\n", None, None, "not a Parquet"),
    ("t.csv", b"\xd0\xcf\x11\xe0rest", None, None, "spreadsheet"),
    ("t.xlsx", b"x", None, None, "save the sheet as CSV first"),
    ("t.XLS", b"x", None, None, "save the sheet as CSV first"),
    ("t.xyz", b"x", None, None, "say format="),
    ("t", b"x", None, None, "say format="),
]


@pytest.mark.parametrize("name,text,line,column,part", WRONG)
def test_errors_name_file_line_and_column(tmp_path, name, text, line, column, part):
    with pytest.raises(TableError) as caught: read(tmp_path, text, name)
    e = caught.value
    assert (e.path, e.line, e.column) == (tmp_path / name, line, column)
    assert part in e.message and str(tmp_path / name) in str(e)
    copy = pickle.loads(pickle.dumps(e))
    assert str(copy) == str(e) and copy.line == line


NAMES = "yes, no.\nage: continuous.\nsize: S, M, L.\nnote: ignore.\ncode: discrete 2.\n"


@pytest.mark.parametrize("names,data,where,line,column,part", [
    (NAMES, "61,S,x,a,yes\n62,XL,x,a,no\n", "data", 2, "size", "'XL' is not one of"),
    (NAMES, "61,S,x,a,yes\nsixty,M,x,a,no\n", "data", 2, "age", "not a number"),
    (NAMES, "61,S,x,a,maybe.\n", "data", 1, "class", "'maybe' is not one of"),
    (NAMES, "61,S,x,a\n", "data", 1, "class", "4 fields where 5"),
    (NAMES, "61,S,x,a,yes\n1,S,x,b,no\n\n1,S,x,c,no\n", "data", 4, "code", "one value too many"),
    (NAMES, "61,,x,a,yes\n", "data", 1, 2, "empty"),
    (NAMES, "", "data", None, None, "empty"),
    (NAMES + "age: ignore.", "1,S,x,a,1,no\n", "names", 6, "age", "same name"),
    ("yes, no.\nage continuous.\n", "1,yes\n", "names", 2, "age continuous", "expected 'name: continuous'"),
    ("age: continuous.\n", "1\n", "names", 1, 1, "must list the classes"),
])
def test_c45_errors(tmp_path, names, data, where, line, column, part):
    (tmp_path / "t.names").write_text(names)
    with pytest.raises(TableError) as caught: read(tmp_path, data, "t.data")
    e = caught.value
    assert (e.path.name, e.line, e.column) == (f"t.{where}", line, column) and part in e.message


def test_missing_files_and_folders(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path / "none.data", tmp_path / "none.parquet"):
        with pytest.raises(TableError): read_table(path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="folder"): read_table(tmp_path / "folder.csv")
    with pytest.raises(TableError): read_table("a\0b.csv")
    (tmp_path / "t.names").write_text(NAMES)
    with pytest.raises(TableError, match="no such file"): read_table(tmp_path / "t.names")


def test_parameters_are_checked(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    (tmp_path / "t.arff").write_text(HEAD + "18,no\n")
    for options in (dict(format="cvs"), dict(decimal=";"), dict(sep=",,"), dict(sep=""), dict(sep='"')):
        with pytest.raises(ValueError): read_table(tmp_path / "t.csv", **options)
    for options in (dict(sep=";"), dict(names=["a"]), dict(missing=("x",)), dict(decimal=",")):
        with pytest.raises(ValueError, match="CSV and TSV only"): read_table(tmp_path / "t.arff", **options)
    with pytest.raises(TableError, match="no encoding"): read_table(tmp_path / "t.csv", encoding="klingon")
    with pytest.raises(TableError, match="Did you mean 'smoker'"): read_table(tmp_path / "t.arff", target="smokers")


def test_a_quoted_domain_and_quoted_rows_agree(tmp_path):
    frame = read(tmp_path, "@relation r\n@attribute age numeric\n@attribute smoker {'yes','no'}\n@data\n18,'no'\n40,yes\n", "t.arff")
    assert frame.smoker.tolist() == ["no", "yes"] and list(frame.smoker.cat.categories) == ["yes", "no"]
    assert frame.age.dtype == np.int64 and frame.attrs["target"] == "smoker"


def test_a_sparse_row_with_a_quoted_class(tmp_path):
    head = '@relation r\n@attribute a real\n@attribute b {W,X}\n@attribute c {u,v}\n@attribute d real\n@attribute class {"class B","class A"}\n@data\n'
    frame = read(tmp_path, head + '{1 X, 3 .5, 4 "class A"}\n{}\n', "t.arff")
    assert frame.values.tolist() == [[0, "X", "u", .5, "class A"], [0, "W", "u", 0, "class B"]]


def test_keel_inputs_outputs_and_null(tmp_path):
    head = "@relation r\n@attribute x real [0.0, 1.0]\n@attribute y integer [0, 5]\n@attribute z {a,b}\n"
    frame = read(tmp_path, head + "@inputs z, y\n@outputs x\n@data\n0.5, <null>, a\n0.25, 3, b\n", "t.dat")
    assert list(frame) == ["y", "z", "x"] and frame.attrs["target"] == "x"
    assert frame.y.isna().tolist() == [True, False]
    assert read(tmp_path, head + "@data\n0.5, 3, a\n", "t.dat").attrs["target"] == "z"
    two = read(tmp_path, head + "@outputs y, z\n@data\n0.5, 3, a\n", "t.dat")
    assert two.attrs["target"] is None and list(two) == ["x", "y", "z"]


@pytest.mark.parametrize("kind, inside, outside", [("real", ["-1", "1.5"], ["-1.1", "1.6"]),
                                                   ("integer", ["-1", "1"], ["-2", "2"])])
def test_the_ends_of_a_declared_range_belong_to_it(tmp_path, kind, inside, outside):
    head = f"@relation r\n@attribute x {kind} [{inside[0]}, {inside[1]}]\n@attribute z {{a,b}}\n@data\n"
    frame = read(tmp_path, head + "".join(f"{x}, a\n" for x in inside), "t.dat")
    assert frame.x.tolist() == [float(x) for x in inside]
    for x in outside:
        with pytest.raises(TableError, match="outside the declared range.*") as caught:
            read(tmp_path, head + f"{x}, a\n", "t.dat")
        assert (caught.value.line, caught.value.column) == (5, "x")


def test_targets_move_last(tmp_path):
    frame = read(tmp_path, "play,outlook\nyes,sunny\n", "t.csv", target="play")
    assert list(frame) == ["outlook", "play"] and frame.attrs["target"] == "play"
    assert read(tmp_path, "play,outlook\nyes,sunny\n", "t.csv").attrs["target"] is None


# ---------------------------------------------------------------- odd, but readable

@pytest.mark.parametrize("text,part", [
    ("w\n1\n2\nn/a\n", "line 4: 'n/a'"),
    ("w;x\n1,5;a\n2,5;b\n", "decimal=','"),
    ("5.1,setosa\n4.9,setosa\n", "taken for the header"),
    (",a\n0,x\n1,y\n", "it is dropped"),
    ("w\n" + "1\n" * 40 + "12 kg\n13 kg\n", "2 of 42 cells, first in line 42"),
    ("w\n0\n1\n1e999\n", "1 of 3 cells, first in line 4: '1e999'"),
])
def test_warnings(tmp_path, text, part):
    with pytest.warns(TableWarning, match=re.escape(part)) as told: read(tmp_path, text, "t.csv")
    assert len(told) == 1 and told[0].filename == __file__ and "t.csv: " in str(told[0].message)


@pytest.mark.parametrize("text", ["doors\n2\n3\n4\n5more\n5more\n", "lens\nnone\nsoft\n-\nunknown\n", "q\nQ1\nQ2\nQ3\n", "a,b\nx,1\ny,2\n", "a\nx\n1\n", "a,b\n,1\n?,2\n"])
def test_no_warning_where_nothing_is_odd(tmp_path, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, text, "t.csv")


def test_large_numbers_and_long_tables(tmp_path):
    frame = read(tmp_path, "a,b\n9223372036854775808,-1\n1,2\n", "t.csv")
    assert frame.dtypes.astype(str).tolist() == ["float64", "int64"]
    n = 70_000                                    # more than one block
    text = "i,k\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(n))
    frame = read(tmp_path, text, "t.csv")
    assert (frame.i == np.arange(n)).all() and (frame.k == np.array(["a", "b"] * (n // 2))).all()
    with pytest.raises(TableError) as caught: read(tmp_path, text + "5\n", "t.csv")
    assert caught.value.line == n + 2


def test_all_missing_column_is_a_column_of_holes(tmp_path):
    frame = read(tmp_path, "a,b\n?,1\n,2\n", "t.csv")
    assert frame.a.isna().all() and frame.a.dtype == np.float64


def test_parquet_keeps_types(tmp_path):
    frame = pd.DataFrame({"s": pd.Categorical(["b", None, "a"], categories=["b", "a", "c"]), "n": [1, 2, 3],
                          "f": [.5, np.nan, 2], "t": ["?", None, "NA"], "7": [True, False, True]}, index=[5, 6, 7])
    frame.to_parquet(tmp_path / "t.parquet")
    back = read_table(tmp_path / "t.parquet", target="s")
    assert list(back) == ["n", "f", "t", "7", "s"] and list(back.index) == [0, 1, 2]
    assert list(back.s.cat.categories) == ["b", "a", "c"] and back.t[0] == "?"
    frame.iloc[:0].to_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="no data"): read_table(tmp_path / "t.parquet")
    for values in ([[1], [2]], [b"x", b"y"], pd.to_datetime(["2025-01-01", "2025-01-02"])):
        pd.DataFrame({"x": values}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(TableError, match="column 'x'"): read_table(tmp_path / "t.parquet")


# ---------------------------------------------------------------- second opinions

@pytest.mark.parametrize("name", [n for n, cases in list_datasets().cases.items() if cases <= 1000])
def test_liac_arff_writes_what_we_read(tmp_path, name):
    arff = pytest.importorskip("arff")
    frame = load_dataset(name)
    kinds = [(c, list(frame[c].cat.categories) or ["none"]) if isinstance(frame[c].dtype, pd.CategoricalDtype)
             else (c, sorted(set(frame[c]))) if c == frame.columns[-1] else (c, "REAL") for c in frame]
    rows = [[None if pd.isna(v) else v for v in row] for row in frame.itertuples(index=False)]
    text = arff.dumps({"relation": name, "description": "", "attributes": kinds, "data": rows})
    back = read(tmp_path, text, "t.arff")
    assert list(back) == list(frame) and back.attrs["target"] == frame.columns[-1]
    for c in frame:
        a, b = frame[c].astype(object), back[c].astype(object)
        assert a.isna().tolist() == b.isna().tolist() and a.dropna().tolist() == b.dropna().tolist()


@pytest.mark.parametrize("name", ["voting", "hepatitis", "credit-g", "iris", "audiology"])
def test_pandas_reads_the_same_csv(tmp_path, name):
    frame = load_dataset(name)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        ours = read_table(tmp_path / "t.csv")
    theirs = pd.read_csv(tmp_path / "t.csv", keep_default_na=False, na_values=["", "?"])
    pd.testing.assert_frame_equal(ours, theirs)


# ---------------------------------------------------------------- numbers of other countries, and names made of digits

def test_under_a_decimal_comma_a_point_is_no_decimal_mark(tmp_path):
    file = "w;x\n1.234;a\n1,5;b\n"
    assert read(tmp_path, "w;x\n1.234;a\n2.5;b\n", "t.csv").w.tolist() == [1.234, 2.5]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert read(tmp_path, file, "t.csv", decimal=",").w.tolist() == ["1.234", "1,5"]
    assert len(told) == 1 and "thousands='.'" in str(told[0].message)
    assert read(tmp_path, file, "t.csv", decimal=",", thousands=".").w.tolist() == [1234, 1.5]


@pytest.mark.parametrize("cells,marks,numbers", [
    (["1.016,69", "112", "-1.000.000,5"], dict(decimal=",", thousands="."), [1016.69, 112, -1000000.5]),
    (["1,016.69", "112", "+3,029"], dict(thousands=","), [1016.69, 112, 3029]),
    (["3,029", "112"], dict(thousands=","), [3029, 112]),
    (["1 016,69", "?"], dict(decimal=",", thousands=" "), [1016.69, None]),
])
def test_grouped_numbers(tmp_path, cells, marks, numbers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = read(tmp_path, "w;x\n" + "".join(f"{c};a\n" for c in cells), "t.csv", **marks)
    assert [None if np.isnan(n) else n for n in frame.w] == numbers


@pytest.mark.parametrize("cell", ["1,5", "10,00", "1,0000", "0,125", ",125", "1,23,456", "1,016,69", "1,016."])
def test_only_well_formed_groups_count(tmp_path, cell):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(tmp_path, f"w;x\n{cell};a\n{cell};b\n", "t.csv", thousands=",").w.tolist() == [cell] * 2


@pytest.mark.parametrize("cells,said,unsaid", [
    ("3,029 112", ["thousands=','"], ["decimal"]),
    ("3,029 1,112", ["thousands=','", "decimal=','"], []),
    ("1,016.69 112", ["thousands=','"], ["decimal"]),
    ("1.016,69 112", ["thousands='.' and decimal=','"], []),
    ("1,5 2,25 112", ["decimal=','"], ["thousands"]),
    ("1,5 2,25 k.A. 112", ["decimal=','"], ["thousands", "missing"]),
    ("0,125 1,500 2,250", ["decimal=','"], ["thousands"]),
])
def test_what_is_advised_for_marks(tmp_path, cells, said, unsaid):
    with pytest.warns(TableWarning) as told:
        read(tmp_path, "w;x\n" + "".join(f"{c};a\n" for c in cells.split()), "t.csv")
    note = str(told[0].message)
    assert len(told) == 1 and all(s in note for s in said) and not any(u in note for u in unsaid)


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f", "\u2009", "_", "'", "’"])
def test_groups_of_digits_by_any_mark(tmp_path, blank):
    cells = [f"1{blank}234", f"-56{blank}789", f"1{blank}000{blank}000", "12", "?"]
    file = "w;x\n" + "".join(f"{c};a\n" for c in cells)
    mark = " " if blank.isspace() else blank
    with pytest.warns(TableWarning) as told: frame = read(tmp_path, file, "t.csv")
    note = str(told[0].message)
    assert len(told) == 1 and f"thousands={mark!r}" in note and "as in line 2" in note
    assert frame.attrs["odd"] == ["w"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = read(tmp_path, file, "t.csv", thousands=mark)
    assert frame.w.tolist()[:4] == [1234, -56789, 1_000_000, 12] and frame.attrs["odd"] == []


@pytest.mark.parametrize("cells,first", [
    (["<5", "7", "12", ">100"], "2: '<5'"), (["1", "−3", "–4"], "3: '−3'"), (["1d3", "2D-4", "4d0"], "2: '1d3'"),
    (["≤ 5", "~7", ">= 8.5"], "2: '≤ 5'"), (["NA", "1", "<0,5"], "4: '<0,5'"),
])
def test_words_that_look_like_numbers_are_told(tmp_path, cells, first):
    "As long as there is no notation to declare they stay words; nothing is said of names and dates."
    with pytest.warns(TableWarning) as told:
        frame = read(tmp_path, "w;x\n" + "".join(f"{c};a\n" for c in cells), "t.csv")
    assert len(told) == 1 and f"first in line {first}" in str(told[0].message)
    assert "looks like numbers" in str(told[0].message) and frame.w.tolist() == cells


@pytest.mark.parametrize("cells", [["<30", ">30"], ["<30", "30-40", ">40"], ["1.2.3", "1.10.0", "2.0.0"],
                                   ["2020-01-31", "2020-02-01", "2020-02-02"], ["12:30", "12:45", "13:00"],
                                   ["<=50K", ">50K", "<=9K"], ["1/2", "3/4", "1/4"], ["A1", "B2", "C3"]])
def test_names_that_hold_digits_are_names(tmp_path, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, "w;x\n" + "".join(f"{c};a\n" for c in cells * 5), "t.csv")


def test_columns_kept_as_text(tmp_path):
    file = "code,n,id\n01067,1,12345678901234567890\n1067,2,12345678901234567891\n?,3,7\n"
    frame = read(tmp_path, file, "t.csv", categorical=["code", "id"])
    assert frame.code.tolist()[:2] == ["01067", "1067"] and frame.code.isna().tolist() == [False, False, True]
    assert frame.id.nunique() == 3 and frame.n.tolist() == [1, 2, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)               # of the columns that are not named
        assert read(tmp_path, file, "t.csv", categorical=lambda names: names[:1]).code.tolist()[:2] == ["01067", "1067"]
        assert read(tmp_path, file, "t.csv", categorical="n").n.tolist() == ["1", "2", "3"]
    with pytest.raises(TableError, match="Did you mean 'code'"): read(tmp_path, file, "t.csv", categorical=["cod"])
    with pytest.raises(ValueError, match="CSV and TSV only"): read(tmp_path, HEAD + "18,no\n", "t.arff", categorical=["age"])


def test_the_decimal_mark_does_not_separate(tmp_path):
    assert read(tmp_path, "a,x;b,x;c,x\n1,5;2,5;3,5\n", "t.csv", decimal=",").shape == (1, 3)
    assert read(tmp_path, "a\tb\n1,5\t2,5\n", "t.csv", decimal=",").shape == (1, 2)
    with pytest.raises(ValueError, match="say decimal="): read(tmp_path, "a;b\n1;2\n", "t.csv", thousands=".")


# ---------------------------------------------------------------- codes

@pytest.mark.parametrize("cells,code", [
    ("01067 80331", "'01067' in line 2 begins with a zero"),
    ("1 2 007 ?", "'007' in line 4 begins with a zero"),
    ("7 12345678901234567", "'12345678901234567' in line 3 is too long"),
])
def test_codes_stay_text_and_say_so(tmp_path, cells, code):
    file = "c;k\n" + "".join(f"{c};a\n" for c in cells.split())
    with pytest.warns(TableWarning, match=re.escape(code)) as told: frame = read(tmp_path, file, "t.csv")
    assert len(told) == 1 and "categorical=['c']" in str(told[0].message) and "numeric=['c']" in str(told[0].message)
    words = [None if c == "?" else c for c in cells.split()]
    assert frame.c.astype(object).where(frame.c.notna(), None).tolist() == words
    with warnings.catch_warnings():
        warnings.simplefilter("error")                              # both ways out end the note
        assert read(tmp_path, file, "t.csv", categorical=["c"]).c.tolist()[0] == words[0]
        assert read(tmp_path, file, "t.csv", numeric=["c"]).c.tolist()[0] == float(words[0])


@pytest.mark.parametrize("cells", ["0 1 10", "0.5 -0.25", "0610.0 1220.0", "007 1.5", "9007199254740992 1",
                                   "1e05 1", "0.12345678901234567890 1"])
def test_quantities_stay_numbers(tmp_path, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = read(tmp_path, "c\n" + cells.replace(" ", "\n") + "\n", "t.csv")
    assert frame.c.tolist() == [float(c) for c in cells.split()]


def test_codes_change_no_table_of_the_shelf(tmp_path):
    """What the index of the shelf declares continuous is read as numbers, what is read as codes is nominal."""
    for name in list_datasets().index:
        frame = load_dataset(name)
        frame.to_csv(tmp_path / "t.csv", index=False)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            back = read_table(tmp_path / "t.csv", target=frame.columns[-1])
        for column in frame.columns[:-1]:
            if frame[column].dtype.kind in "if":
                assert back[column].dtype.kind in "if" and np.allclose(back[column], frame[column], equal_nan=True)
        codes = [str(w.message).split("'")[1] for w in told if "begins with a zero" in str(w.message)
                 or "too long for a number" in str(w.message)]
        assert codes == (["bore"] if name == "annealing" else [])
        assert all(isinstance(frame[c].dtype, pd.CategoricalDtype) for c in codes)


# ---------------------------------------------------------------- words among numbers

@pytest.mark.parametrize("share", [.02, .1, .2, .5, .9])
@pytest.mark.parametrize("word", ["NA", "n/a", "NULL", "-", "nan", "#N/A", "k. A.", "none", "."])
def test_words_for_nothing_are_told_whatever_their_share(tmp_path, word, share):
    n = round(50 * share)
    file = "w;k\n" + f"{word};a\n" * n + "".join(f"{i % 3};b\n" for i in range(50 - n))
    with pytest.warns(TableWarning) as told: frame = read(tmp_path, file, "t.csv")
    assert len(told) == 1 and f"'w' is read as text, not as numbers, because of {n} of 50 cells" in str(told[0].message)
    assert f"missing=('?', '{word}')" in str(told[0].message) and frame.w[0] == word     # and nothing is lost
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path, file, "t.csv", missing=("?", word)).w.isna().sum() == n


def test_all_the_words_are_named(tmp_path):
    cells = ["NA", "n/a", "1", "2", "3", "unbekannt"] * 2 + [str(i) for i in range(40)]
    with pytest.warns(TableWarning) as told: read(tmp_path, "w\n" + "\n".join(cells) + "\n", "t.csv")
    assert "missing=('?', 'NA', 'n/a', 'unbekannt')" in str(told[0].message)
    for words, said in (("abcdefghij", "'i', 'j')."), ("abcdefghijklm", "'i', 'j') and 3 more.")):
        with pytest.warns(TableWarning, match=re.escape(said)):
            read(tmp_path, "w\n" + "\n".join([*map(str, range(150)), *words]) + "\n", "t.csv")
    with pytest.warns(TableWarning, match=re.escape(r"'two\nlines'")):
        read(tmp_path, 'w\n1\n2\n"two\nlines"\n', "t.csv")
    with pytest.warns(TableWarning, match="decimal=','"):             # the mark first, however many holes
        read(tmp_path, "w;k\nNA;a\nNA;a\nNA;a\n1,5;b\n", "t.csv")


# ---------------------------------------------------------------- what the caller knows of the columns

def test_declared_numbers_of_a_csv_file(tmp_path):
    with pytest.raises(TableError, match="'NA' is not a number.*missing=") as caught:
        read(tmp_path, "a,b\n1,2\nNA,3\n", "t.csv", numeric="a")
    assert (caught.value.line, caught.value.column) == (3, "a")
    assert read(tmp_path, "a;b\n1.016,5;x\n007;y\n", "t.csv", numeric=["a"], decimal=",",
                thousands=".").a.tolist() == [1016.5, 7]
    with pytest.raises(TableError, match="both left out and read as numbers"):
        read(tmp_path, "a,b\n1,2\n", "t.csv", numeric="a", drop=["a"])
    with pytest.raises(ValueError, match="CSV and TSV only"): read(tmp_path, HEAD + "18,no\n", "t.arff", numeric="age")


@pytest.mark.parametrize("name,text,left", [
    ("t.csv", "age,smoker,n\n18,no,1\n", ["smoker", "n"]),
    ("t.tsv", "age\tsmoker\n18\tno\n", ["smoker"]),
    ("t.arff", HEAD + "18,no\n", ["smoker"]),
    ("t.dat", HEAD + "18,no\n", ["smoker"]),
])
def test_columns_left_out(tmp_path, name, text, left):
    assert list(read(tmp_path, text, name, drop="age")) == left
    assert list(read(tmp_path, text, name, drop=lambda names: [n for n in names if n == "age"])) == left
    with pytest.raises(TableError, match="Did you mean 'age'"): read(tmp_path, text, name, drop=["agee"])
    with pytest.raises(TableError): read(tmp_path, text, name, drop=lambda names: names)


@pytest.mark.parametrize("kind", ["date", "date 'yyyy-MM-dd'", "DATE", "something"])
def test_columns_of_unknown_types_are_left_out_unread(tmp_path, kind):
    file = f"@relation r\n@attribute day {kind}\n@attribute age real\n@attribute k {{x,y}}\n@data\n"
    for rows in ("'2024-01-05',18,x\n?,19,y\n", "{1 18}\n{0 '2024-01-05', 1 19, 2 y}\n"):
        frame = read(tmp_path, file + rows, "t.arff", drop=["day"])
        assert frame.age.tolist() == [18, 19] and list(frame.k) == ["x", "y"] and list(frame) == ["age", "k"]
        with pytest.raises(TableError, match=r"not a type.*It can be left out: drop=\['day'\]"):
            read(tmp_path, file + rows, "t.arff", drop=lambda names: ["age"])
    last = read(tmp_path, file.replace("day", "k2").replace("@data", "@attribute late date\n@data") + "1,2,x,3\n",
                "t.arff", drop=["k2", "late"])
    assert last.attrs["target"] is None and list(last) == ["age", "k"]


def test_relations_are_left_out_with_their_attributes(tmp_path):
    file = "@relation r\n@attribute bag relational\n@attribute age real\n"
    for end in ("@end bag\n", "@END bag\n% remark\n"):
        frame = read(tmp_path, f"{file}{end}@attribute age real\n@data\n'1\\n2',18\n", "t.arff", drop="bag")
        assert frame.age.tolist() == [18] and list(frame) == ["age"]
    with pytest.raises(TableError, match="every column is left out"):           # no end: all is of the relation
        read(tmp_path, f"{file}@data\n'1\\n2'\n", "t.arff", drop="bag")


def test_columns_of_one_name_are_left_out_together(tmp_path):
    assert list(read(tmp_path, "a,b,a,c\nx,1,2,3\n", "t.csv", drop=["a"])) == ["b", "c"]
    assert list(read(tmp_path, "a,b,a,c\nx,1,2,3\n", "t.csv", drop=lambda names: ["a", "c"])) == ["b"]
    with pytest.raises(TableError, match="column 3 has the same name as column 1"):
        read(tmp_path, "a,b,a,c\nx,1,2,3\n", "t.csv", drop="b")


@pytest.mark.parametrize("text", ["age,kind\n18,x\n19,y\n20,x\n", "old,sort\n18,x\n19,y\n20,x\n",
                                  "old,sort\n18,x\nNA,y\n20,x\n"])
def test_names_for_a_file_with_a_header(tmp_path, text):
    with pytest.warns(TableWarning, match="line 1 looks like a header, but was read as a case") as told:
        read(tmp_path, text, "t.csv", names=["age", "kind"])
    assert len(told) == 1 and "missing" not in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, text.split("\n", 1)[1].replace("NA", "7"), "t.csv", names=["age", "kind"])
        read(tmp_path, "# 1,x\n# 2,y\n", "t.csv", names=["age", "kind"])
        assert list(read(tmp_path, "#,a\n1,x\n2,y\n", "t.csv")) == ["#", "a"]
    with pytest.raises(TableError, match="3 fields where 2 are expected; 2 names are given. Line 2"):
        read(tmp_path, "1,2,3\n4,5,6\n", "t.csv", names=["age", "kind"])
    with pytest.raises(TableError, match="1 fields where 0 are expected"): read(tmp_path, "1\n", "t.csv", names=[])


def test_what_is_left_out_is_not_told_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(read(tmp_path, "a,b\n1,x\n2,y\n12 kg,z\n", "t.csv", drop="a")) == ["b"]
    pd.DataFrame({"day": pd.to_datetime(["2025-11-30"]), "n": [1]}).to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet", drop=["day"])) == ["n"]


def test_classes_are_spelled_and_doubted(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path, "a,k\n1,007\n2,7\n", "t.csv", classes=True).k.tolist() == ["007", "7"]
        assert read(tmp_path, "k,a\n01,1\n1,2\n", "t.csv", classes=True, target="k").k.tolist() == ["01", "1"]
        assert read(tmp_path, "a,k,id\n1,01,5\n2,1,6\n", "t.csv", classes=True, drop="id").k.tolist() == ["01", "1"]
    for cells, said in ((["1", "2", "NA"], "missing=('?', 'NA')"), (["1,5", "2,5", "3"], "decimal=','"),
                        (["ill", "well", "NA"], "missing=('?', 'NA')")):
        with pytest.warns(TableWarning, match=re.escape(said)):
            read(tmp_path, "a;k\n" + "".join(f"1;{c}\n" for c in cells), "t.csv", classes=True)


# ---------------------------------------------------------------- files that are not there

def test_what_is_said_of_a_missing_file(tmp_path):
    def said(name):
        with pytest.raises(TableError) as caught: read_table(tmp_path / name)
        return caught.value.message
    (tmp_path / "patients.csv").write_text("a,b\n1,x\n")
    assert said("pateints.csv") == f"there is no such file. Did you mean '{tmp_path / 'patients.csv'}'?"
    assert f"'{tmp_path / 'patients.csv'}'" in said("patients")
    assert said("voting").endswith("load_dataset('voting') gives the table of that name that comes along.")
    assert f"no folder '{tmp_path / 'nowhere'}'" in said("nowhere/t.csv")
    assert said(".") == said("") == "this is a folder, not a file." and "suffix" not in said("xyz")
    (tmp_path / "t.xyz").write_text("a,b\n1,x\n")
    assert "no notation belongs to this suffix" in said("t.xyz")


# ---------------------------------------------------------------- what spreadsheets leave behind

@pytest.mark.parametrize("text,part", [
    ("w\n40 kg\n41.5 kg\n-\n42 kg\n", "numbers with 'kg', as in line 2: '40 kg'"),
    ("w\n1%\n2 %\n30%\n", "numbers with '%'"),
    ("w\n€ 1.50\n€2\n€ 3.00\n", "numbers with '€'"),
    ("w,k\nYes,1\nno,2\nyes,3\n", "'Yes' and 'yes', which differ only in capitals"),
    ("w,k\nYes,1\nNo,2\nyes,3\nno,4\n", "'Yes' and 'yes'; 'No' and 'no', which differ only in capitals"),
    ("w,k\nyes,1\nno,2\nNA,3\nn/a,4\n", "'w' holds 'NA', 'n/a' as a value like any other, in 2 of 4 cells"),
    ("w\n1\n2\ninf\n-inf\n", "missing=('?', 'inf', '-inf')"),
])
def test_units_and_capitals(tmp_path, text, part):
    with pytest.warns(TableWarning, match=re.escape(part)) as told: read(tmp_path, text, "t.csv")
    assert len(told) == 1


def test_columns_at_the_end_without_name_and_content(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(read(tmp_path, "a,k,,\n1,x,,\n2,y,, \n", "t.csv", classes=True)) == ["a", "k"]
    for text, column in (("a,k,,\n1,x,,\n2,y,z,\n", 3), ("a,,k\n1,,x\n", 2), (",,\n1,2,3\n", 1)):
        with pytest.raises(TableError, match="the column has no name") as caught: read(tmp_path, text, "t.csv")
        assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize("first", ["sep=|", "SEP=|", '"sep=|"', "sep=|;;"])
def test_a_line_that_tells_the_separator(tmp_path, first):
    assert list(read(tmp_path, f"{first}\r\na|b\r\n1|x\r\n", "t.csv")) == ["a", "b"]
    with pytest.raises(TableError, match="line 4, column 'b'"):
        read(tmp_path, f"{first}\na|b\n1|x\n2\n", "t.csv")



def test_a_decimal_comma_in_quotes_lets_the_comma_separate(tmp_path):
    frame = read(tmp_path, 'a,b,k\n"1,5","2,25",x\n"2,5",3,y\n', "t.csv", decimal=",")
    assert frame.a.tolist() == [1.5, 2.5] and frame.b.tolist() == [2.25, 3] and list(frame.k) == ["x", "y"]
    with pytest.raises(TableError, match="4 fields where 2 are expected; a cell that holds the separator must be"):
        read(tmp_path, "a,b\n1,5,2,5\n", "t.csv", decimal=",")
    assert read(tmp_path, "a,b;c\n1,5;2\n", "t.csv", decimal=",").shape == (1, 2)
    assert read(tmp_path, "a,b\tc\n1,5\t2\n", "t.csv", decimal=",")["a,b"].tolist() == [1.5]
    assert list(read(tmp_path, "a, cm|b, kg\n1,5|2,5\n", "t.csv", decimal=",")) == ["a, cm|b, kg"]
    assert read(tmp_path, "a\n1,5\n", "t.csv", decimal=",").a.tolist() == [1.5]


def test_wide_encodings_are_offered_where_they_fit(tmp_path):
    def said(content, **options):
        with pytest.raises(TableError) as caught: read(tmp_path, content, "t.csv", **options)
        return caught.value.message
    for wide in ("utf-16", "utf-16-le", "utf-16-be"):
        table = "a,b\n1,2\n".encode(wide)
        assert "encoding='utf-16'" in said(table) and "latin-1" not in said(table)
        assert read(tmp_path, table, "t.csv", encoding=wide).a.tolist() == [1]
    assert said(b"a,b\n1,2\n\x00\n") == "zero byte: this is not a text file."
    assert said("a\nK\xf6ln\n".encode("latin-1")).endswith("encoding='latin-1' or 'cp1252' (Windows).")
    for text in (b"a,b\n1,2\n", b"a,b\n1,2\n3,40\n"):                     # even and odd lengths
        assert said(text, encoding="utf-16").startswith("this is not utf-16 text")


@pytest.mark.parametrize("given,part", [
    (io.StringIO("a,b\n1,2\n"), "path of a file, not StringIO. pandas.read_csv reads open files."),
    (io.BytesIO(b"a,b\n1,2\n"), "path of a file, not BytesIO. pandas"),
    (pd.DataFrame({"a": [1]}), "a table already (DataFrame)"),
    (np.ones((2, 2)), "a table already (ndarray)"),
    (None, "path of a file, not NoneType."),
])
def test_what_is_no_path(given, part):
    with pytest.raises(TypeError, match=re.escape(part)): read_table(given)


def test_an_open_file_and_capitals(tmp_path):
    (tmp_path / "t.csv").write_text("a,k\n1,x\n")
    with open(tmp_path / "t.csv") as file, pytest.raises(TypeError, match="path of a file"): read_table(file)
    with pytest.raises(TableError, match="Did you mean 'k'"): read_table(tmp_path / "t.csv", target="K")
    with pytest.raises(ValueError, match="Did you mean 'voting'"): load_dataset("VOTING")


def test_grouped_digits_among_decimal_commas(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("price;k\n" + "1.234,50;a\n99,00;b\n" * 3)
    with pytest.warns(TableWarning, match="thousands='.' and decimal=','"):
        assert read_table(file).price[0] == "1.234,50"
    assert read_table(file, thousands=".", decimal=",").price.tolist() == [1234.5, 99] * 3
