"""What words about a person ask for, said as captions of training say it: "a quarterback throws the
football" is "a person throws".

Plain words say less: of whoever does it, where and with what nothing is left. So they are told to
some of the takes alone, and only where nothing is lost that changes what a body does. What is asked
for is found by its words (`asked_actions`) and by its meaning (`act_reader`), which have to agree
where both can tell.
"""

import re

from aesop.director.act_reader import NOTHING, ActReading
from aesop.director.asked_actions import AskedAction, asked_actions
from aesop.director.asked_turn import asked_turn

# Names of asked actions as training says them; what is not here is told as it was typed. Where one
# wording is obeyed seldom, others were tried, by themselves: hence the odd ones (docs/acts.md).
PLAIN_CLAUSES = {
    "jumping jacks": "does jumping jacks",
    "walk in a circle": "walks in a circle",
    "walk backward": "walks backward",
    "sidestep": "sidesteps",
    "sidestep left": "sidesteps to the left",
    "sidestep right": "sidesteps to the right",
    "turn around": "turns around",
    "turn left": "turns to the left",
    "turn right": "turns to the right",
    "sit down": "sits down",
    "stand up": "stands up",
    "get up": "gets up from the ground and stands",
    "lie down": "sits down on the floor, then lies down",
    "squat several times": "squats several times",
    "crouch": "squats down",
    "kneel": "kneels",
    "crawl": "crawls",
    "hop on the left leg": "hops on the left foot",
    "hop on the right leg": "hops on the right foot",
    "jump several times": "jumps up and down several times",
    "jump forward": "jumps forward",
    "jump": "jumps",
    "run": "runs",
    "march": "marches",
    "raise both arms": "lifts both arms up above the head",
    "raise an arm": "raises one arm",
    "raise the left arm": "raises the left arm",
    "raise the right arm": "raises the right arm",
    "wave": "waves",
    "wave with the left hand": "waves with the left hand",
    "wave with the right hand": "waves with the right hand",
    "swing the arms": "swings the arms",
    "clap": "claps",
    "box": "throws punches with both fists",
    "punch": "punches",
    "punch with the left hand": "punches with the left hand",
    "punch with the right hand": "punches with the right hand",
    "kick": "kicks",
    "kick with the left leg": "kicks with the left foot",
    "kick with the right leg": "kicks with the right foot",
    "throw": "throws",
    "pick up": "picks something up",
    "point": "holds the right arm stretched out ahead and points",
    "drink": "drinks with the right hand",
    "bow": "bows",
    "bend forward": "bends forward",
    "look around": "turns the head to the left and then to the right",
    "balance on one leg": "stands on one leg",
    "stretch": "stretches",
    "sneak": "sneaks",
    "limp": "limps",
    "walk": "walks forward",
    "stand still": "stands still",
    "step up": "climbs up a step",
    "step down": "steps down",
    "step over": "steps over something",
    "reach up": "reaches up",
    "reach forward": "reaches forward",
    "touch the head": "scratches the head",
    "lunge": "lunges",
    "twist": "twists the trunk left and right",
    "stumble": "stumbles",
    "lean to the left": "leans to the left",
    "lean to the right": "leans to the right",
    "skip": "skips",
    "cartwheel": "does a cartwheel",
}
# Acts as the reader knows them: the action without a side, and with one.
_WITH_SIDES = {
    "sidestep": ("sidestep", "sidestep *"),
    "hop": ("hop", "hop on the * leg"),
    "raise the arm": ("raise an arm", "raise the * arm"),
    "wave": ("wave", "wave with the * hand"),
    "punch": ("punch", "punch with the * hand"),
    "kick": ("kick", "kick with the * leg"),
    "lean": ("lean", "lean to the *"),
}
_SIDES = re.compile(r"\b(left|right)(?:wards?|[- ]handed)?\b")
_OF_A_SIDE = re.compile(
    r" (?:with|on|to) the (?:left|right)(?: \w+)?$| (?:left|right)$|(?<=the )(?:left|right) "
)
# An act is read where it is as likely as this: of another writer's sentences 96 % of what is read
# then is right, and 69 % of the acts are read (results/reader/act_reader.json). What words name is
# believed where its meaning leaves it a chance.
SURELY_READ, MAY_BE = 0.5, 0.1
# Of these, how they are done is most of what is asked for.
_EXPRESSIVE = frozenset({"walk", "dance"})
_MOST = 3
# Directions, numbers and manners that plain words either say as well or do not replace.
_WAYS = re.compile(r"\b(left|right|backwards?|sideways)\b")
_NUMBERS = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|once|twice|thrice|half|quarter)\b"
    r"(?! of\b)"
)
_DENIED = re.compile(
    r"\b(?:not|never|without|no longer|instead|almost|nearly|tries|refuses)\b|n't\b"
)
_LIKE = re.compile(r"\b(?:like an?|like the|as if|as though|as an?|style|while)\b")
_WHERE = re.compile(
    r"\b(?:in place|on the spot|in (?:a )?(?:big |wide |small )?circles?|zig-?zag\w*)\b"
)
_AFTERWARDS = re.compile(r"\b(?<!soon )(?<!long )after\b")
_MANNER = re.compile(
    r"\b(?:very )?(?:slowly|quickly|calmly|steadily|carefully|briskly|smoothly|heavily|stiffly"
    r"|gracefully|angrily|lightly|powerfully|sharply|casually|gently|quietly|wildly|fast)\b"
)
_THEN = re.compile(r"\bthen\b|\bbefore\b|\bafterwards?\b")
# Where one clause ends, and a clause that begins with a verb of its own.
_JOINTS = re.compile(r"\band then\b|\bthen\b|\bbefore\b|\buntil\b|\band\b|,|;|\.")
_NO_VERBS = (
    "his|this|its|always|perhaps|arms|hands|legs|knees|feet|elbows|fists|eyes|shoulders|hips"
)
_VERB = re.compile(rf"\s*(?:slowly |quickly )?(?!(?:{_NO_VERBS})\b)[a-z]{{3,}}(?:s|ing)\b")
_ANY, _FINITE = re.compile(r"\s*[a-z]"), re.compile(r"\w+(?:s|ing|ed)\b")


