"""The tables of the shelf against their index, and the index against itself."""
import csv
import gzip
import hashlib
import io

import numpy as np
import pandas as pd
import pytest

from swarmlit.read import _index, _shelf, list_datasets, load_dataset

INDEX = _index()
TYPES = _index("types.tsv")
NAMES = list(INDEX.index)


def content(name):
    "Unpacked bytes of one table."
    path = _shelf() / INDEX.file[name]
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.fixture(scope="module")
def frames():
    return {name: load_dataset(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_those_of_the_index(name):
    assert hashlib.sha256(content(name)).hexdigest() == INDEX.sha256[name]


@pytest.mark.parametrize("name", NAMES)
def test_file_is_a_plain_csv_that_agrees_with_the_index(name):
    rows = list(csv.reader(io.StringIO(content(name).decode("utf-8"), newline=""), strict=True))
    header, rows = rows[0], rows[1:]
    entry, types = INDEX.loc[name], TYPES.loc[[name]]
    assert list(types.attribute) == header[:-1], "attributes in order, class last"
    assert len(set(header)) == len(header)
    assert {len(r) for r in rows} == {len(header)}
    assert len(rows) == entry.rows
    assert (types.type == "nominal").sum() == entry.nominal
    assert (types.type == "continuous").sum() == entry.continuous
    counts = pd.Series([r[-1] for r in rows]).value_counts()
    assert "?" not in counts
    assert "|".join(f"{k}:{n}" for k, n in sorted(counts.items())) == entry.class_counts
    assert len(counts) == entry.classes
    columns = list(zip(*rows))
    assert sum(c.count("?") for c in columns[:-1]) == entry.missing
    for column, distinct, missing in zip(columns, types.distinct, types.missing):
        assert (len(set(column) - {"?"}), column.count("?")) == (distinct, missing)
    assert all(cell == cell.strip() != "" for c in columns for cell in set(c))


@pytest.mark.parametrize("name", NAMES)
def test_loaded_frame_agrees_with_the_index(name, frames):
    frame, entry, types = frames[name], INDEX.loc[name], TYPES.loc[[name]]
    target = frame.columns[-1]
    assert frame.shape == (entry.rows, entry.nominal + entry.continuous + 1)
    assert frame.attrs["target"] == target and frame.attrs["title"] == entry.title
    assert frame.drop(columns=target).isna().sum().sum() == entry.missing
    assert frame[target].notna().all() and not isinstance(frame[target].dtype, pd.CategoricalDtype)
    assert all(isinstance(v, str) for v in frame[target])
    for attribute, kind in zip(types.attribute, types.type):
        column = frame[attribute]
        if kind == "nominal":
            assert list(column.cat.categories) == sorted(column.dropna().unique())
            assert all(isinstance(c, str) for c in column.cat.categories)
        else:
            assert column.dtype in (np.dtype("int64"), np.dtype("float64"))
            assert np.isfinite(column.dropna()).all()


@pytest.mark.parametrize("name", ["voting", "weather-slides", "iris"])
def test_parts_are_the_frame(name, frames):
    X, y = load_dataset(name, return_X_y=True)
    pd.testing.assert_frame_equal(X.assign(**{y.name: y}), frames[name])
    assert y.name == frames[name].columns[-1] and y.name not in X


def test_index_is_complete():
    assert INDEX.index.is_unique and list(INDEX.index) == sorted(INDEX.index)
    assert set(TYPES.index) == set(INDEX.index)
    assert set(TYPES.type) <= {"nominal", "continuous"}
    for column in ("title", "source", "citation", "licence", "class_counts", "sha256", "file"):
        assert (INDEX[column] != "").all(), column
    files = {p.name for p in _shelf().iterdir() if p.is_file() and not p.name.startswith((".", "__"))}
    assert files == set(INDEX.file) | {"datasets.tsv", "types.tsv", "README.md"}


def test_every_table_is_in_the_readme_with_its_licence():
    text = (_shelf() / "README.md").read_text(encoding="utf-8")
    for name, entry in INDEX.iterrows():
        line = next(row for row in text.splitlines() if row.startswith(f"| `{name}` |"))
        assert entry.licence in line and entry.citation in line and str(entry.rows) in line


def test_the_shelf_stays_small_and_names_no_hosts():
    assert sum(p.stat().st_size for p in _shelf().iterdir() if p.is_file()) < 5_000_000
    for file in ("datasets.tsv", "types.tsv", "README.md"):
        text = (_shelf() / file).read_text(encoding="utf-8")
        assert "http" not in text and "www." not in text


def test_list_datasets():
    shelf = list_datasets()
    assert list(shelf) == ["cases", "nominal", "continuous", "classes", "missing", "title", "licence", "source"]
    must = """voting tic-tac-toe car zoo weather weather-numeric weather-slides iris wine pima soybean kr-vs-kp
        credit-a credit-g hepatitis heart-c breast-l bcw dermatology-358 heart-c5-297 nursery segmentation
        vehicle mushroom-5644"""
    assert set(must.split()) <= set(shelf.index)
    assert shelf.cases["tic-tac-toe"] == 958 and shelf.missing["voting"] == 392


def test_unknown_name_suggests_one():
    with pytest.raises(ValueError, match="Did you mean 'tic-tac-toe'"):
        load_dataset("tictactoe")
    for name in ("", "../README", None, 3, ("voting",)):
        with pytest.raises(ValueError, match="There is no dataset"):
            load_dataset(name)


def test_only_the_question_mark_is_missing(frames):
    for name, frame in frames.items():
        raw = content(name).decode("utf-8")
        for word in ("NA", "None", "null", "nan", "none"):
            if f",{word}," in raw or f"\n{word}," in raw:
                assert any((frame[c] == word).any() for c in frame.select_dtypes("category")), (name, word)


def test_slides_differ_from_the_classic_in_one_cell(frames):
    slides, classic = frames["weather-slides"].astype(str), frames["weather"].astype(str)
    assert np.argwhere((slides != classic).to_numpy()).tolist() == [[2, 2]]
    assert slides.iat[2, 2] == "normal" and classic.iat[2, 2] == "high"
