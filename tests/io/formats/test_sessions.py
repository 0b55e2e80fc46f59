"""Sessions of coding agents: the same work in the files of three programs is the same trajectory."""

from __future__ import annotations

import json

import pytest

import doxeval as dx
from doxeval.io.formats.edited_files import ENDLESS, EditedFile, LineHunk, hunks_between
from doxeval.io.formats.messages import result_text
from doxeval.io.formats.shell_commands import printed_by
from doxeval.io.formats.trajectories import step_rows

POT = [f"line {number}" for number in range(1, 31)]
GOLD = [
    {"topic": "tea__pot-7", "query": "Why does it  boil over?", "doc": "src/pot.py", "start_line": 12,
     "end_line": 13},
    {"topic": "tea__pot-7", "doc": "src/lid.py", "start_line": 3, "end_line": 3},
]  # fmt: skip
QUESTION = "Why does it boil over?"
CHANGED = [*POT[:11], "heat = 1", "heat = 2", "heat = 3", *POT[12:]]
"""Line 12 becomes three lines."""
SECONDS = iter(range(10, 60))


def numbered(lines, first, separator="\t"):
    return "\n".join(f"{at:6}{separator}{line}" for at, line in enumerate(lines, first))


def stamp(second):
    return f"2026-01-05T10:00:{second:02}.000Z"


