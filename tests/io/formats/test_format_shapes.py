"""What each format's sample becomes."""

from __future__ import annotations

import math

import pytest

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.io.read import read_chunks
from doxeval.tables.runs import WHOLE
from tests.io.formats.format_samples import SAMPLES


def read(kind, name, **options):
    data = SAMPLES[kind, name]
    return dx.read_run(data, **options) if kind == "run" else dx.read_assessments(data, **options)


def results(run):
    return [
        (
            run.topics[run.topic[row]],
            run.docs[run.doc[row]],
            run.nodes.of(row) if run.nodes else [],
            run.spans_of(row),
        )
        for row in range(len(run))
    ]


def ranges(assessments):
    topics = assessments.pair_topic
    return [
        (
            assessments.topics[topics[pair]],
            assessments.docs[assessments.pair_doc[pair]],
            int(start),
            int(end),
            float(grade),
        )
        for pair, start, end, grade in zip(
            assessments.ranges.pair,
            assessments.ranges.start,
            assessments.ranges.end,
            assessments.ranges.grade,
            strict=True,
        )
    ]


def pairs(assessments):
    topics = assessments.pair_topic
    return [
        (assessments.topics[topic], assessments.docs[doc])
        for topic, doc in zip(topics, assessments.pair_doc, strict=True)
    ]


def judged(assessments):
    topics = assessments.pair_topic
    nodes = assessments.nodes
    return [
        (
            assessments.topics[topics[pair]],
            assessments.docs[assessments.pair_doc[pair]],
            nodes.nodes.of(row),
            value,
            code,
        )
        for row, (pair, value, code) in enumerate(
            zip(nodes.pair, nodes.value.tolist(), nodes.code, strict=True)
        )
    ]


def test_file_offset_length():
    run = read("run", "inex-fol")
    assert results(run) == [("1", "d1", [], [(10, 40)]), ("1", "d2", [], [(0, 5)])]
    assert run.rank.tolist() == [1, 2] and run.score.tolist() == [9.5, 8.0] and run.tag == "sys"


def test_genomics_run():
    run = read("run", "genomics-run")
    assert results(run) == [("200", "d1", [], [(10, 40)]), ("200", "d2", [], [(0, 5)])]
    assert run.rank.tolist() == [1, 2] and run.score.tolist() == [48.63, 8.0] and run.tag == "york"


def test_trec_run_is_whole_documents():
    run = read("run", "trec-run")
    assert results(run) == [("1", "d1", [], [(0, WHOLE)]), ("1", "d2", [], [(0, WHOLE)])]
    assert not len(run.notices)


@pytest.mark.parametrize(
    ("form", "identifier"), [("doc_offset_length", "a_b_10_30"), ("doc#start-end", "a_b#10-40")]
)
def test_trec_run_with_ranges(form, identifier):
    data = f"1 Q0 {identifier} 1 9.5 sys\n1 Q0 plain 2 8 sys\n".encode()
    run = dx.read_run(data, ranges=form)
    assert results(run) == [("1", "a_b", [], [(10, 40)])]
    assert "1 line refused" in str(next(iter(run.notices))) and ":2" in str(next(iter(run.notices)))


def test_trec_ids_that_look_like_ranges_are_told():
    run = dx.read_run(b"1 Q0 a_0_400 1 9.5 sys\n1 Q0 b_400_400 2 8 sys\n")
    assert any("--ranges 'doc_offset_length'" in str(notice) for notice in run.notices.failures)


def test_an_unknown_form_of_ranges_gets_the_nearest():
    with pytest.raises(dx.UsageError, match="did you mean 'doc_offset_length'"):
        dx.read_run(SAMPLES["run", "trec-run"], ranges="doc_offset")


def test_native_run():
    run = read("run", "native-run")
    assert results(run) == [("1", "d1", [], [(10, 40)]), ("1", "d2", ["/a[1]/b[2]"], [])]


