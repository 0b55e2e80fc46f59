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

SHARED = Path(__file__).parent / "assets"
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def data_block(data: Any) -> str:
    """JSON that may stand inside a script element, whatever its strings hold.

    >>> data_block({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter, replacement in ESCAPED.items():
        text = text.replace(letter, replacement)
    return text


def html_page(title: str, data: Any, assets: Path, style: str, scripts: str, connect: str = "") -> str:
    """A page of the scripts and the style in a folder, behind those that all pages share.

    `connect` is where it may send requests, in the words of the policy.
    """
    style = _text(SHARED / "theme.css") + _text(assets / f"{style}.css")
    parts = [_text(SHARED / "elements.js"), *(_text(assets / f"{name}.js") for name in scripts.split())]
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
        f"<noscript>This page needs JavaScript; it loads nothing from other places.</noscript>\n"
        f'<script type="application/json" id="data">{data_block(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