def lines_of(records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_code(separator="→", patched=True):
    """Grep, read, edit, read again, a command, a new file, the answer."""
    found = [{"type": "summary", "summary": "s"},
             {"type": "user", "sessionId": "s1", "cwd": "/home/u/pot", "timestamp": stamp(0), "isMeta": True,
              "message": {"role": "user", "content": "Caveat: something"}},
             {"type": "user", "sessionId": "s1", "cwd": "/home/u/pot", "timestamp": stamp(0),
              "message": {"role": "user", "content": QUESTION}}]  # fmt: skip
    second = 1

    def call(name, given, text, held=None, error=False):
        nonlocal second
        own = f"t{len(found)}"
        usage = {"input_tokens": 50, "output_tokens": 5, "cache_read_input_tokens": 45}
        for kind in ({"type": "text", "text": "I look."},
                     {"type": "tool_use", "id": own, "name": name, "input": given}):  # fmt: skip
            found.append({"type": "assistant", "sessionId": "s1", "timestamp": stamp(second), "message": {
                "id": f"m{own}", "role": "assistant", "content": [kind], "usage": usage}})  # fmt: skip
        second += 2
        result = {"type": "tool_result", "tool_use_id": own, "content": text}
        record = {"type": "user", "sessionId": "s1", "timestamp": stamp(second), "message": {
            "role": "user", "content": [result | ({"is_error": True} if error else {})]}}  # fmt: skip
        found.append(record | ({"toolUseResult": held} if held else {}))

    path = "/home/u/pot/src/pot.py"
    call("Grep", {"pattern": "lid", "output_mode": "content"}, "src/lid.py:3:lid = None\n")
    call("Read", {"file_path": path, "offset": 10, "limit": 5}, numbered(POT[9:14], 10, separator))
    patch = [{"oldStart": 11, "oldLines": 3, "newStart": 11, "newLines": 5,
              "lines": [" line 11", "-line 12", "+heat = 1", "+heat = 2", "+heat = 3", " line 13"]}
          ]  # fmt: skip
    call("Edit", {"file_path": path, "old_string": "line 12", "new_string": "heat = 1\nheat = 2\nheat = 3"},
         "The file has been updated.", {"filePath": path, "structuredPatch": patch} if patched else None
     )  # fmt: skip
    call("Read", {"file_path": path, "offset": 11, "limit": 6}, numbered(CHANGED[10:16], 11, separator))
    call("Bash", {"command": "sed -n '1,2p' src/pot.py"}, "line 1\nline 2\n")
    call("Write", {"file_path": "/home/u/pot/try.py", "content": "x = 1\n"}, "File created successfully",
         {"type": "create", "filePath": "/home/u/pot/try.py", "structuredPatch": [], "originalFile": None}
     )  # fmt: skip
    call("Read", {"file_path": "/home/u/pot/try.py"}, numbered(["x = 1"], 1, separator))
    call("Bash", {"command": "pytest -q"}, "1 passed", error=False)
    call("Read", {"file_path": "/home/u/pot/none.py"}, "File does not exist.", error=True)
    found.append({"type": "assistant", "sessionId": "s1", "timestamp": stamp(second + 1), "message": {
        "id": "last", "role": "assistant", "content": [{"type": "text", "text": "Too hot."}],
        "usage": {"input_tokens": 90, "output_tokens": 10}}})  # fmt: skip
    return found


def codex(wrapped="json"):
    found = [{"timestamp": stamp(0), "type": "session_meta", "payload": {"id": "s1", "cwd": "/home/u/pot"}},
             {"timestamp": stamp(0), "type": "response_item", "payload": {
                 "type": "message", "role": "user", "content": [
                     {"type": "input_text", "text": "<environment_context>...</environment_context>"},
                     {"type": "input_text", "text": QUESTION}]}}]  # fmt: skip
    second = 1

    def output(text, code):
        if wrapped == "json":
            return json.dumps({"output": text, "metadata": {"exit_code": code, "duration_seconds": 0.1}})
        if wrapped == "header":
            return f"Exit code: {code}\nWall time: 0.1 seconds\nOutput:\n{text}"
        return f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{text}"

    def call(command, text, code=0, **payload):
        nonlocal second
        own = f"c{len(found)}"
        names = {"json": ("shell", {"command": ["bash", "-lc", command]}),
                 "header": ("shell_command", {"command": command, "workdir": "/home/u/pot"}),
                 "chunk": ("exec_command", {"cmd": command, "workdir": "/home/u/pot"})}  # fmt: skip
        name, given = names[wrapped]
        item = {
            "type": "function_call",
            "name": name,
            "arguments": json.dumps(given),
            "call_id": own,
        } | payload
        found.append({"timestamp": stamp(second), "type": "response_item", "payload": item})
        second += 2
        kind = item["type"] + "_output"
        found.append({"timestamp": stamp(second), "type": "response_item", "payload": {
            "type": kind, "call_id": own, "output": output(text, code)}})  # fmt: skip
        found.append({"timestamp": stamp(second), "type": "event_msg", "payload": {
            "type": "token_count", "info": {"last_token_usage": {"input_tokens": 95, "output_tokens": 5,
                                                                 "total_tokens": 100}}}})  # fmt: skip

    patch = ("*** Begin Patch\n*** Update File: src/pot.py\n@@\n line 11\n-line 12\n+heat = 1\n+heat = 2\n"
             "+heat = 3\n line 13\n*** End Patch")  # fmt: skip
    call("rg -n lid src", "src/lid.py:3:lid = None\n")
    call("nl -ba src/pot.py | sed -n '10,14p'", numbered(POT[9:14], 10))
    if wrapped == "json":
        call(f"apply_patch <<'EOF'\n{patch}\nEOF", "Success.")
    else:
        call("", "Success.", type="custom_tool_call", name="apply_patch", input=patch)
    call("sed -n '11,16p' src/pot.py", "\n".join(CHANGED[10:16]) + "\n")
    call("cat src/pot.py | head -2", "line 1\nline 2\n")
    call("cat > try.py <<'EOF'\nx = 1\nEOF", "")
    call("cat try.py", "x = 1\n")
    call("pytest -q", "1 passed")
    call("cat none.py", "cat: none.py: No such file or directory\n", code=1)
    found.append({"timestamp": stamp(second + 1), "type": "response_item", "payload": {
        "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Too hot."}]}}
    )  # fmt: skip
    found.append({"timestamp": stamp(second + 1), "type": "event_msg", "payload": {
        "type": "token_count", "info": {"last_token_usage": {"total_tokens": 100}}}})  # fmt: skip
    return found


