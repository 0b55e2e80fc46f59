"""CSV is read as Python's `csv` reads it, whatever its length, and no limit of the process is raised."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats.csv_fields import csv_columns, csv_records, csv_rows
from doxeval.io.read import read_chunks
from doxeval.io.source import Source


@given(st.text(st.sampled_from('ab,"\r\n \u2028'), max_size=30))
def test_rows_are_those_of_the_csv_module(text: str) -> None:
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    assert [fields for _, fields in csv_rows(text)] == expected


@given(st.lists(st.lists(st.text(max_size=6), min_size=1, max_size=4), max_size=5))
def test_what_was_written_comes_back_with_its_line(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    reader = csv.reader(io.StringIO(stream.getvalue(), newline=""))
    assert list(csv_rows(stream.getvalue())) == [(reader.line_num, row) for row in reader if row]


@given(st.text(st.sampled_from('ab,"\n'), max_size=30))
def test_columns_are_those_of_the_csv_module_whatever_a_record_lacks(text: str) -> None:
    content = f"one,two,three\n{text}"
    reader = csv.DictReader(io.StringIO(content, newline=""))
    expected = [{name: row[name] for name in ("one", "two", "three")} for row in reader]
    lines, columns = csv_columns(Source(content.encode()), ("two",))
    assert columns == {name: [row[name] for row in expected] for name in ("one", "two", "three")}
    assert csv_records(Source(content.encode()), ("two",)) == list(zip(lines, expected, strict=True))


def test_long_fields_are_read_and_the_limit_of_the_process_stays() -> None:
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    chunks = read_chunks(f'doc,start,end\n"{long}",0,4\n'.encode())
    assert list(chunks.docs) == [long]
    questions = f'question,references,corpus_id\n"{long}","[]",d\n'.encode()
    assert dx.read_assessments(questions).queries == {"q000": long}
    assert csv.field_size_limit() == before
