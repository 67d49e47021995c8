"""Finds tolerances in tests that say nothing about where they come from."""

import ast
import io
import tokenize
from collections.abc import Iterator

COMPARING = {"approx", "allclose", "isclose", "assert_close", "assert_allclose"}
TOLERANCES = {"atol", "rtol", "abs", "rel"}
# Smaller bounds in plain comparisons are about rounding; larger ones are laws of their own.
ROUNDING_SIZED = 1e-3


def bare_tolerances(code: str) -> list[int]:
    """Lines on which a number stands as tolerance without a name for it or a comment beside it."""
    tree = ast.parse(code)
    comments = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    found: list[int] = []
    explained = -1  # the last line of a statement whose tolerance a comment explains
    for statement in sorted(_statements(tree), key=lambda it: it.lineno):
        bare = [number.lineno for number in _tolerances(statement) if _is_bare(number)]
        end = statement.end_lineno or statement.lineno
        # A comment may stand on any line of the statement, directly above it, or above tolerances
        # that follow each other line by line.
        has_comment = not comments.isdisjoint(range(statement.lineno - 1, end + 1))
        if bare and (has_comment or statement.lineno == explained + 1):
            explained = end
        else:
            found += bare
    return sorted(set(found))


def _statements(tree: ast.Module) -> Iterator[ast.stmt | ast.expr]:
    """Statements without what is inside of them; of blocks, their heads."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
            heads = [getattr(node, name, None) for name in ("test", "iter")]
            yield from (head for head in heads if head is not None)
        else:
            yield node


def _tolerances(statement: ast.stmt | ast.expr) -> Iterator[ast.expr]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name in COMPARING:
                yield from (it.value for it in node.keywords if it.arg in TOLERANCES)
                yield from node.args[1:] if name == "approx" else node.args[2:]
        elif isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            for bound in node.comparators:
                sizes = [abs(it) for it in _numbers(bound)]
                if sizes and min(sizes) < ROUNDING_SIZED:
                    yield bound


def _numbers(expression: ast.expr) -> list[float]:
    """Numbers with a point in them that are not zero; counts and exponents are no tolerances."""
    constants = [it.value for it in ast.walk(expression) if isinstance(it, ast.Constant)]
    return [it for it in constants if isinstance(it, float) and it != 0.0]


def _is_bare(expression: ast.expr) -> bool:
    """A number alone, or numbers with numbers; a name beside it says what it is a part of."""
    is_named = any(isinstance(it, ast.Name | ast.Attribute) for it in ast.walk(expression))
    return not is_named and bool(_numbers(expression) or _counts(expression))


def _counts(expression: ast.expr) -> list[int]:
    return [
        it.value
        for it in ast.walk(expression)
        if isinstance(it, ast.Constant) and type(it.value) is int and it.value != 0
    ]
