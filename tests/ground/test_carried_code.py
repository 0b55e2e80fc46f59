"""Gold that survives refactoring: classes and functions carried from one commit to another."""

from __future__ import annotations

import subprocess

import pytest

import doxeval as dx
from doxeval.io.documents.code import has_grammars
from tests.io.placing.test_anchor import lines, run, write

pytestmark = pytest.mark.skipif(not has_grammars(), reason="needs the extra code")

OLD = {
    "shop/cart.py": '''\
import json


class Cart:
    """What somebody wants to buy."""

    def __init__(self, items=None):
        self.items = list(items or [])

    def add(self, item, count=1):
        if count < 1:
            raise ValueError("count must be positive")
        self.items.append((item, count))

    def total(self):
        return sum(item.price * count for item, count in self.items)

    @property
    def size(self):
        return len(self.items)

    @size.setter
    def size(self, value):
        self.items = self.items[:value]

    def clear(self):
        self.items = []


def load(path):
    with open(path) as stream:
        return Cart(json.load(stream))


def save(cart, path, indent=2):
    with open(path, "w") as stream:
        json.dump(cart.items, stream, indent=indent)


def describe(cart):
    def line(item, count):
        return f"{count} x {item.name}"

    return "\\n".join(line(item, count) for item, count in cart.items)


def cheapest(cart):
    prices = [item.price for item, count in cart.items if count]
    return min(prices) if prices else None


def dearest(cart):
    prices = [item.price for item, count in cart.items if count]
    return max(prices) if prices else None
''',
    "shop/letters.py": """\
def send(cart, server):
    owner = cart.owner.strip().lower()
    greeting = "Dear " + owner.title()
    server.connect(timeout=30)
    server.deliver(owner, greeting)
    server.close()
""",
    "web/cart.js": """\
export class Basket {
  add(item) {
    this.items.push(item);
  }

  total() {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }
}

export const format = (price) => {
  return price.toFixed(2) + " EUR";
};
""",
    "src/Tax.java": """\
class Tax {
  int of(int price) {
    return price / 5;
  }

  int of(int price, int rate) {
    return price * rate / 100;
  }

  String name() {
    return "tax";
  }
}
""",
}
NEW = {
    # A comment above moves all; `add` is edited; `clear` is deleted; `describe` is reformatted; `cheapest` is
    # deleted, and its sibling is still here; `load` is now a method, re-indented.
    "shop/cart.py": '''\
# Carts.
import json


class Cart:
    """What somebody wants to buy."""

    def __init__(self, items=None):
        self.items = list(items or [])

    def add(self, item, count=1, gift=False):
        if count <= 0:
            raise ValueError(f"count must be positive, not {count}")
        self.items.append((item, count, gift))

    def total(self):
        return sum(item.price * count for item, count in self.items)

    @property
    def size(self):
        return len(self.items)

    @size.setter
    def size(self, value):
        self.items = self.items[:value]


def describe(cart):
    def line(
        item,
        count,
    ):
        return f'{count} x {item.name}'

    return "\\n".join(
        line(item, count) for item, count in cart.items
    )


def dearest(cart):
    prices = [item.price for item, count in cart.items if count]
    return max(prices) if prices else None
''',
    # `send` is deleted; one of its lines is in a new function, one in two of them, one in none.
    "shop/letters.py": '''\
LIMIT = 10


def address_of(cart):
    """Where letters go."""
    owner = cart.owner.strip().lower()
    return f"{owner}@example.org" if "@" not in owner else owner


class Outbox:
    def flush(self, server):
        while self.waiting and server.ready():
            server.post(self.waiting.pop())
        server.close()

    def abandon(self, server):
        self.waiting.clear()
        server.close()
''',
    "shop/files.py": """\
import json


class Files:
    def load(path):
        with open(path) as stream:
            return Cart(json.load(stream))


def write_cart(cart, path, indent=2):
    with open(path, "w") as stream:
        json.dump(cart.items, stream, indent=indent)
""",
    "web/basket.js": """\
export class Basket {
  add(item) {
    this.items.push(item);
  }

  total() {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }
}

export const format = (price) => {
    return price.toFixed(2) + " EUR";
};
""",
    "src/Tax.java": """\
class Tax {
  int of(int price, int rate) {
    return price * rate / 100;
  }

  int of(int price) {
    return price / 4;
  }
}
""",
}
FATES = {
    "shop/cart.py::Cart": ("shop/cart.py::Cart", "symbol"),
    "shop/cart.py::Cart.__init__": ("shop/cart.py::Cart.__init__", "exact"),
    "shop/cart.py::Cart.add": ("shop/cart.py::Cart.add", "symbol"),
    "shop/cart.py::Cart.size": ("shop/cart.py::Cart.size", "exact"),
    "shop/cart.py::Cart.size#2": ("shop/cart.py::Cart.size#2", "exact"),
    "shop/cart.py::Cart.clear": None,
    "shop/cart.py::load": ("shop/files.py::Files.load", "white space"),
    "shop/cart.py::save": ("shop/files.py::write_cart", "renamed"),
    "shop/cart.py::describe": ("shop/cart.py::describe", "letters"),
    "shop/cart.py::describe.line": ("shop/cart.py::describe.line", "letters"),
    "shop/cart.py::cheapest": None,
    "web/cart.js::Basket.total": ("web/basket.js::Basket.total", "exact"),
    "web/cart.js::format": ("web/basket.js::format", "white space"),
    "src/Tax.java::Tax.of": ("src/Tax.java::Tax.of#2", "symbol"),
    "src/Tax.java::Tax.of#2": ("src/Tax.java::Tax.of", "exact"),
    "src/Tax.java::Tax.name": None,
}
"""For each class or function what it is now, and how that is found; None if it was deleted."""


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """A repository of two commits, and the documents of each."""
    folder = tmp_path_factory.mktemp("shop")
    git = ["git", "-C", str(folder), "-c", "user.name=me", "-c", "user.email=me@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for number, files in enumerate((OLD, NEW)):
        if number:
            subprocess.run([*git, "rm", "-rq", "."], check=True)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "a version"], check=True)
    return f"git:{folder}@HEAD~1", f"git:{folder}@HEAD"


