"""The types that are promised are those that are there."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import holonom
from holonom import _holonom

STUB = Path(__file__).parents[1] / "python/holonom/_holonom.pyi"


def documented(text):
    """The tree of the stub with the words of the compiled module; how they are wrapped does not matter."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            put(node, getattr(_holonom, node.name).__doc__)
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("__"):
                    if any(isinstance(d, ast.Attribute) for d in part.decorator_list):
                        continue  # a setter
                    put(part, getattr(getattr(_holonom, node.name), part.name).__doc__)
    return tree


def put(node, words):
    if words and (ast.get_docstring(node) or "").split() == words.split():
        return
    body = [x for x in node.body if not (isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant))]
    node.body = ([ast.Expr(ast.Constant(words))] if words else []) + (body or [])
    if not node.body:
        node.body = [ast.Expr(ast.Constant(...))]


def test_the_words_of_the_stub_are_those_of_the_module():
    wanted = documented(STUB.read_text())
    if os.environ.get("HOLONOM_WRITE"):
        STUB.write_text(ast.unparse(wanted) + "\n")
    assert ast.dump(ast.parse(STUB.read_text())) == ast.dump(wanted), "HOLONOM_WRITE=1 writes it anew"


def test_stubtest(tmp_path):
    allowed = STUB.parents[2] / "tests/stubtest.txt"
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "holonom", "--allowlist", allowed, "--ignore-unused-allowlist"],
        capture_output=True,
        text=True,
        cwd=tmp_path,  # what lies in the folder counts before what is installed
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "-p", "holonom"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
