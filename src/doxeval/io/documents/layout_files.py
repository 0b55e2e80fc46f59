"""Layouts of files that have one."""

from __future__ import annotations

from pathlib import Path

from doxeval.core.errors import InputError
from doxeval.io.documents.docling import is_docling, layout_of_docling
from doxeval.io.documents.json_leaves import load_json
from doxeval.io.documents.layout import Layout
from doxeval.io.documents.parsers import format_of_content
from doxeval.io.documents.pdf import layout_of_pdf
from doxeval.io.documents.tree import Refused
from doxeval.io.gate import gate
from doxeval.io.source import Source


def layout_of_file(data: str | Path | bytes) -> Layout:
    """The layout of a PDF file or of a DoclingDocument as JSON."""
    with Source(data) as source, gate(source.name):
        content = source.read()
        try:
            if format_of_content(content) == "pdf":
                return layout_of_pdf(content)
            document = load_json(content)
            if is_docling(document):
                return layout_of_docling(document)
        except Refused as problem:
            raise InputError(f"{source.name}: no layout: {problem}") from None
        raise InputError(f"{source.name}: expected a PDF file or a DoclingDocument as JSON")
