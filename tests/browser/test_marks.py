"""Marks end at words, sentences or nodes, and their borders are moved by keys, by mouse and by touch."""

from __future__ import annotations

import pytest

import doxeval as dx
from doxeval.extend import Source
from doxeval.io.formats.judgements import read_judgements
from doxeval.judging.pool_file import PooledDocument
from tests.browser.conftest import eventually
from tests.browser.test_judging import RECT, judged, marks_are, saved, select, units
from tests.judging.serving import serving, write_desk

LAST = "A line (with more) of caf\u00e9-au-lait \U0001f600 text."
TEXT = "The answers with ten steps. Every one is here!\n" + LAST


def drag(page, first: int, last: int) -> None:
    """Draw the mouse from one letter to another."""
    page.mouse.move(*page.evaluate(RECT, [first, False]))
    page.mouse.down()
    page.mouse.move(*page.evaluate(RECT, [last, True]), steps=4)
    page.mouse.up()


@pytest.mark.parametrize(
    ("drawn", "words", "sentences"),
    [
        ("wers with ten ste", "answers with ten steps", "The answers with ten steps."),
        (" one ", "one", "Every one is here!"),
        ("ith more) o", "with more) of", LAST),
        ("re!\nA l", "here!\nA line", f"Every one is here!\n{LAST}"),
        ("\U0001f600 te", "\U0001f600 text", LAST),
    ],
)  # fmt: skip
def test_what_a_mouse_draws_ends_at_words_or_sentences(attend, tmp_path, drawn, words, sentences) -> None:
    first = units(TEXT[: TEXT.index(drawn)])
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        for press, expected in (("", words), ("w", sentences)):
            if press:
                page.keyboard.press(press)
            drag(page, first, first + units(drawn) - 1)
            marks_are_joined(page, expected)
            page.keyboard.press("u")
            marks_are(page, [])
        saved(page)


def marks_are_joined(page, expected: str) -> None:
    read = "[...document.querySelectorAll('mark')].map(mark => mark.textContent).join('')"
    eventually(lambda: page.evaluate(read), expected)


def test_white_space_alone_is_no_mark(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        select(page, TEXT, " ")
        page.keyboard.press("h")
        eventually(page.locator(".said").inner_text, "select some words first")
        marks_are(page, [])


def test_marks_snap_to_the_nodes_of_a_document(attend, tmp_path) -> None:
    (tmp_path / "docs").mkdir()
    text = "# Title\n\nOne para graph here.\n\n- first item\n- second item\n"
    (tmp_path / "docs" / "a.md").write_text(text)
    arguments = write_desk(tmp_path, {"a.md": text})
    arguments[-1] = str(tmp_path / "docs")
    with serving(tmp_path, arguments=arguments) as served:
        page = attend(served.address).page
        for _ in range(2):
            page.keyboard.press("w")
        select(page, text, "econd it")
        page.keyboard.press("h")
        marks_are_joined(page, "- second item")
        select(page, text, "aph")
        for expected in ("graph", "One para graph here."):
            page.keyboard.press("g")
            eventually(lambda: page.evaluate("getSelection().toString()"), expected)
        saved(page)


def in_hand(page) -> str:
    return page.evaluate("getSelection().toString()")


def test_borders_are_moved_by_keyboard(attend, tmp_path) -> None:
    with serving(tmp_path, "--grades", "2", texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        keys = page.keyboard
        select(page, TEXT, "with ten")
        keys.press("2")
        marks_are(page, ["with ten"])
        keys.press("e")
        for press, expected in (
            ("ArrowRight", "with ten steps"),
            ("Shift+ArrowRight", "with ten steps."),
            ("ArrowLeft", "with ten steps"),
            ("ArrowDown", "with ten steps."),
            ("e", "with ten steps."),
            ("ArrowLeft", "answers with ten steps."),
            ("ArrowUp", "The answers with ten steps."),
            ("ArrowRight", "answers with ten steps."),
            ("Shift+ArrowRight", "nswers with ten steps."),
        ):
            keys.press(press)
            eventually(lambda: in_hand(page), expected)
        marks_are(page, ["with ten"])
        keys.press("Escape")
        keys.press("e")
        keys.press("ArrowLeft")
        keys.press("Enter")
        marks_are(page, ["answers with ten"])
        keys.press("u")
        marks_are(page, ["with ten"])
        keys.press("r")
        keys.press("d")
        saved(page)
    start = TEXT.index("answers")
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(start, start + len("answers with ten"))]}


def test_a_border_that_meets_another_highlight_takes_its_text(attend, tmp_path) -> None:
    with serving(tmp_path, "--grades", "2", texts={"d1": TEXT}) as served:
        page = attend(served.address).page
        select(page, TEXT, "with ten")
        page.keyboard.press("1")
        select(page, TEXT, "steps")
        page.keyboard.press("2")
        page.locator("mark", has_text="with ten").click()
        page.wait_for_selector(".handle.end:not([hidden])")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("d")
        saved(page)
    start = TEXT.index("with")
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): [(start, start + len("with ten steps"))]}


def pull(page, name: str, place: int, after: bool) -> None:
    """Drag a handle to a letter, as a finger does."""
    box = page.get_by_role("button", name=name).bounding_box()
    x, y = page.evaluate(RECT, [place, after])
    begin = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(
        """([name, begin, end]) => {
          const handle = document.querySelector(`[aria-label="${name}"]`);
          handle.setPointerCapture = () => {};
          const send = (kind, [clientX, clientY]) => handle.dispatchEvent(new PointerEvent(kind, {
            bubbles: true, cancelable: true, pointerId: 7, pointerType: 'touch', isPrimary: true,
            clientX, clientY }));
          send('pointerdown', begin);
          send('pointermove', end);
          send('pointerup', end);
        }""",
        [name, begin, (x, y + (14 if name.startswith("end") else -14))],
    )


