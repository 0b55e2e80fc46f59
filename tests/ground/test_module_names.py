"""Classes and functions named through their modules, in folders and in repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.io.documents.code import has_grammars

pytestmark = pytest.mark.skipif(not has_grammars(), reason="the extra code is not installed")

FILES = {
    "shop/__init__.py": "def opened():\n    return True\n",
    "shop/cart.py": "class Cart:\n    def add(self):\n        pass\n\n    def clear(self):\n        pass\n",
    "shop/Basket.java": "class Basket {\n  int size() { return 1; }\n}\n",
}
PLACES = {
    "shop.cart.Cart.add": ("shop/cart.py", 2, 3),
    "shop.cart:Cart.clear": ("shop/cart.py", 5, 6),
    "shop.opened": ("shop/__init__.py", 1, 2),
    "shop.Basket.size": ("shop/Basket.java", 2, 2),
}


def git(folder: Path, *arguments: str) -> str:
    person = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", "-C", folder, *person, *arguments], check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "clones" / "shop"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    return folder


@pytest.mark.parametrize("where", ["folder", "revision", "topic"])
@pytest.mark.parametrize("name", PLACES)
def test_a_dotted_name_means_the_same_lines_everywhere(shop: Path, name: str, where: str) -> None:
    file, first, last = PLACES[name]
    topic = {"topic": "1", "repo": "shop", "base_commit": git(shop, "rev-parse", "HEAD")}
    documents = {"folder": shop, "revision": f"git:{shop}@HEAD", "topic": f"git:{shop.parent}"}[where]
    lines = {**topic, "doc": file, "start_line": first, "end_line": last}
    dotted = {**topic, "doc": name}
    for gold, results in ((lines, dotted), (dotted, lines)):
        run = {key: results[key] for key in results if key not in ("repo", "base_commit")} | {"rank": 1}
        scores = dx.evaluate({"a": [run]}, [gold], "iP iR", documents, unit="lines")
        assert [scores.value("a", measure) for measure in ("iP", "iR")] == [1, 1]


def test_a_name_of_nothing_is_said_to_be_nowhere(shop: Path) -> None:
    gold = [{"topic": "1", "doc": "shop/cart.py", "start_line": 2, "end_line": 3}]
    run = [{"topic": "1", "doc": "shop.cart.Cart.remove", "rank": 1}]
    with pytest.warns(dx.DoxevalWarning) as warned:
        scores = dx.evaluate({"a": run}, gold, "iR", f"git:{shop}@HEAD")
    assert scores.value("a", "iR") == 0
    assert all("shop.cart.Cart.remove" in str(one.message) for one in warned)