def extent(documents, symbol):
    path, _, name = symbol.partition("::")
    doc = int(documents.codes([path])[0])
    start, end = documents.extent(doc, documents.node_named(doc, name))
    text = documents.text[doc]
    return path, text.count("\n", 0, int(start)) + 1, text.count("\n", 0, int(end)) + 1


@pytest.fixture
def carried(versions, tmp_path):
    """A function that carries gold over, and returns its rows by topic."""

    def carry(rows):
        gold, out = write(tmp_path / "gold.jsonl", rows), tmp_path / "new.jsonl"
        run("anchor", gold, "--from", versions[0], "--docs", versions[1], "-o", out)
        return {row["topic"]: row for row in lines(out) if "level" in row}

    return carry


def test_classes_and_functions_given_by_lines_follow_their_names_and_tokens(versions, carried):
    old, new = (dx.read_documents(place) for place in versions)
    places = {symbol: extent(old, symbol) for symbol in FATES}
    gold = [
        {"topic": symbol, "doc": path, "start_line": first, "end_line": last}
        for symbol, (path, first, last) in places.items()
    ]
    found = carried(gold)
    assert found.keys() == FATES.keys()
    for symbol, fate in FATES.items():
        row = found[symbol]
        if fate is None:
            assert row["level"] == "lost" and "start_line" not in row, symbol
            continue
        path, first, last = extent(new, fate[0])
        assert (row["doc"], row["start_line"], row["end_line"]) == (path, first, last), symbol
        assert row["level"] == fate[1], symbol
        assert (row["similarity"] == 1) == (fate[1] not in ("symbol", "renamed")), symbol


def test_classes_and_functions_given_by_name_have_their_new_names(carried):
    found = carried([{"topic": symbol, "doc": symbol} for symbol in FATES])
    for symbol, fate in FATES.items():
        row = found[symbol]
        assert row["level"] == ("lost" if fate is None else fate[1]), symbol
        assert fate is None or f"{row['doc']}::{row['node']}" == fate[0], symbol
        assert fate is not None or "node" not in row, symbol


def line_of(text, words):
    """The number of the last line with some words."""
    return text.count("\n", 0, text.rindex(words)) + 1


def test_lines_inside_a_function_stay_inside_it(carried):
    old, new = OLD["shop/cart.py"], NEW["shop/cart.py"]
    gold = [
        # `prices = ...` is in two functions, of which one was deleted.
        {"topic": "kept", "doc": f"shop/cart.py:{line_of(old, 'prices = ')}"},
        {"topic": "edited", "doc": "shop/cart.py", "start_line": 11, "end_line": 12},
        {"topic": "gone", "doc": f"shop/cart.py:{line_of(old, 'return min(')}"},
        {"topic": "moved", "doc": f"shop/cart.py:{line_of(old, 'json.load(')}", "rel": 2, "need": "n"},
        {"topic": "import", "doc": "shop/cart.py:1"},
        {"topic": "pieces", "doc": "shop/cart.py", "lines": [[8, 8], [13, 13]]},
    ]
    found = carried(gold)
    places = {topic: (row["doc"], row.get("start_line"), row.get("end_line")) for topic, row in found.items()}
    assert places["kept"] == ("shop/cart.py", line_of(new, "prices = "), line_of(new, "prices = "))
    assert places["edited"] == ("shop/cart.py", 12, 13)
    assert found["edited"]["level"] == "approximate" and 0.6 < found["edited"]["similarity"] < 1
    assert places["gone"][1] is None
    assert places["moved"] == ("shop/files.py", 7, 7)
    assert found["moved"]["rel"] == 2 and found["moved"]["need"] == "n"
    assert places["import"] == ("shop/cart.py", 2, 2)
    assert found["pieces"]["lines"] == [[9, 9], [14, 14]]