def test_borders_are_moved_by_touch(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        visitor = attend(served.address, width=390, height=844, has_touch=True, is_mobile=True)
        page = visitor.page
        select(page, TEXT, "with")
        page.wait_for_timeout(100)
        page.get_by_role("button", name="Highlight", exact=True).tap()
        marks_are(page, ["with"])
        page.locator("mark").tap()
        page.wait_for_selector(".handle.end:not([hidden])")
        visitor.picture("judge-borders-touch")
        pull(page, "end of the highlight", TEXT.index("teps"), True)
        marks_are(page, ["with ten steps"])
        pull(page, "beginning of the highlight", TEXT.index("swers"), False)
        marks_are(page, ["answers with ten steps"])
        page.get_by_role("button", name="Done, next").tap()
        saved(page)
    start = TEXT.index("answers")
    expected = [(start, start + len("answers with ten steps"))]
    assert judged(tmp_path / "judgements.db") == {("t1", "d1"): expected}


def test_handles_are_dragged_by_mouse(attend, tmp_path) -> None:
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        visitor = attend(served.address)
        page = visitor.page
        select(page, TEXT, "with ten steps")
        page.keyboard.press("h")
        page.locator("mark").click()
        box = page.get_by_role("button", name="end of the highlight").bounding_box()
        x, y = page.evaluate(RECT, [TEXT.index("with") + 1, True])
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, y + 14, steps=5)
        visitor.picture("judge-borders-mouse")
        page.mouse.up()
        marks_are(page, ["with"])
        saved(page)


PAGE = "".join(f"Paragraph {number} begins. It goes on and on. It ends here.\n\n" for number in range(70))


def test_a_run_of_whole_documents_shades_nothing_and_sentences_stay_sentences(attend, tmp_path) -> None:
    """One run shows all of the document, two a paragraph of it, one of these a sentence: shades by runs."""
    place = PAGE.index("Paragraph 30")
    paragraph = (place, place + len("Paragraph 30 begins. It goes on and on. It ends here."))
    sentence = (place, place + len("Paragraph 30 begins."))
    ranges = {"whole": (0, len(PAGE)), "paragraphs": paragraph, "sentences": sentence}
    runs = {
        name: [{"topic": "t1", "doc": "d1", "rank": 1, "start": start, "end": end}]
        for name, (start, end) in ranges.items()
    }
    pool = dx.pool(runs, documents={"d1": PAGE}).documents
    assert pool[0].runs == (0, 2, 1, 0)
    arguments = write_desk(tmp_path, {"d1": PAGE}, pool)
    with serving(tmp_path, arguments=arguments) as served:
        visitor = attend(served.address)
        page = visitor.page
        read = "kind => [...document.querySelectorAll(`.text .${kind}`)].map(one => one.textContent).join('')"
        eventually(lambda: page.evaluate(read, "p2"), PAGE[slice(*sentence)])
        eventually(lambda: page.evaluate(read, "p1").strip(), PAGE[sentence[1] : paragraph[1]].strip())
        eventually(page.locator(".legend").inner_text, lambda said: "as a whole document" in said)
        page.keyboard.press("n")
        eventually(page.locator(".said").inner_text, "2 runs show this")
        visitor.picture("judge-shades")
        for press in "nsh":
            page.keyboard.press(press)
        marks_are(page, ["It goes on and on."])
        page.keyboard.press("n")
        page.keyboard.press("n")
        eventually(page.locator(".said").inner_text, "shown only with all of the document")
        page.keyboard.press("s")
        page.keyboard.press("h")
        marks_are(page, ["It goes on and on.", "Paragraph 31 begins."])
        saved(page)


def test_suggestions_are_confirmed_corrected_and_rejected(attend, tmp_path) -> None:
    proposed = {"model": ((0, 11, 1.0), (28, 33, 1.0)), "<i>rule</i>": ((47, 53, 1.0),)}
    pool = [PooledDocument("t1", "d1", ((0, len(TEXT)),), query="What?", suggested=proposed)]
    with serving(tmp_path, texts={"d1": TEXT}, pool=pool) as served:
        visitor = attend(served.address)
        page = visitor.page
        keys = page.keyboard
        eventually(page.locator(".suggested").count, lambda count: count >= 3)
        keys.press("y")
        eventually(page.locator(".said").inner_text, lambda said: said.startswith("suggested by model"))
        visitor.picture("judge-suggestions")
        keys.press("y")
        marks_are(page, ["The answers"])
        select(page, TEXT, "Every one is here!")
        keys.press("h")
        marks_are(page, ["The answers", "Every one is here!"])
        keys.press("y")
        eventually(page.locator(".said").inner_text, lambda said: "suggested by <i>rule</i>" in said)
        keys.press("t")
        eventually(page.locator(".said").inner_text, "rejected; no suggestion is open here")
        eventually(page.locator(".text .suggested").count, 0)
        keys.press("u")
        eventually(page.locator(".text .suggested").count, 1)
        keys.press("r")
        keys.press("d")
        saved(page)
    with Source(served.database) as source:
        kept = read_judgements(source)
    assert kept.judgements["t1", "d1"]["ann"].answers == {
        "model:0-11": "confirmed", "model:28-33": "corrected", "<i>rule</i>:47-53": "rejected",
    }  # fmt: skip
    assert list(kept.suggested["t1", "d1"]) == ["model", "<i>rule</i>"]
    assert judged(served.database) == {("t1", "d1"): [(0, 11), (28, 46)]}