def test_inex_submission():
    run = read("run", "inex-submission")
    assert results(run) == [
        ("1", "d1", ["/a[1]/b[2]"], []),
        ("1", "d2", [], [(10, 40)]),
        ("1", "d3", ["passage:/a[1]/p[1]../a[1]/p[2]/text()[1].7"], []),
    ]
    assert run.tag == "sys" and run.rank.tolist() == [1, 2, 3]
    assert run.score is None
    assert any("1 result has no score" in str(notice) for notice in run.notices)


def test_inex_submission_is_read_safely():
    bomb = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
    <inex-submission run-id="r"><topic topic-id="1"><result><file>&b;</file><rank>1</rank></result></topic>
    </inex-submission>"""
    with pytest.raises(InputError, match=r"is an entity"):
        dx.read_run(bomb)


def test_broken_xml_names_the_line():
    with pytest.raises(InputError, match=r"<bytes>:\d+: not well-formed XML"):
        dx.read_run(SAMPLES["run", "inex-submission"][:-40])


def test_inex_assessments():
    assessments = read("assessments", "inex-assessments")
    assert ranges(assessments) == [("1", "d1", 10, 30, 1.0), ("1", "d1", 50, 60, 1.0)]
    assert pairs(assessments) == [("1", "d1"), ("1", "d2")]
    assert assessments.length.tolist() == [100, 80] and assessments.bep.tolist() == [10, -1]


def test_trec_qrels():
    assessments = read("assessments", "trec-qrels")
    assert ranges(assessments) == [("1", "d1", 0, WHOLE, 2.0)]
    assert pairs(assessments) == [("1", "d1"), ("1", "d2"), ("1", "d3")]


def test_trec_qrels_with_ranges():
    data = b"1 0 d1#10-40 1\n1 0 d1#50-60 0.5\n1 0 d2 0\n1 0 d3 1\n"
    assessments = dx.read_assessments(data, ranges="doc#start-end")
    assert ranges(assessments) == [("1", "d1", 10, 40, 1.0), ("1", "d1", 50, 60, 0.5)]
    assert pairs(assessments) == [("1", "d1"), ("1", "d2")]
    assert "found 'd3'" in str(next(iter(assessments.notices)))


def test_genomics_gold():
    assessments = read("assessments", "genomics-gold")
    assert ranges(assessments) == [("200", "d1", 10, 40, 1.0), ("200", "d2", 0, 5, 1.0)]
    assert [assessments.ranges.aspects.of(row) for row in range(2)] == [["IFN ALPHA", "TNF"], ["TNF"]]


def test_native_assessments():
    assessments = read("assessments", "native-assessments")
    assert ranges(assessments) == [("1", "d1", 10, 40, 2.0)]
    assert assessments.ranges.aspects.of(0) == ["A", "B"]
    assert judged(assessments) == [("1", "d2", ["e2"], 0.5, "")]
    assert pairs(assessments) == [("1", "d1"), ("1", "d2"), ("1", "d3")]


def test_assessment_xml_of_2003():
    assessments = read("assessments", "inex-assessment-xml")
    [(topic, doc, names, value, code)] = judged(assessments)
    assert (topic, doc, names, code) == ("31", "an/1995/a1", ["/article[1]"], "E2S3") and math.isnan(value)
    assert pairs(assessments) == [("31", "an/1995/a1"), ("31", "an/1995/a2")]


def test_assessment_xml_of_2002():
    xml = b"""<assessments topic="5"><file file="d"><path path="/a[1]" relevance="3" coverage="E"/>
    <path path="/a[1]/b[1]" relevance="1" coverage="too small"/></file></assessments>"""
    assert [(row[2], row[4]) for row in judged(dx.read_assessments(xml))] == [
        (["/a[1]"], "3E"),
        (["/a[1]/b[1]"], "1S"),
    ]


def test_assessment_xml_of_2005():
    xml = b"""<assessments pool="9" topic="5" version="2">
    <inex_topic topic_id="5" query_type="CO"><title>tree measures</title></inex_topic>
    <file collection="ieee" name="d"><element path="/a[1]" exhaustivity="1" size="200" rsize="50"/>
    <element path="/a[1]/b[1]" exhaustivity="2" specificity="0.5"/>
    <element path="/a[1]/b[2]" exhaustivity="?" size="20" rsize="20"/></file></assessments>"""
    assessments = dx.read_assessments(xml)
    assert [(row[2][0], row[3]) for row in judged(assessments)] == [
        ("/a[1]", 0.125),
        ("/a[1]/b[1]", 0.5),
        ("/a[1]/b[2]", 0.0),
    ]
    assert assessments.queries == {"5": "tree measures"}


def test_assessment_xml_of_2006_is_its_passages():
    xml = b"""<assessments topic="5"><file collection="wiki" name="d"><best-entry-point path="/a[1]"/>
    <passage start="/a[1]/p[1]/text()[1].0" end="/a[1]/p[2]/text()[1].9" size="80"/>
    <element path="/a[1]" exhaustivity="2" size="200" rsize="80"/></file></assessments>"""
    assessments = dx.read_assessments(xml)
    assert [row[2:] for row in judged(assessments)] == [
        (["passage:/a[1]/p[1]/text()[1].0../a[1]/p[2]/text()[1].9"], 1.0, "")
    ]
    told = [str(notice) for notice in assessments.notices]
    assert any("1 best entry point" in text for text in told)
    assert any("1 assessed element left out" in text for text in told)


def test_assessment_xml_with_impossible_grades_is_refused():
    xml = b"""<assessments topic="5"><file file="d"><path path="/a[1]" exhaustiveness="9" specificity="3"/>
    </file></assessments>"""
    with pytest.raises(InputError, match=r"E9S3.*nothing is left"):
        dx.read_assessments(xml)


def test_chunk_evaluation():
    assessments = read("assessments", "chunk-eval-csv")
    assert ranges(assessments) == [("q000", "notes", 3, 5, 1.0)]
    assert assessments.quotes.text == ["here it is"]
    assert assessments.queries == {"q000": "What, then?", "q001": "Where?"}


def test_chunk_evaluation_with_broken_references():
    data = b'question,references,corpus_id\nA?,"[{",d\nB?,"[{""start_index"": 1, ""end_index"": 2}]",d\n'
    assessments = dx.read_assessments(data)
    assert ranges(assessments) == [("q001", "d", 1, 2, 1.0)]
    assert "1 record refused" in str(next(iter(assessments.notices)))


def test_legalbench():
    assessments = read("assessments", "legalbench-rag")
    assert ranges(assessments) == [("q000", "nda/a.txt", 4, 9, 1.0)]
    assert assessments.queries == {"q000": "Who?", "q001": "When?"}


def test_legalbench_with_a_broken_test():
    data = (
        b'{"tests": [{"query": "A", "snippets": 3}, '
        b'{"query": "B", "snippets": [{"file_path": "f", "span": [9, 4]}]}]}'
    )
    with pytest.raises(InputError, match=r"1 test refused.*1 line refused.*nothing is left"):
        dx.read_assessments(data)


def test_chunk_lists():
    chunks = read_chunks(SAMPLES["chunks", "chunks-csv"])
    assert (list(chunks.docs), chunks.doc.tolist()) == (["a"], [0, 0])
    assert (chunks.start.tolist(), chunks.end.tolist()) == ([0, 400], [400, 800])
    chunks = read_chunks(SAMPLES["chunks", "chunks-jsonl"])
    assert (list(chunks.docs), chunks.start.tolist(), chunks.end.tolist()) == (["a", "b"], [0, 1], [400, 2])


def test_chunks_that_make_no_sense_are_refused():
    chunks = read_chunks(b"doc,start,end\na,0,400\na,9,x\na,9\n,1,2\na,9,3\n")
    assert len(chunks) == 1
    assert sum(notice.count for notice in chunks.notices) == 4
