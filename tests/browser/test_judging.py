"""Judging as people do it: by keyboard, by mouse, on a phone, offline, and when things go wrong."""

from __future__ import annotations

import json
import random
import resource
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from doxeval.judging.pool_file import Pool, PooledDocument, write_pool
from tests.browser.conftest import LOOKS, eventually, serious
from tests.judging.serving import serving, write_desk

POOLED = 2
"""How many results of a run are pooled for each of the demo's questions, beside documents with an answer."""

SELECTED = "getSelection().rangeCount ? getSelection().getRangeAt(0).toString() : ''"
SHOWN = "[...document.querySelectorAll('.block')].map(block => block.textContent).join('')"
SELECT = """([start, end]) => {
  const walker = document.createTreeWalker(document.querySelector('.text'), NodeFilter.SHOW_TEXT);
  const find = (place) => {
    let node;
    let left = place;
    walker.currentNode = walker.root;
    while ((node = walker.nextNode())) { if (left <= node.length) return [node, left]; left -= node.length; }
  };
  getSelection().setBaseAndExtent(...find(start), ...find(end));
}"""
RECT = """([place, after]) => {
  const walker = document.createTreeWalker(document.querySelector('.text'), NodeFilter.SHOW_TEXT);
  let node;
  while ((node = walker.nextNode())) { if (place < node.length) break; place -= node.length; }
  const range = document.createRange();
  range.setStart(node, place);
  range.setEnd(node, place + 1);
  const rects = range.getClientRects();
  const rect = rects[after ? rects.length - 1 : 0];
  return [after ? rect.right - rect.width / 4 : rect.left + rect.width / 4, rect.top + rect.height / 2];
}"""


def to_the_letter(page) -> None:
    """Let marks end anywhere, not only at words."""
    page.get_by_label("marks end at").select_option("letters")


def units(text: str) -> int:
    """The length of a text as the browser counts it."""
    return len(text.encode("utf-16-le")) // 2


def judged(path: Path, merge: str = "") -> dict[tuple[str, str], list[tuple[int, int]]]:
    """What is marked in each judged document."""
    table = dx.read_assessments(path, merge=merge)
    topics = [table.topics[topic] for topic in table.pair_topic]
    docs = [table.docs[doc] for doc in table.pair_doc]
    found: dict[tuple[str, str], list[tuple[int, int]]] = {
        pair: [] for pair in zip(topics, docs, strict=True)
    }
    for pair, start, end in zip(table.ranges.pair, table.ranges.start, table.ranges.end, strict=True):
        found[topics[pair], docs[pair]].append((int(start), int(end)))
    return {pair: sorted(ranges) for pair, ranges in found.items()}