def openhands(version=0, contents=True):
    found = [{"id": 0, "timestamp": stamp(0), "source": "user", "action": "message",
              "args": {"content": QUESTION}}]  # fmt: skip
    if version:
        found = [{"id": "0", "timestamp": stamp(0), "source": "user", "kind": "MessageEvent",
                  "llm_message": {"role": "user", "content": [{"type": "text", "text": QUESTION}]}}
              ]  # fmt: skip
    second, spent = 1, 0

    def call(name, given, text, **extras):
        nonlocal second, spent
        own, spent = len(found), spent + 100
        metrics = {"accumulated_cost": 0.0, "accumulated_token_usage": {
            "prompt_tokens": spent - 10, "completion_tokens": 10}}  # fmt: skip
        second += 2
        failed = extras.pop("failed", False)
        if version:
            tool = {"run": "terminal"}.get(name, "file_editor")
            given = given | ({"command": "view"} if name == "read" else {})
            found.append({"id": str(own), "kind": "ActionEvent", "source": "agent",
                          "timestamp": stamp(second), "tool_name": tool, "tool_call_id": f"c{own}",
                          "action": given, "llm_metrics": metrics})  # fmt: skip
            held = {"content": [{"type": "text", "text": text}], "is_error": failed} | extras
            found.append({"id": str(own + 1), "kind": "ObservationEvent", "timestamp": stamp(second),
                          "tool_call_id": f"c{own}", "observation": held})  # fmt: skip
        else:
            found.append({"id": own, "timestamp": stamp(second - 1), "source": "agent", "action": name,
                          "args": given, "llm_metrics": metrics})  # fmt: skip
            found.append({"id": own + 1, "timestamp": stamp(second), "source": "agent", "cause": own,
                          "observation": "error" if failed else name, "content": text, "extras": extras}
                      )  # fmt: skip

    path = "/workspace/tea__pot__1.0/src/pot.py"
    head = f"Here's the result of running `cat -n` on {path}:\n"
    where = {"metadata": {"exit_code": 0, "working_dir": "/workspace/tea__pot__1.0"}}
    call("run", {"command": "grep -rn lid src"}, "src/lid.py:3:lid = None", **where)
    call("read", {"path": path, "view_range": [10, 14]}, head + numbered(POT[9:14], 10))
    texts = {"old_content": "\n".join(POT), "new_content": "\n".join(CHANGED), "prev_exist": True}
    call("edit", {"command": "str_replace", "path": path, "old_str": "line 12",
                  "new_str": "heat = 1\nheat = 2\nheat = 3"}, "The file has been edited.",
         path=path, **(texts if contents else {}))  # fmt: skip
    call("read", {"path": path, "view_range": [11, 16]}, head + numbered(CHANGED[10:16], 11))
    call("run", {"command": "head -n 2 src/pot.py"}, "line 1\nline 2", **where)
    own = "/workspace/tea__pot__1.0/try.py"
    call("edit", {"command": "create", "path": own, "file_text": "x = 1\n"}, "File created successfully",
         path=own, prev_exist=False)  # fmt: skip
    call("read", {"path": own}, head + numbered(["x = 1"], 1))
    call("run", {"command": "pytest -q"}, "1 passed", **where)
    call("read", {"path": "/workspace/tea__pot__1.0/none.py"}, "No such file.", failed=True)
    last = {"timestamp": stamp(second + 1), "source": "agent"}
    if version:
        found.append({"id": "z", "kind": "ActionEvent", "tool_name": "finish", "action": {}} | last)
    else:
        found.append({"id": 99, "action": "finish", "args": {"final_thought": "Too hot."}} | last)
    return found


FORMS = {
    "claude-code": lambda: claude_code(),
    "claude-code tabs, no patch": lambda: claude_code("\t", patched=False),
    "codex": codex,
    "codex shell_command": lambda: codex("header"),
    "codex exec_command": lambda: codex("chunk"),
    "openhands": openhands,
    "openhands without contents": lambda: openhands(contents=False),
    "openhands 1": lambda: openhands(1),
}
forms = pytest.mark.parametrize("form", FORMS)


@forms
def test_the_same_work_is_the_same_trajectory(form, tmp_path):
    (tmp_path / "tea__pot-7.jsonl").write_bytes(lines_of(FORMS[form]()))
    run = dx.read_run(tmp_path / "tea__pot-7.jsonl")
    assert run.topics == ["tea__pot-7"] and not run.notices.failures
    steps = list(step_rows(run))
    assert [step["action"] for step in steps] == [
        "search", "read", "edit", "read", "read", "edit", "read", "other", step_of_failure(form), "answer"
    ]  # fmt: skip
    shown = [
        (step["doc"], step["start_line"], step["end_line"])
        for step in steps if step["action"] != "edit" and "start_line" in step
    ]  # fmt: skip
    assert shown[:2] == [("src/lid.py", 3, 3), ("src/pot.py", 10, 14)]
    assert steps[2] | {"tokens": 0, "seconds": 0, "cost": 0, "printed": 0} == {
        "topic": "tea__pot-7", "step": 3, "action": "edit", "doc": "src/pot.py", "start_line": 12,
        "end_line": 12, "tokens": 0, "seconds": 0, "cost": 0, "printed": 0,
    }  # fmt: skip
    again = steps[3]
    assert again["doc"] == "src/pot.py" and again["own"] == "heat = 1\nheat = 2\nheat = 3\n"
    assert again["lines"] == [[11, 11], [13, 14]]
    assert steps[4]["doc"] == "src/pot.py" and (steps[4]["start_line"], steps[4]["end_line"]) == (1, 2)
    assert steps[6]["doc"] == "try.py" and steps[6]["own"] == "x = 1\n"
    assert not {"doc", "shown"} & steps[8].keys()
    scores = dx.evaluate(run, GOLD, "iR iP iR@2steps")
    assert [scores[name] for name in scores.measures] == [1, pytest.approx(3 / 11), 1]


