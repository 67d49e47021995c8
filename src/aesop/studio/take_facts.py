"""What the page shows of a shot, and what it tells of words before anything is filmed."""

import json
from typing import Any

from aesop.camera_words.attributes import attribute_value
from aesop.camera_words.fact_check import done_names, measure_facts
from aesop.director.facts_filming import checks_of, read_request
from aesop.director.film_report import film_report
from aesop.director.intensity_words import pace_of
from aesop.director.requests import RequestError
from aesop.scene.shot import Shot
from aesop.server.server_folder import error_json


def shot_facts(shot: Shot) -> dict[str, Any]:
    """What the page shows of a shot: the report of `--json`, chips, and a timeline."""
    return {
        **json.loads(film_report(shot).as_json()),
        "checks": _checks(shot),
        "movements": _movements(shot),
        "lens_mm": shot.sensor_width_mm / 2 / float(shot.camera.tan_half_fov[0, 0]),
        "aspect": shot.camera.aspect,
    }


def _movements(shot: Shot) -> list[dict[str, Any]]:
    """What the camera does, one thing after another, as taggers measure it: with and around the
    person too, in the words in which it can be asked for."""
    if shot.frames < 2:
        return []
    steps = measure_facts(shot.camera, shot.clip.motion, shot.fps).steps
    return [
        {"name": "+".join(done_names(one.step)), "start": one.first, "stop": one.stop}
        for one in steps
    ]


def _checks(shot: Shot) -> list[dict[str, Any]]:
    """Every value that the words ask for beside what was made; none where nobody can read them, or
    where the report judges them as a movement."""
    try:
        asked = read_request(shot.camera_words)
    except RequestError:
        return []
    if asked.movement is not None:
        return []
    checks = checks_of(asked.facts, shot.camera, shot.clip, asked.spans(shot.clip))
    return [{"asked": one.asked, "got": one.got, "right": one.right} for one in checks]


def understood(words: str) -> dict[str, Any]:
    """What camera words ask for, value by value, before anything is filmed."""
    pace = pace_of(words)
    told: dict[str, Any] = {
        "words": words, "text": None, "values": [], "confidence": None, "problem": None,
        "pace": None if pace is None else {"text": pace.text, "intensity": pace.intensity},
    }  # fmt: skip
    try:
        asked = read_request(words)
    except RequestError as problem:
        return {**told, "problem": error_json(problem)}
    values = [
        {"name": name, "definition": attribute_value(name).definition} for name in asked.facts.names
    ]
    return {**told, "text": asked.text, "values": values, "confidence": asked.confidence}