def test_lines_of_a_deleted_function_are_found_where_new_code_has_them_once(carried):
    old, new = OLD["shop/letters.py"], NEW["shop/letters.py"]
    words = {"once": "owner = cart", "twice": "server.close()", "nowhere": "greeting = "}
    found = carried(
        [{"topic": topic, "doc": f"shop/letters.py:{line_of(old, line)}"} for topic, line in words.items()]
    )
    row, line = found["once"], line_of(new, words["once"])
    assert (row["doc"], row["start_line"], row["end_line"]) == ("shop/letters.py", line, line)
    assert row["level"] == "exact"
    for topic in ("twice", "nowhere"):
        assert found[topic]["level"] == "lost" and "start_line" not in found[topic]


def test_characters_stay_characters_and_decorators_stay_as_given(versions, carried):
    text = OLD["shop/cart.py"]
    with_decorator = text.index("@property")
    without = text.index("def size(self):")
    end = text.index("len(self.items)") + len("len(self.items)")
    found = carried(
        [
            {"topic": "with", "doc": "shop/cart.py", "start": with_decorator, "end": end},
            {"topic": "without", "doc": "shop/cart.py", "start": without, "end": end},
        ]
    )
    new = NEW["shop/cart.py"]
    for topic, start in (("with", new.index("@property")), ("without", new.index("def size(self):"))):
        row = found[topic]
        assert (row["start"], row["end"]) == (start, new.index("len(self.items)") + len("len(self.items)"))


def test_anchored_lines_score_without_documents_and_with_them(versions, tmp_path):
    gold = write(tmp_path / "gold.jsonl", [{"topic": "t", "doc": "shop/cart.py::load"} | {"rel": 1},
                                           {"topic": "u", "doc": "shop/cart.py:10-13"}])  # fmt: skip
    out = tmp_path / "new.jsonl"
    run("anchor", gold, "--from", versions[0], "--docs", versions[1], "-o", out)
    result = [{"topic": "u", "doc": "shop/cart.py", "rank": 1, "start_line": 11, "end_line": 12}]
    for documents in (None, versions[1]):
        scores = dx.evaluate(result, [row for row in lines(out) if row["topic"] == "u"], "iR", documents)
        assert scores.runs[0].values.ravel().tolist() == [0.5]


RESULTS = [{"topic": topic, "doc": "shop/cart.py", "start_line": 11, "end_line": 12} for topic in "tu"]


def test_the_gate_fails_when_gold_has_drifted(versions, tmp_path):
    old, new = versions
    gold = write(tmp_path / "gold.jsonl", [{"topic": topic, "doc": "shop/cart.py:10-13"} for topic in "tu"])
    marked, carried_over = tmp_path / "marked.jsonl", tmp_path / "carried.jsonl"
    run("anchor", gold, "--docs", old, "-o", marked)
    run("anchor", marked, "--from", old, "--docs", new, "-o", carried_over)
    results = write(tmp_path / "run.jsonl", RESULTS)
    gate = ("gate", results, "--baseline", results, "-m", "iR", "--max-drop", "0", "--strict-gold")
    run(*gate, "-q", marked, "--docs", old)
    found = run(*gate, "-q", marked, "--docs", new, status=1)
    assert "FAILED: gold" in found.stderr
    run(*gate, "-q", carried_over, "--docs", new)


@pytest.mark.parametrize("place", ["web/cart.js:1-3", "shop/cart.py::Cart.clear"])
def test_the_gate_fails_when_a_file_or_a_function_is_gone(place, versions, tmp_path):
    old, new = versions
    rows = [{"topic": topic, "doc": doc} for topic, doc in (("t", place), ("u", "src/Tax.java::Tax.of"))]
    gold, marked = write(tmp_path / "gold.jsonl", rows), tmp_path / "marked.jsonl"
    run("anchor", gold, "--docs", old, "-o", marked)
    results = write(tmp_path / "run.jsonl", RESULTS)
    gate = (
        "gate",
        results,
        "--baseline",
        results,
        "-m",
        "iR",
        "--max-drop",
        "0",
        "--strict-gold",
        "-q",
        marked,
    )
    run(*gate, "--docs", old)
    run(*gate, "--docs", new, status=1)