def step_of_failure(form):
    return "other" if form.startswith("codex") else "read"


@forms
def test_amounts_are_those_of_the_messages(form):
    steps = dx.read_run(lines_of(FORMS[form]())).steps
    assert steps.tokens[:9].tolist() == [100] * 9
    assert steps.spent("seconds")[-1] == 20


@forms
def test_the_question_is_known_by_its_words_its_id_and_the_file(form, tmp_path):
    for name, topic in (("abc.jsonl", "q1"), ("abc.jsonl", "s1"), ("q1.jsonl", "q1")):
        if topic == "s1" and form.startswith("openhands"):
            continue
        (tmp_path / name).write_bytes(lines_of(FORMS[form]()))
        gold = [row | {"topic": topic} for row in GOLD]
        if name == "q1.jsonl" or topic == "s1":
            gold = [{key: value for key, value in row.items() if key != "query"} for row in gold]
        assert dx.evaluate(tmp_path / name, gold, "iR")["iR"] == 1


@forms
def test_a_folder_of_sessions_is_one_run(form, tmp_path):
    for topic in ("a__a-1", "tea__pot-7"):
        (tmp_path / f"{topic}.jsonl").write_bytes(lines_of(FORMS[form]()))
    (tmp_path / "notes.jsonl").write_bytes(b'{"topic": "q", "doc": "d", "rank": 1}\n')
    run = dx.read_run(tmp_path)
    assert run.topics == ["a__a-1", "tea__pot-7"] and len(run.steps) == 20 and run.name == tmp_path.name


def test_convert_writes_the_steps_of_a_folder_and_of_traces(tmp_path):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "tea__pot-7.jsonl").write_bytes(lines_of(codex()))
    dx.convert(tmp_path / "sessions", tmp_path / "steps.jsonl")
    measures = "iR iP iR@3steps iR@9s"
    expected, found = (
        dx.evaluate(tmp_path / name, GOLD, measures).runs[0].values.tolist()
        for name in ("sessions", "steps.jsonl")
    )
    assert found == expected


def test_instances_with_a_history_are_topics_of_one_run():
    rows = [
        {"instance_id": name, "history": openhands(1), "metrics": {}} for name in ("a__a-1", "tea__pot-7")
    ]
    run = dx.read_run(lines_of(rows))
    assert run.topics == ["a__a-1", "tea__pot-7"] and len(run.steps) == 20
    listed = dx.read_run(json.dumps(openhands()).encode())
    assert len(listed.steps) == 10


def test_an_edit_that_cannot_be_placed_leaves_out_what_is_shown_later_and_says_so():
    records = codex()
    text = json.dumps(records).replace("line 11\\\\n-line 12", "line 99\\\\n-line 12")
    assert text != json.dumps(records)
    run = dx.read_run(lines_of(json.loads(text)))
    assert any(
        "8 lines shown of files that were changed in an unknown way" in str(one) for one in run.notices
    )
    steps = list(step_rows(run))
    assert steps[2]["own"] and "start_line" not in steps[2] and "doc" not in steps[3]


def test_own_text_is_free_or_shown(tmp_path):
    (tmp_path / "tea__pot-7.jsonl").write_bytes(lines_of(claude_code()))
    documents = {"src/pot.py": "\n".join(POT) + "\n", "src/lid.py": "a\nb\nlid = None\n"}
    free, shown = (
        dx.evaluate(tmp_path / "tea__pot-7.jsonl", GOLD, "iP", documents, own=own)["iP"]
        for own in ("free", "shown")
    )
    assert free > shown > 0


def test_pieces_of_an_edited_file_know_their_origin():
    file = EditedFile()
    assert file.edit([LineHunk(5, ["-a", "-b", "+x"]), LineHunk(9, ["+y"])]) == [5, 6]
    assert file.origins(3, 9) == [3, 4, 0, 7, 8, 9, 0, 10, 11]
    assert file.edit([LineHunk(5, ["-x"])]) == [0] and file.origins(4, 3) == [4, 7, 8]
    assert EditedFile([(ENDLESS, 3)]).origins(1, 2) == [3, 4]


