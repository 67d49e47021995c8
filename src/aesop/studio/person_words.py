"""What words about a person ask for, as far as plain words say it, and whether somebody who was
made from them does it, by the geometric tests of actions. What is not read here is acted all the
same; it is not judged."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from aesop.director.act_report import act_report
from aesop.metrics.action_curves import action_curves
from aesop.metrics.action_tests import ACTION_TESTS, then
from aesop.scene.human import Clip
from aesop.studio.person_events import person_events

# Tests that real people contradict (docs/acts.md) judge nobody.
_UNSURE = frozenset({"sneak", "limp", "dance"})
_SIDES = ("left", "right")
_HAND, _LEG = r"(?:hand|arm|fist)", r"(?:leg|foot)"
# Words in the order in which they are looked for: what is found is not looked at again. Behind a
# name come the actions of which one has to be seen; "*" is a side, that the words may name.
_PLAIN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"jumping jacks?|star jumps?", "jumping jacks", ("jumping jacks",)),
    (r"walk\w* (?:in )?(?:a |round |around )*(?:circles?|ring)|walk\w* in circles",
     "walk in a circle", ("walk in a circle",)),
    (r"(?:walk|step|go)\w* (?:back(?:ward)?s?\b|in reverse)|back(?:s|ing) (?:off|away)",
     "walk backward", ("walk backward",)),
    (r"side[- ]?step\w*|walk\w* sideways", "sidestep *", ("sidestep *",)),
    (r"turn\w* (?:\w+ )?(?:around|about)|about[- ]turn", "turn around", ("turn around",)),
    (r"turn\w*|swivel\w*", "turn *", ("turn *", "turn around")),
    (r"spin\w*|twirl\w*|pirouette\w*", "spin", ("spin",)),
    (r"sits? down|sitting down|takes? a seat", "sit down", ("sit down",)),
    (r"(?:stand|get|rise)s? up (?:from|out of) (?:a|the|his|her|their) (?:chair|seat|armchair|sofa)"
     r"|stands? up|standing up", "stand up", ("stand up", "get up")),
    (r"gets? up|getting up", "get up", ("stand up", "get up")),
    (r"lies? down|lying down", "lie down", ("lie down", "lie")),
    (r"(?:is |keeps? )?(?:seated|sitting)\b|sits\b", "sit", ("sit", "sit down")),
    (r"squats? (?:several|many|a few)|(?:deep|several) squats", "squat several times",
     ("squat several times",)),
    (r"crouch\w*|squat\w*|ducks?\b", "crouch", ("crouch",)),
    (r"kneel\w*", "kneel", ("kneel",)),
    (r"crawl\w*", "crawl", ("crawl",)),
    (r"hop\w*(?: \w+){0,3} (?:left|right) (?:leg|foot)", "hop on the * leg",
     ("hop on the * leg",)),
    (r"jump\w* (?:up and down|several times|again and again)|jump\w* rope", "jump several times",
     ("jump several times",)),
    (r"(?:jump|leap)\w* (?:forward|ahead|over|across)", "jump forward", ("jump forward",)),
    (r"(?:jump|leap)\w*", "jump", ("jump up", "jump forward", "jump several times")),
    (r"runs?\b|running|jog\w*|sprint\w*", "run", ("run",)),
    (r"march\w*", "march", ("march",)),
    (r"(?:raise|lift|hold|throw|put)s?(?: \w+)? (?:both|his|her|the|their|two) (?:arms|hands)"
     r"|arms? (?:go |goes )?up", "raise both arms", ("raise both arms",)),
    (rf"(?:raise|lift|put)s? (?:a|the|his|her|their|one) (?:(?:left|right) )?{_HAND}",
     "raise the * arm", ("raise the * arm",)),
    (rf"wav(?:e|es|ing)\b(?!\w* with both)(?:(?: \w+){{0,4}} (?:left|right) {_HAND})?",
     "wave with the * hand", ("wave with the * hand",)),
    (r"clap\w*|applaud\w*", "clap", ("clap",)),
    (r"box(?:es|ing)\b|punches (?:many|several) times", "box", ("box",)),
    (rf"punch\w*(?:(?: \w+){{0,4}} (?:left|right) {_HAND})?", "punch with the * hand",
     ("punch with the * hand", "box")),
    (rf"kick\w*(?:,? (?:\w+ ){{0,5}}(?:left|right) {_LEG})?", "kick with the * leg",
     ("kick with the * leg",)),
    (r"throw\w*|pitch\w*|fling\w*", "throw", ("throw",)),
    (r"pick\w*(?: \w+){0,4} up|picks? up|picking up", "pick up", ("pick up",)),
    (r"points? (?:at|to|toward)\w*", "point", ("point",)),
    (r"drink\w*", "drink", ("drink",)),
    (r"bow(?:s|ing)?\b", "bow", ("bow", "bend forward")),
    (r"bend\w*(?: \w+)? (?:forward|over|down)", "bend forward", ("bend forward", "bow", "pick up")),
    (r"look\w* around|looks? (?:left and right|to both sides)", "look around", ("look around",)),
    (r"balanc\w*|stand\w* on one (?:leg|foot)", "balance on one leg", ("balance on one leg",)),
    (r"stretch\w*", "stretch", ("stretch", "raise both arms")),
    (r"sneak\w*", "sneak", ("sneak",)),
    (r"limp\w*", "limp", ("limp",)),
    (r"danc\w*", "dance", ("dance",)),
    (r"walk\w*|stroll\w*", "walk", ("walk forward", "walk in a circle")),
    (r"stand\w* still|does not move|doesn't move", "stand still", ("stand still",)),
)  # fmt: skip
_READERS = tuple((re.compile(rf"\b(?:{pattern})"), name, acts) for pattern, name, acts in _PLAIN)
_THEN = re.compile(r"\bthen\b|\bafter(?:wards)?\b|\band stops?\b")


@dataclass(frozen=True)
class AskedAction:
    """Something that words ask for, and the tests of which one must hold."""

    name: str
    tests: tuple[str, ...]
    at: int  # where in the words


@dataclass(frozen=True)
class ActionCheck:
    """Something that was asked for, and whether it is seen; None where no test is sure."""

    asked: str
    right: bool | None


def asked_actions(words: str) -> tuple[AskedAction, ...]:
    """What plain words ask for, in their order."""
    left, found = words.lower(), list[AskedAction]()
    for pattern, name, acts in _READERS:
        for match in pattern.finditer(left):
            side = next((side for side in _SIDES if side in _around(left, match)), None)
            found.append(AskedAction(_named(name, side), _sided(acts, side), match.start()))
        left = pattern.sub(lambda match: " " * len(match[0]), left)
    unique = {one.name: one for one in sorted(found, key=lambda one: -one.at)}
    return tuple(sorted(unique.values(), key=lambda one: one.at))


def _around(words: str, match: re.Match[str]) -> str:
    """What was found and the few words behind it, where a side is named."""
    return " ".join(words[match.start() :].split()[: len(match[0].split()) + 4])


def _named(name: str, side: str | None) -> str:
    if "*" not in name:
        return name
    if side is not None:
        return name.replace("*", side)
    return name.split(" with ")[0].split(" on ")[0].replace(" *", "").replace("the arm", "an arm")


def _sided(acts: tuple[str, ...], side: str | None) -> tuple[str, ...]:
    """The actions, of either side where none is named."""
    sides = _SIDES if side is None else (side,)
    return tuple(dict.fromkeys(act.replace("*", one) for act in acts for one in sides))


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
