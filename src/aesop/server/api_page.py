"""What the server says about itself: camera words, limits, the OpenAPI document, and a page of it
that needs no network and no script."""

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, get_args

from aesop.camera_words.vocabulary import (
    ALONGSIDE_VERBS,
    ARC_VERBS,
    FOLLOW_VERBS,
    STATIC_VERBS,
    VERBS,
)
from aesop.director.requests import LIMIT_INTENSITIES, LONGEST_SECONDS, USUAL_INTENSITIES
from aesop.director.rule_based import Method
from aesop.export.export_files import CLIP_WRITERS, SHOT_WRITERS
from aesop.files.motion_files import READERS
from aesop.flow.solvers import PresetName
from aesop.scene.shot import SHORTEST_SECONDS
from aesop.server.job_requests import JOBS, job_schema

if TYPE_CHECKING:
    from aesop.server.routes import Endpoint

_KINDS = ("sideways", "vertical", "depth")

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-weight: 600; } h2 { margin-top: 2.5rem; font-size: 1.1rem; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { padding: .8rem 1rem; border: 1px solid #8886; border-radius: 6px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid #8884; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; color: #b4541a; }
""".strip()


@cache
def vocabulary_json() -> dict[str, Any]:
    """Words that the model and the operator know, and the limits of requests."""
    verbs = {kind: _once(pairs) for kind, pairs in zip(_KINDS, VERBS, strict=True)}
    return {
        "camera": {
            **verbs,
            "arc": _once(ARC_VERBS),
            "follow_or_lead": _once(FOLLOW_VERBS),
            "alongside": list(dict.fromkeys(ALONGSIDE_VERBS)),
            "static": list(dict.fromkeys(STATIC_VERBS)),
        },
        "intensity": {"limits": LIMIT_INTENSITIES, "usual": USUAL_INTENSITIES},
        "seconds": [SHORTEST_SECONDS, LONGEST_SECONDS],
        "presets": get_args(PresetName),
        "methods": get_args(Method),
        "reads": [{"suffix": one.suffix, "holds": one.holds} for one in READERS],
        "writes_shots": [{"suffix": one.suffix, "holds": one.holds} for one in SHOT_WRITERS],
        "writes_motions": [{"suffix": one.suffix, "holds": one.holds} for one in CLIP_WRITERS],
    }


def _once(pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    return [list(pair) for pair in dict.fromkeys(pairs)]


def openapi_json(
    endpoints: Sequence["Endpoint"], version: str, needs_token: bool
) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these endpoints."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    schemas: dict[str, Any] = {verb.capitalize(): job_schema(verb) for verb in JOBS}
    texts = {name: {"type": "string"} for name in ("fact", "remedy", "text")}
    error = {"type": "object", "properties": texts, "required": list(texts)}
    schemas["Mistake"] = {"type": "object", "properties": {"error": error}, "required": ["error"]}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "AESOP",
            "version": version,
            "description": "Camera paths for human motion. Errors carry one fact and one remedy.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if needs_token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _operation(endpoint: "Endpoint") -> dict[str, Any]:
    in_path = [part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in in_path
    ]
    parameters += [
        {"name": name, "in": "query", "required": name in ("name", "words"),
         "schema": {"type": "string"}}
        for name in endpoint.query
    ]  # fmt: skip
    mistake = {"application/json": {"schema": {"$ref": "#/components/schemas/Mistake"}}}
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": {
            "2XX": {"description": "What was asked for."},
            "4XX": {"description": "A mistake that you can mend.", "content": mistake},
        },
    }
    if endpoint.body == "bytes":
        raw = {"schema": {"type": "string", "format": "binary"}}
        body = {"application/octet-stream": raw}
        operation["requestBody"] = {"required": True, "content": body}
    elif endpoint.body is not None:
        record = {"$ref": f"#/components/schemas/{endpoint.body.capitalize()}"}
        body = {"application/json": {"schema": record}}
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def api_page(endpoints: Sequence["Endpoint"], url: str, version: str) -> str:
    """The same for people: one page, drawn here, without scripts or anything from elsewhere."""
    sections = "\n".join(_section(endpoint) for endpoint in endpoints)
    example = escape(
        f"curl --data-binary @walk.bvh -H 'content-type: application/octet-stream' "
        f"'{url}/motions?name=walk.bvh'\n"
        f"curl -H 'content-type: application/json' "
        f'-d \'{{"motion": "ID", "words": "the camera pushes in"}}\' {url}/film\n'
        f"curl {url}/jobs/ID\n"
        f"curl -o walk.glb {url}/jobs/ID/1.glb"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>AESOP</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="/style.css"></head><body>'
        f"<h1>AESOP {escape(version)}</h1><p>Films over HTTP. The machine-readable document is "
        f'<a href="/openapi.json">openapi.json</a>.</p><pre>{example}</pre>{sections}</body></html>'
    )


def _section(endpoint: "Endpoint") -> str:
    head = (
        f'<h2><span class="method">{endpoint.method}</span> '
        f"<code>{escape(endpoint.path)}</code></h2><p>{escape(endpoint.summary)}</p>"
    )
    if endpoint.query:
        head += f"<p>Query: <code>{escape(', '.join(endpoint.query))}</code></p>"
    if endpoint.body in JOBS:
        head += _fields(job_schema(endpoint.body))
    return head


def _fields(schema: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(one['description'])}</td>"
        f"<td>{escape(repr(one['default'])) if 'default' in one else 'needed'}</td></tr>"
        for name, one in schema["properties"].items()
    )
    return f"<table><tr><th>field</th><th></th><th>default</th></tr>{rows}</table>"