def saved(page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


@pytest.fixture
def demo(tmp_path: Path) -> tuple[list[str], dict[tuple[str, str], list[tuple[int, int]]], dict[str, str]]:
    """A pool of the demo's questions, its answers by pair, and the texts."""
    documents = dx.read_documents(DOCUMENTS)
    texts = dict(zip(documents.ids, documents.text, strict=True))
    answers = judged(ANSWERS)
    found: dict[tuple[str, str], set[tuple[int, int]]] = {
        pair: set() for pair, held in answers.items() if held
    }
    for line in (RUNS / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["rank"] <= POOLED:
            found.setdefault((row["topic"], row["doc"]), set()).add((row["start"], row["end"]))
    pairs = sorted(found)
    pool = [PooledDocument(topic, doc, tuple(sorted(found[topic, doc]))) for topic, doc in pairs]
    write_pool(Pool(pool), tmp_path / "pool.jsonl")
    asked = tmp_path / "questions.jsonl"
    told = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = [{"topic": one["topic"], "query": one["question"]} for one in told]
    asked.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [str(tmp_path / "pool.jsonl"), "--docs", str(DOCUMENTS), "--topics-file", str(asked)]
    return arguments, {pair: answers.get(pair, []) for pair in pairs}, texts


def test_the_demo_is_judged_by_keyboard_alone(attend, demo, tmp_path) -> None:
    arguments, expected, texts = demo
    with serving(tmp_path, arguments=arguments) as served:
        visitor = attend(served.address)
        page = visitor.page
        keys = page.keyboard
        for (topic, doc), ranges in expected.items():
            page.wait_for_function("told => document.title.startsWith(told)", arg=f"{topic}: {doc} ")
            eventually(page.locator("h1").inner_text, lambda said, topic=topic: topic in said)
            for start, end in ranges:
                wanted = texts[doc][start:end]
                keys.press("/")
                keys.press("Control+a")
                keys.type(wanted.split("\n")[0][:40])
                keys.press("Enter")
                keys.press("Escape")
                while units(page.evaluate(SELECTED)) < units(wanted):
                    keys.press("s")
                while len(page.evaluate(SELECTED)) > len(wanted):
                    keys.press("Shift+ArrowLeft")
                eventually(lambda: page.evaluate(SELECTED), wanted)
                keys.press("h")
            if len(ranges) == 1 and topic == "q01":
                visitor.picture("judge-keyboard")
            keys.press("d" if ranges else "0")
        page.wait_for_function("() => document.querySelector('.said').textContent.startsWith('everything')")
        saved(page)
    assert judged(tmp_path / "judgements.db") == expected
    assert not dx.read_assessments(tmp_path / "judgements.db").notices.lasting


def test_the_demo_is_judged_by_mouse_alone(attend, demo, tmp_path) -> None:
    arguments, expected, texts = demo
    with serving(tmp_path, arguments=arguments) as served:
        page = attend(served.address, height=1400).page
        page.get_by_label("raw text").check()
        for (topic, doc), ranges in expected.items():
            page.wait_for_function("told => document.title.startsWith(told)", arg=f"{topic}: {doc} ")
            for start, end in ranges:
                before, after = units(texts[doc][:start]), units(texts[doc][:end]) - 1
                page.mouse.move(500, 700)
                for _ in range(60):
                    top, bottom = (
                        page.evaluate(RECT, [before, False])[1],
                        page.evaluate(RECT, [after, True])[1],
                    )
                    if top > 170 and bottom < 1280:
                        break
                    page.mouse.wheel(0, (top + bottom) / 2 - 700)
                    page.wait_for_timeout(60)
                page.mouse.move(*page.evaluate(RECT, [before, False]))
                page.mouse.down()
                page.mouse.move(*page.evaluate(RECT, [after, True]), steps=4)
                page.mouse.up()
                page.wait_for_function(
                    "count => document.querySelectorAll('.marks button.small').length === count",
                    arg=ranges.index((start, end)) + 1,
                )
            done = "Done, next" if ranges else "Nothing relevant"
            page.get_by_role("button", name=done, exact=True).click()
        saved(page)
    assert judged(tmp_path / "judgements.db") == expected


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ODD = {
    "emoji": f"Before \U0001f600 and {FAMILY} after \U0001f1e9\U0001f1ea, \U0001d538 letters. " * 40,
    "combining": "Cafe\u0301 nai\u0308ve; \u0928\u093f; Z\u0351\u036b\u0343\u036a a\u0301\u0323 end.\n" * 60,
    "right-to-left": "English \u0634\u0645\u0633 \u0648\u0642 123, \u05e9\u05dc\u05d5\u05dd abc.\n\n" * 50,
    "table": "| a | b |\n|---|---|\n" + "".join(f"| {row} |\tx{row}  |\n" for row in range(200)),
    "controls": "one\r\ntwo\x00three\u2028four\ufefffive\u202esix\u202c seven\u200b.\r\n" * 50,
    "one line": "word " * 9000 + "\U0001f600" + "w" * 30000,
}


@pytest.mark.parametrize("doc", ODD)
def test_odd_texts_are_marked_to_the_character(attend, tmp_path, doc) -> None:
    text, dice = ODD[doc], random.Random(1)
    cuts = sorted(dice.sample(range(len(text)), 12))
    wanted = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=True) if b > a]
    with serving(tmp_path, texts={doc: text}) as served:
        visitor = attend(served.address)
        page = visitor.page
        eventually(lambda: page.evaluate(SHOWN), text)
        to_the_letter(page)
        for start, end in wanted:
            page.evaluate(SELECT, [units(text[:start]), units(text[:end])])
            page.get_by_role("button", name="Highlight", exact=True).click()
        words = text[40:60].strip()
        if "\x00" not in words and "\ufeff" not in words:
            page.get_by_role("searchbox").fill(words)
            page.keyboard.press("Enter")
            eventually(lambda: page.evaluate(SELECTED).split(), words.split())
        page.keyboard.press("Escape")
        page.keyboard.press("d")
        saved(page)
        visitor.picture(f"judge-{doc.replace(' ', '-')}")
    assert judged(tmp_path / "judgements.db") == {("t1", doc): wanted}