def test_edits_are_mapped_back_as_a_twin_does_it():
    """Line by line: a list of the file's lines with their numbers, changed in the same way."""
    import random

    chance = random.Random(7)
    for _ in range(200):
        before = [str(chance.randrange(9)) for _ in range(chance.randrange(1, 15))]
        file, lines, text = EditedFile(), list(range(1, len(before) + 1)), before
        for _ in range(3):
            after = [line for line in text if chance.random() < 0.8]
            for _ in range(chance.randrange(3)):
                after.insert(chance.randrange(len(after) + 1), f"new {chance.random()}")
            hunks = hunks_between("\n".join(text), "\n".join(after))
            for hunk in hunks:
                removed = sum(line[0] == "-" for line in hunk.lines)
                lines[hunk.first - 1 : hunk.first - 1 + removed] = [0] * len(hunk.added)
            file.edit(hunks)
            text = after
            if not "\n".join(after):
                break
            assert file.origins(1, len(lines)) == lines and len(lines) == len(after)


@pytest.mark.parametrize(
    ("command", "output", "shown"),
    [
        ("sed -n '10,12p' a/b.py", "x\ny\nz\n", ("a/b.py", [(10, 12)])),
        ("sed -n 7p b.py", "x\n", ("b.py", [(7, 7)])),
        ("sed -n '1,2p;10,11p' a.py", "a\nb\nc\nd", ("a.py", [(1, 2), (10, 11)])),
        ("cd src && nl -ba a.py | sed -n '5,6p'", "     5\tx\n     6\ty\n", ("src/a.py", [(5, 6)])),
        ("sed -n '100,101p' f.py | cat -n", "     1\tx\n     2\ty", ("f.py", [(100, 101)])),
        ("cat a.py | head -3 2>/dev/null", "1\n2\n3", ("a.py", [(1, 3)])),
        ("cat a.py 2>/dev/null", "1\n2\n3", ("a.py", [(1, 3)])),
        ("sed -n '5,6p' a.py 2> /dev/null", "x\ny\n", ("a.py", [(5, 6)])),
        ("cat -n a.py 2>&1 | head -2", "     1\tx\n     2\ty\n", ("a.py", [(1, 2)])),
        ("tail -n +5 a.py", "q\n", ("a.py", [(5, 5)])),
        ("cat -n a.py | tail -2", "     8\tx\n     9\ty\n", ("a.py", [(8, 9)])),
        ("cat a.py", "a\n[... output truncated ...]\nz\n", ("a.py", [(1, 1)])),
        ("tail -n 5 a.py", "q\n", ("a.py", [])),
        ("cat a.py; cat b.py", "x\n", ("", [])),
        ("python run.py", "x\n", ("", [])),
        ("cat a.py | sort", "x\n", ("", [])),
        ("cat 'a.py", "x\n", ("", [])),
    ],
)
def test_commands_that_print_files(command, output, shown):
    found = printed_by(command, output)
    file, ranges = shown
    assert [(window.first, window.last) for window in found.windows] == ranges
    assert not ranges or found.file == file
    assert found.known == bool(ranges)


def test_commands_that_search_list_and_write():
    assert printed_by("grep -rn a src", "src/a.py:3:a\nsrc/a.py:9:a\n").matches == {"src/a.py": [3, 9]}
    assert printed_by("grep -n a src/a.py", "3:a\n9:a\n").matches == {"src/a.py": [3, 9]}
    assert printed_by("rg -l a", "src/a.py\nb.py\n").named == ["src/a.py", "b.py"]
    assert printed_by("ls src", "a.py\nb.py\n").named == ["src/a.py", "src/b.py"]
    assert printed_by("find . -name '*.py'", "./src/a.py\n").named == ["src/a.py"]
    assert printed_by("sed -i 's/a/b/' src/a.py", "").changed == ["src/a.py"]
    assert printed_by("python a.py > out.txt", "").written == {"out.txt": ""}
    assert printed_by("cat > n.py <<'EOF'\nx = 1\nEOF", "").written == {"n.py": "x = 1\n"}


def test_what_a_tool_returned_is_shown_in_its_own_letters() -> None:
    assert result_text({"tea": "caf\u00e9 \u8336"}) == '{"tea": "caf\u00e9 \u8336"}'
    assert result_text(None) == "" and result_text("so") == "so"
