"""The report as one HTML file; see :mod:`doxeval.show.page` for what keeps it safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doxeval.show.page import html_page

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    "dom state runs charts board curves topics measures text document question reading reader unpack main"
)


def page(title: str, data: Any) -> str:
    """The whole report."""
    return html_page(title, data, ASSETS, "report", SCRIPTS)