def test_a_megabyte_opens_and_is_marked_at_once(attend, tmp_path) -> None:
    rng = random.Random(2)
    words = ["alpha", "beta", "gamma \U0001f600", "delta.", "epsilon\n", "zeta,\n\n"]
    text = " ".join(rng.choice(words) for _ in range(190_000))[:1_048_000]
    text += "the last words. " + "And more. " * 20
    with serving(tmp_path, texts={"small": "A text.", "large": text}) as served:
        page = attend(served.address).page
        opened = page.evaluate(
            """async () => {
              const begin = performance.now();
              document.querySelector('[aria-label="next document"]').click();
              while (!document.title.startsWith('t1: large')) await new Promise(requestAnimationFrame);
              await new Promise(requestAnimationFrame);
              return performance.now() - begin;
            }"""
        )
        to_the_letter(page)
        start, end = 700_000, 700_500
        page.evaluate(SELECT, [units(text[:start]), units(text[:end])])
        marked = page.evaluate(
            """async () => {
              const begin = performance.now();
              document.querySelector('.do-h').click();
              await new Promise(requestAnimationFrame);
              document.querySelector('mark').getBoundingClientRect();
              return performance.now() - begin;
            }"""
        )
        page.get_by_role("searchbox").fill("the last words")
        page.keyboard.press("Enter")
        eventually(lambda: page.evaluate(SELECTED), "the last words")
        place = "() => getSelection().getRangeAt(0).getBoundingClientRect().top"
        eventually(lambda: page.evaluate(place), lambda top: 100 < top < 850)
        page.keyboard.press("Escape")
        page.keyboard.press("d")
        saved(page)
        print(f"1 MB: opened in {opened:.0f} ms, marked in {marked:.0f} ms")
    assert judged(tmp_path / "judgements.db")["t1", "large"] == [(start, end)]
    assert opened < 5000 and marked < 2000


def marks_of(page) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('mark')].map(mark => mark.textContent)")


def marks_are(page, expected: list[str]) -> None:
    eventually(lambda: marks_of(page), expected)


def select(page, text: str, part: str) -> None:
    start = text.index(part)
    page.evaluate(SELECT, [units(text[:start]), units(text[: start + len(part)])])


TEXT = "One two three. Four five six. Seven eight nine."


