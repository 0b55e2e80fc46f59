"""Whatever documents come as, they are the same documents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import doxeval as dx

TEXTS = {"a": "One two three.", "b/c": "Fünf."}
ROWS = [{"doc": name, "text": text} for name, text in TEXTS.items()]


def told(documents: dx.Documents) -> dict[str, str]:
    assert documents.text is not None
    return dict(zip(documents.ids, documents.text, strict=True))


def written(folder: Path) -> Path:
    for name, text in TEXTS.items():
        place = folder / "docs" / f"{name}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder / "docs"


@pytest.mark.parametrize(
    "given",
    [
        TEXTS,
        ROWS,
        tuple(ROWS),
        iter(ROWS),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).lazy(),
        pd.DataFrame(ROWS),
        "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
        dx.read_documents(TEXTS),
    ],
    ids=["mapping", "list", "tuple", "iterator", "polars", "lazy", "pandas", "bytes", "table"],
)
def test_documents_in_memory(given: Any) -> None:
    assert told(dx.read_documents(given)) == TEXTS


@pytest.mark.parametrize("form", [str, Path, lambda path: f"{path}/**/*.txt"], ids=["text", "path", "glob"])
def test_documents_on_disk(tmp_path: Path, form: Any) -> None:
    assert told(dx.read_documents(form(written(tmp_path)))) == TEXTS


def test_a_list_of_places(tmp_path: Path) -> None:
    folder = written(tmp_path)
    found = told(dx.read_documents([folder / "a.txt", str(folder / "b")]))
    assert found == {"a": TEXTS["a"], "c": TEXTS["b/c"]}


def test_one_document_is_not_two_called_doc_and_text() -> None:
    assert told(dx.read_documents({"doc": "a", "text": "One."})) == {"a": "One."}
    assert told(dx.read_documents({"doc": "a text", "text": "One."})) == {"a text": "One."}


def test_missing_values_of_pandas_are_no_values() -> None:
    frame = pd.DataFrame([{"doc": "a", "text": "One."}, {"doc": "b", "length": 4}])
    assert dx.read_documents(frame).length.tolist() == [4, 4]


@pytest.mark.parametrize("given", [None, 7, 1.5])
def test_anything_else_is_refused_with_what_is_wanted(given: Any) -> None:
    with pytest.raises(dx.InputError, match=r"expected documents: a path .* found (NoneType|int|float)"):
        dx.read_documents(given)


def test_a_list_of_places_that_do_not_exist_names_the_first() -> None:
    with pytest.raises(dx.InputError, match="nowhere: no such file or folder"):
        dx.read_documents(["nowhere", "either"])


def test_texts_in_memory_do_not_load_polars() -> None:
    code = "import sys, doxeval as dx; dx.read_documents({'a': 'One.'}); print('polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
