"""Whether somebody who was made from words does what plain words ask for, by the geometric tests of
actions. What is not read is acted all the same; it is not judged."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from aesop.director.act_report import act_report
from aesop.director.asked_actions import AskedAction, asked_actions
from aesop.metrics.action_curves import action_curves
from aesop.metrics.action_tests import ACTION_TESTS, then
from aesop.scene.human import Clip
from aesop.studio.person_events import person_events

# Tests that real people contradict (docs/acts.md) judge nobody.
_UNSURE = frozenset({"sneak", "limp", "dance"})
_THEN = re.compile(r"\bthen\b|\bafter(?:wards)?\b|\band stops?\b")


@dataclass(frozen=True)
class ActionCheck:
    """Something that was asked for, and whether it is seen; None where no test is sure."""

    asked: str
    right: bool | None


def action_checks(words: str, clip: Clip) -> tuple[ActionCheck, ...]:
    """Each thing that the words ask for beside whether the person does it. Two that follow each
    other are looked for one after the other."""
    asked, curves = asked_actions(words), action_curves(clip.motion)

    def seen(one: AskedAction) -> bool:
        return any(ACTION_TESTS[test](curves) for test in one.tests)

    def follow(first: AskedAction, second: AskedAction) -> bool:
        return any(
            then(ACTION_TESTS[a], ACTION_TESTS[b])(curves)
            for a in first.tests
            for b in second.tests
        )

    sure = [not _UNSURE & set(one.tests) for one in asked]
    if len(asked) == 2 and all(sure) and _THEN.search(words.lower()):
        name = f"{asked[0].name}, then {asked[1].name}"
        return (ActionCheck(name, follow(*asked)),)
    # Of more than two in a row each would need its own time; none is judged.
    judges = len(asked) < 3
    return tuple(
        ActionCheck(one.name, seen(one) if judges and is_sure else None)
        for one, is_sure in zip(asked, sure, strict=True)
    )


def person_facts(words: str, clip: Clip) -> dict[str, Any]:
    """What the page shows of somebody who was made from words."""
    report, events = act_report(clip), person_events(clip.motion)
    return {
        "checks": [asdict(check) for check in action_checks(words, clip)],
        "does": ", ".join(dict.fromkeys(event.name for event in events)),
        "seed": None if report is None else report.seed,
        "told": None if report is None else report.text,
    }
