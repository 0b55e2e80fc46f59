"""One HTML file: styles, scripts and data inline, nothing from outside.

Documents, topics and names are hostile text. They reach the page as JSON in a block that no browser
executes, in which `<` and the line separators are escaped, and the scripts put them on the screen as text
nodes only (``assets/elements.js``). A content security policy lets exactly our scripts and styles run, by
their hashes, and forbids everything else, the network included.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

SHARED_ASSETS = Path(__file__).parent / "assets"
SHARED_SCRIPTS = ("elements", "code", "rendered")
MOST_FRAMED = 8_000_000
"""The largest page, in bytes, that may become part of a notebook."""
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def data_block(data: Any) -> str:
    """JSON that is safe inside a script element, whatever its strings contain.

    >>> data_block({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter, replacement in ESCAPED.items():
        text = text.replace(letter, replacement)
    return text


def html_page(title: str, data: Any, assets: Path, style: str, scripts: str, connect: str = "") -> str:
    """A page with the scripts and the style in a folder, after those that all pages share.

    `connect` is where it may send requests, in the syntax of the policy.
    """
    style = _text(SHARED_ASSETS / "theme.css") + _text(assets / f"{style}.css")
    parts = [
        *(_text(SHARED_ASSETS / f"{name}.js") for name in SHARED_SCRIPTS),
        *(_text(assets / f"{name}.js") for name in scripts.split()),
    ]
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "\n})();\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        f"{connect and f'connect-src {connect}; '}base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<noscript>This page needs JavaScript; it loads nothing from elsewhere.</noscript>\n"
        f'<script type="application/json" id="data">{data_block(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def framed(path: str | Path, told: str) -> str:
    """A page as a notebook shows it: in a frame of its own with a line below or, if it is too large, a link.

    The page is the address of the frame, so its own links work; its scripts cannot reach the notebook.
    """
    file = Path(path)
    link = f'<p><a href="{escape(quote(str(path)))}" target="_blank">{escape(told)}</a></p>'
    if not file.is_file() or file.stat().st_size > MOST_FRAMED:
        return link
    address = f"data:text/html;base64,{base64.b64encode(file.read_bytes()).decode()}"
    return (
        f'<iframe title="doxeval report" sandbox="allow-scripts" src="{address}" '
        f'style="width: 100%; height: 44rem; border: 1px solid #8888;"></iframe>{link}'
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