def test_everything_can_be_undone_and_done_again(attend, tmp_path) -> None:
    with serving(tmp_path, "--grades", "3", "--need", "why", texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        keys = page.keyboard
        to_the_letter(page)
        select(page, TEXT, "One two")
        keys.press("h")
        select(page, TEXT, "two three")
        keys.press("h")
        marks_are(page, ["One two three"])
        keys.press("Alt+1")
        eventually(page.get_by_label("why").is_checked, True)
        select(page, TEXT, "two")
        keys.press("3")
        marks_are(page, ["One ", "two", " three"])
        select(page, TEXT, "Four")
        keys.press("b")
        keys.press("m")
        keys.type("a note")
        keys.press("Escape")

        def state() -> tuple[list[str], int, str]:
            return marks_of(page), page.locator(".bep").count(), page.locator("#note").input_value()

        for expected in (
            (["One ", "two", " three"], 1, "a note"),
            (["One ", "two", " three"], 1, ""),
            (["One ", "two", " three"], 0, ""),
            (["One two three"], 0, ""),
            (["One two"], 0, ""),
        ):
            eventually(state, expected)
            keys.press("u")
        marks_are(page, [])
        for _ in range(5):
            keys.press("r")
        eventually(state, (["One ", "two", " three"], 1, "a note"))
        page.locator("mark", has_text="two").click()
        keys.press("x")
        page.wait_for_function("() => document.querySelectorAll('mark').length === 2")
        marks_are(page, ["One ", " three"])
        keys.press("Control+z")
        keys.press("d")
        saved(page)
        page.reload()
        page.wait_for_selector("body[data-ready]")
        eventually(state, (["One ", "two", " three"], 1, "a note"))
    table = dx.read_assessments(tmp_path / "judgements.db")
    assert table.ranges.grade.tolist() == [1.0, 1.0, 3.0] and table.bep.tolist() == [15]
    assert [table.ranges.aspects.of(row) for row in range(3)] == [[], [], ["why"]]


def test_painting_over_leaves_the_last_grade_of_every_character(attend, tmp_path) -> None:
    text, dice = "a\U0001f600b\u0301c d\n" * 9, random.Random(3)
    grades = [0] * len(text)
    before: list[list[int]] = []
    with serving(tmp_path, "--grades", "3", texts={"d1": text}) as served:
        page = attend(served.address).page
        to_the_letter(page)
        for _ in range(60):
            if before and dice.random() < 0.2:
                page.keyboard.press("u")
                grades = before.pop()
                continue
            start = dice.randrange(len(text) - 1)
            end, grade = dice.randrange(start + 1, len(text)), dice.randrange(1, 4)
            before.append(grades)
            grades = [*grades[:start], *[grade] * (end - start), *grades[end:]]
            page.evaluate(SELECT, [units(text[:start]), units(text[:end])])
            page.keyboard.press(str(grade))
        page.keyboard.press("d")
        saved(page)
    table = dx.read_assessments(tmp_path / "judgements.db").ranges
    found = [0] * len(text)
    for start, end, grade in zip(table.start, table.end, table.grade, strict=True):
        assert not any(found[start:end]), "marks do not overlap"
        found[start:end] = [int(grade)] * int(end - start)
    assert found == grades


def test_the_caret_stays_in_the_text(attend, tmp_path) -> None:
    text = "One two three.\nFour five six.\n\nSeven eight nine."
    with serving(tmp_path, texts={"d1": text, "d2": "Other."}) as served:
        page = attend(served.address).page
        keys = page.keyboard
        for presses, expected in (
            ("Control+End Shift+ArrowLeft", "."),
            ("ArrowDown ArrowDown ArrowDown Shift+Home", "Seven eight nine."),
            ("Control+Home ArrowUp ArrowUp ArrowLeft Shift+End", "One two three."),
            ("Control+Home s s", "One two three.\nFour five six."),
            ("Control+Home Shift+Control+End", text),
            ("Control+Home Control+ArrowRight Shift+Control+ArrowRight", "two"),
            ("Control+Home ArrowRight Shift+ArrowRight Shift+ArrowRight o Shift+ArrowLeft", "One"),
        ):
            for press in presses.split():
                keys.press(press)
            eventually(lambda: page.evaluate(SELECTED).strip(), expected)


def test_a_note_is_saved_while_it_is_written(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        page.keyboard.press("m")
        page.keyboard.type("half a thou")
        saved(page)
        page.close()
        page = attend(served.address).page
        eventually(page.locator("#note").input_value, "half a thou")


def test_two_tabs_are_one_desk(attend, browser, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        first = attend(served.address)
        second = attend(served.address, context=first.page.context)
        select(first.page, TEXT, "One")
        first.page.get_by_role("button", name="Highlight", exact=True).click()
        second.page.wait_for_selector("mark")
        select(second.page, TEXT, "Seven")
        second.page.get_by_role("button", name="Highlight", exact=True).click()
        first.page.wait_for_function("() => document.querySelectorAll('mark').length === 2")
        saved(first.page)
        saved(second.page)
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(0, 3), (30, 35)]}


def test_a_full_disk_is_shown_and_overcome(attend, tmp_path) -> None:
    most = 100_000

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    with serving(tmp_path, texts={"d1": TEXT}, prepare=small_disk) as served:
        visitor = attend(served.address)
        page = visitor.page
        for number in range(40):
            page.locator("#note").fill(f"{number} " + "x" * 4000)
            page.keyboard.press("Tab")
            if page.locator("#saved[data-state=failed]").count():
                break
        page.wait_for_selector("#saved[data-state=failed]")
        eventually(page.locator("#saved").inner_text, lambda said: "NOT saved" in said)
        select(page, TEXT, "Four")
        page.get_by_role("button", name="Highlight", exact=True).click()
        visitor.picture("judge-not-saved")
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        saved(page)
        assert all("503" in said for said in visitor.complaints)
        visitor.complaints.clear()
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(15, 19)]}


