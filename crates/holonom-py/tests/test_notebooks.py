"""The notebooks of examples/python: each is an example, cell by cell, with what it prints. HOLONOM_WRITE=1 writes them anew."""

import ast
import contextlib
import io
import json
import os

import pytest
from conftest import ROOT

FOLDER = ROOT / "examples/python"
NAMES = ["stability_of_the_bicycle", "masses_and_friction_from_a_recording"]


def cells(text):
    """The words at the top, and the code: blocks with an empty line between them."""
    tree = ast.parse(text)
    lines, blocks, last = text.splitlines(), [], None
    for node in tree.body[1:]:
        if last is not None and node.lineno - last <= 1:
            blocks[-1][1] = node.end_lineno
        else:
            start = node.lineno
            while last is not None and start - 2 >= last and lines[start - 2].startswith("#"):
                start -= 1
            blocks.append([start, node.end_lineno])
        last = node.end_lineno
    return ast.get_docstring(tree), ["\n".join(lines[a - 1 : b]) for a, b in blocks]


def notebook(text):
    words, blocks = cells(text)
    out = [{"cell_type": "markdown", "id": "words", "metadata": {}, "source": words.splitlines(keepends=True)}]
    namespace = {}
    for number, block in enumerate(blocks, 1):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(block, f"cell {number}", "exec"), namespace)
        printed = said.getvalue().splitlines(keepends=True)
        outputs = [{"name": "stdout", "output_type": "stream", "text": printed}] if printed else []
        source = block.splitlines(keepends=True)
        cell = {"cell_type": "code", "execution_count": number, "id": f"cell-{number}", "metadata": {}, "outputs": outputs, "source": source}
        out.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": out, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_prints_what_is_in_it(name):
    made = notebook((FOLDER / f"{name}.py").read_text())
    path = FOLDER / f"{name}.ipynb"
    if os.environ.get("HOLONOM_WRITE"):
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    kept = json.loads(path.read_text())
    assert any(c.get("outputs") for c in kept["cells"])
    assert kept == made, "HOLONOM_WRITE=1 writes it anew"
