"""The page about which measure predicted success has the numbers that its script makes, and its plan."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.reference.test_code_search import DATA, needs_data

sys.path.insert(0, str(Path(__file__).parents[2]))

from docs.agents_study import ARTICLES, PATIENCE, confirm_answers, confirm_trajectories
from docs.outcomes_study import PAGE, SECTIONS, TESTED, confirm_patches, with_section


@needs_data
def test_the_page_has_the_numbers_of_the_script() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, make in SECTIONS.items():
        assert with_section(page, name, make(DATA.parent)) == page, "run: python -m docs.outcomes_study"


@needs_data
def test_the_plan_can_be_run_and_decides_by_its_own_rules() -> None:
    """On data that were looked at before, which confirms nothing."""
    found = confirm_patches(DATA / "code").splitlines()
    assert found[0] == "471 cases, 185 topics, 3 runs, 25.1% resolved"
    decided = [line.partition("hypothesis ")[2] for line in found if "hypothesis" in line]
    assert [line[:1] for line in decided] == ["1", "2", "3", "4"]
    assert "not decided (difference +0.067" in decided[1] and "confirmed" in decided[2]


@needs_data
def test_the_plans_for_agents_can_be_run() -> None:
    """On data that were looked at before, which confirms nothing."""
    agents = DATA / "agents"
    read = confirm_trajectories(agents / "swe-agent").splitlines()
    assert read[0] == "120 cases, 120 topics, 1 run, 15.8% resolved"
    decided = [line.partition("hypothesis ")[2] for line in read if "hypothesis" in line]
    assert [line[:1] for line in decided] == ["5", "6", "7"]
    assert "not decided (difference +0.079" in decided[1]
    said = confirm_answers(agents / "hotpotqa-react").splitlines()
    assert said[0] == "61 cases, 28 topics, 5 runs, 29.5% correct"
    assert [line for line in said if "hypothesis 9: refuted" in line]


def test_what_is_tested_is_what_the_plan_says() -> None:
    plan = PAGE.read_text(encoding="utf-8").partition("## What will be tested")[2]
    assert f"**Measure**: `{TESTED}`" in plan
    assert f"**Measure**: `{PATIENCE}`" in plan
    assert f"**Compared with**: `{ARTICLES}`" in plan
    for word in ("refuted if", "10,000 resamples", "seed 0", "`iR` and `F` on lines, and `F` on files"):
        assert word in plan