def test_a_server_that_is_killed_and_started_again_gets_what_was_not_saved(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        visitor = attend(served.address)
        page, port = visitor.page, served.address.split(":")[2].split("/")[0]
        served.process.kill()
        served.process.wait()
        select(page, TEXT, "Four")
        page.get_by_role("button", name="Highlight", exact=True).click()
        page.wait_for_selector("#saved[data-state=failed]")
        visitor.complaints.clear()
    with serving(tmp_path, "--port", port, texts={"d1": TEXT}) as again:
        later = attend(again.address, context=page.context)
        saved(later.page)
        marks_are(later.page, ["Four"])
        visitor.page.close()
        visitor.complaints.clear()
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(15, 19)]}


def test_a_page_is_used_offline_and_its_file_is_taken(attend, tmp_path) -> None:
    target, database = tmp_path / "bob.html", tmp_path / "j.db"
    text = "\U0001f600 " + TEXT

    def judge(*arguments: object) -> str:
        done = CliRunner().invoke(group, ["judge", *map(str, arguments)], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stderr

    judge(*write_desk(tmp_path, {"d1": text, "d2": "Nothing."}), "--assessor", "bob", "--offline", target)
    visitor = attend(target.as_uri(), offline=True)
    page = visitor.page
    select(page, text, "Four five")
    page.keyboard.press("h")
    page.keyboard.press("d")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    eventually(page.title, lambda title: title.startswith("t1: d2"))
    page.keyboard.press("0")
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download the file").click()
    coming.value.save_as(tmp_path / "back.json")
    assert coming.value.suggested_filename == "judgements-bob.json"
    visitor.picture("judge-offline")
    assert "added 3 new acts of bob" in judge("--take", tmp_path / "back.json", "--to", database)
    assert "added 0 new acts of bob" in judge("--take", tmp_path / "back.json", "--to", database)
    assert judged(database, "bob") == {("t1", "d1"): [(17, 26)], ("t1", "d2"): []}


HOSTILE = {
    "<img src=x onerror=alert(1)>": "</script><script>alert(1)</script><img src=x onerror=alert(2)>\n" * 3,
    "\u202etxt.exe": "javascript:alert(3) ${alert(4)} <!-- \u2028 ]]> <style>body{display:none}</style>",
}


def test_hostile_documents_are_text(attend, tmp_path) -> None:
    pool = [
        PooledDocument("<b>t</b>", doc, ((0, 10),), query='"><svg onload=alert(5)>') for doc in HOSTILE
    ]  # fmt: skip
    with serving(tmp_path, "--need", "<i>x</i>", texts=HOSTILE, pool=pool) as served:
        visitor = attend(served.address)
        page = visitor.page
        for text in HOSTILE.values():
            eventually(lambda: page.evaluate(SHOWN), text)
            eventually(page.locator("svg, b, i, .text img, .text script").count, 0)
            page.keyboard.press("n")
            page.keyboard.press("h")
            page.keyboard.press("j")
        saved(page)
        visitor.picture("judge-hostile")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_serious(attend, demo, tmp_path, scheme, width) -> None:
    with serving(tmp_path, "--grades", "3", "--need", "why", arguments=demo[0]) as served:
        visitor = attend(served.address, width=width, height=844, scheme=scheme, has_touch=width < 400)
        page = visitor.page
        for grade in ("1", "2", "3"):
            page.keyboard.press("s")
            page.keyboard.press(grade)
        page.keyboard.press("b")
        saved(page)
        visitor.picture(f"judge-{scheme}-{width}")
        eventually(lambda: serious(page), [])
        visitor.fits(width)
        page.keyboard.press("?")
        visitor.picture(f"judge-help-{scheme}-{width}")
        eventually(lambda: serious(page), [])


def test_touch_selects_first_and_the_button_highlights(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        page = attend(served.address, width=390, height=844, has_touch=True, is_mobile=True).page
        select(page, TEXT, "Seven eight")
        page.wait_for_timeout(100)
        page.get_by_role("button", name="Highlight", exact=True).tap()
        marks_are(page, ["Seven eight"])
        page.locator("mark").tap()
        page.get_by_role("button", name="Remove", exact=True).tap()
        page.wait_for_function("() => !document.querySelector('mark')")
        page.get_by_role("button", name="Undo").tap()
        page.get_by_role("button", name="Done, next").tap()
        saved(page)
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(30, 41)]}
