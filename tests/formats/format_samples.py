"""One small sample of every format, written for these tests."""

from __future__ import annotations

import io

SAMPLES: dict[tuple[str, str], bytes] = {
    ("run", "inex-fol"): b"1 Q0 d1 1 9.5 sys 10 30\n1 Q0 d2 2 8 sys 0 5\n",
    ("run", "trec-run"): b"1 Q0 d1 1 9.5 sys\n1 Q0 d2 2 8 sys\n",
    ("run", "genomics-run"): b"200 d1 1 48.63 10 30 york\n200 d2 2 8 0 5 york\n",
    ("run", "native-run"): (
        b'{"topic": "1", "doc": "d1", "rank": 1, "score": 9.5, "start": 10, "end": 40}\n'
        b'{"topic": "1", "doc": "d2", "rank": 2, "score": 8, "path": "/a[1]/b[2]"}\n'
    ),
    ("run", "inex-submission"): (
        b'<?xml version="1.0"?>\n<!DOCTYPE inex-submission SYSTEM "inex.dtd">\n'
        b'<inex-submission participant-id="7" run-id="sys" task="Focused" query="automatic">\n'
        b"<description>one run</description>\n"
        b'<topic topic-id="1">'
        b"<result><file>d1</file><path>/a[1]/b[2]</path><rank>1</rank><rsv>0.5</rsv></result>"
        b'<result><file>d2</file><fol offset="10" length="30"/><rank>2</rank><rsv>0.25</rsv></result>\n'
        b'<result><file>d3</file><passage start="/a[1]/p[1]" end="/a[1]/p[2]/text()[1].7"/>'
        b"<rank>3</rank></result></topic>\n</inex-submission>\n"
    ),
    ("assessments", "inex-assessments"): b"1 Q0 d1 30 100 10 10:20 50:10\n1 Q0 d2 0 80\n",
    ("assessments", "trec-qrels"): b"1 0 d1 2\n1 0 d2 0\n1 0 d3 -1\n",
    ("assessments", "genomics-gold"): b"200\td1\t10\t30\tIFN ALPHA|TNF\n200\td2\t0\t5\tTNF\n",
    ("assessments", "native-assessments"): (
        b'{"topic": "1", "doc": "d1", "start": 10, "end": 40, "rel": 2, "aspects": ["A", "B"]}\n'
        b'{"topic": "1", "doc": "d2", "node": "e2", "rel": 0.5}\n{"topic": "1", "doc": "d3"}\n'
    ),
    ("assessments", "inex-assessment-xml"): (
        b'<?xml version="1.0"?>\n<assessments topic="31">\n<file file="an/1995/a1">\n'
        b'<path path="/article[1]" exhaustiveness="2" specificity="3"/>\n</file>\n'
        b'<file file="an/1995/a2"/>\n</assessments>'
    ),
    ("assessments", "chunk-eval-csv"): (
        b"question,references,corpus_id\n"
        b'"What, then?","[{""content"": ""so"", ""start_index"": 3, ""end_index"": 5}]",notes\n'
        b'Where?,"[{""content"": ""here it is""}]",notes\n'
    ),
    ("assessments", "legalbench-rag"): (
        b'{\n "tests": [{"query": "Who?", "snippets": [{"file_path": "nda/a.txt", "span": [4, 9]}]},\n'
        b'  {"query": "When?", "snippets": []}]\n}\n'
    ),
    ("chunks", "chunks-csv"): b"doc,start,end\na,0,400\na,400,800\n",
    ("chunks", "chunks-jsonl"): b'{"doc": "a", "start": 0, "end": 400}\n{"doc": "b", "start": 1, "end": 2}\n',
}


def parquet_bytes(rows: list[dict[str, object]]) -> bytes:
    import polars as pl

    stream = io.BytesIO()
    pl.DataFrame(rows).write_parquet(stream)
    return stream.getvalue()


SAMPLES[("run", "parquet")] = parquet_bytes(
    [{"topic": "1", "doc": "d1", "rank": 1, "score": 0.5, "start": 0, "end": 3}]
)
SAMPLES[("assessments", "parquet")] = parquet_bytes([{"topic": "1", "doc": "d1", "start": 0, "end": 3}])