def plain_words(words: str, reading: ActReading | None = None) -> str | None:
    """The same in plain words; None where they would lose a side, a number, a manner or a part,
    or where nothing is read."""
    said = words.lower()
    if asked_turn(words) is not None:
        return None
    asked = asked_actions(said)
    named = _told(said, asked)
    if reading is None or (named is not None and len(asked) > 1):
        return named
    act, chance = reading.likeliest
    if named is not None and any(reading.chance(family_of(it.name)) >= MAY_BE for it in asked):
        return named
    if chance < SURELY_READ or act == NOTHING:
        return None
    meant = _sided(act, said)
    if meant not in PLAIN_CLAUSES:  # it has no plain words: what is named stands
        return named
    # Where in the words it is asked for nobody knows, so any later clause may be another act.
    return _told(said, (AskedAction(meant, (), 0),))


def _told(said: str, asked: tuple[AskedAction, ...]) -> str | None:
    """What is asked for in plain words, if they lose nothing."""
    if not 0 < len(asked) <= _MOST or _loses(said, asked):
        return None
    clauses = [PLAIN_CLAUSES.get(one.name) for one in asked]
    known = [clause for clause in clauses if clause is not None]
    if len(known) < len(clauses):
        return None
    joint = ", then " if _THEN.search(said) else " and "
    manner = _MANNER.search(said) if len(known) == 1 else None
    told = f"a person {joint.join(known)}{f' {manner[0]}' if manner else ''}"
    ways = [{way.rstrip("s") for way in _WAYS.findall(it)} for it in (said, told)]
    return told if ways[0] - {"sideway"} <= ways[1] else None


def family_of(name: str) -> str:
    """The act of a named action, whatever its side."""
    return _OF_A_SIDE.sub("", name).replace("raise an arm", "raise the arm")


def _sided(act: str, said: str) -> str:
    """The action of the side that words name; of none, or of both, that without a side."""
    sides = set(_SIDES.findall(said))
    if act not in _WITH_SIDES:
        return act
    without, with_side = _WITH_SIDES[act]
    return with_side.replace("*", sides.pop()) if len(sides) == 1 else without


def _loses(said: str, asked: tuple[AskedAction, ...]) -> bool:
    """Whether something would be lost that no plain clause says."""
    if all(one.name in _EXPRESSIVE for one in asked):
        return True
    if _NUMBERS.search(said) or _AFTERWARDS.search(said):
        return True
    if _WHERE.search(said) and asked[0].name != "walk in a circle":
        return True
    if _DENIED.search(said) and asked[0].name != "stand still":
        return True
    if len(asked) <= len(_THEN.findall(said)):  # one thing after another, and not all is read
        return True
    return _says_how(said, asked) or _says_more(said, asked)


def _says_how(said: str, asked: tuple[AskedAction, ...]) -> bool:
    """A likeness, or one thing while another goes on; of who rests or steps aside it says nothing
    more."""
    calm = {"stand still", "sidestep left", "sidestep right"}
    return bool(_LIKE.search(said)) and not all(one.name in calm for one in asked)


def _says_more(said: str, asked: tuple[AskedAction, ...]) -> bool:
    """Whether some later clause has a verb that is not read; of commands ("kneel and tie a lace")
    any later clause may be one."""
    verb = _ANY if asked[0].at == 0 and not _FINITE.match(said) else _VERB
    starts = [0, *(match.end() for match in _JOINTS.finditer(said))]
    ends = [*starts[1:], len(said) + 1]
    return any(
        bool(verb.match(said, start)) and not any(start <= one.at < end for one in asked)
        for start, end in zip(starts[1:], ends[1:], strict=True)
    )
