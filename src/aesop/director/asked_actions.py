"""Which actions words about a person ask for, as far as plain words say it."""

import re
from dataclasses import dataclass

_SIDES = ("left", "right")
_HAND, _LEG = r"(?:hand|arm|fist)", r"(?:leg|foot)"
_A = r"(?:an?|the|his|her|their|some)? ?"
_SEAT = r"(?:\w*chair|seat|sofa|couch|bench|stool|desk|table)"
_STAIRS = r"(?:stairs?|steps|staircase|ladder)"
# Words in the order in which they are looked for: what is found is not looked at again. Behind a
# name come the actions of which one has to be seen; "*" is a side, that the words may name.
_PLAIN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"jumping[- ]?jacks?|star[- ]?jumps?", "jumping jacks", ("jumping jacks",)),
    (r"walk\w* (?:in )?(?:a |round |around )*(?:circles?|ring)|walk\w* in circles",
     "walk in a circle", ("walk in a circle",)),
    (r"(?:walk|step|go)\w* (?:back(?:ward)?s?\b|in reverse)|back(?:s|ing) (?:off|away)",
     "walk backward", ("walk backward",)),
    (r"side[- ]?steps?\b|side[- ]?stepp\w*"
     r"|(?:walk|mov|go|shuffl|step|scuttl|slid)\w*(?:,? \w+){0,4},? sideways"
     r"|tak\w* (?:a )?(?:\w+ )?side[- ]?steps?", "sidestep *", ("sidestep *",)),
    (r"(?:turn|wheel|swing|pivot|swivel|rotat)\w* (?:\w+ )?(?:a?round|about|back)\b"
     r"|about[- ](?:turn|face)", "turn around", ("turn around",)),
    (r"turn\w*|swivel\w*|pivot\w*|rotat\w*", "turn *", ("turn *", "turn around")),
    (r"spin\w*|twirl\w*|pirouette\w*", "spin", ("spin",)),
    (r"(?:sits?|sitting)(?: back)? down|tak(?:es?|ing) (?:a|the|his|her|their) seat",
     "sit down", ("sit down",)),
    (r"(?:stand|gett?|ris)(?:s|e|es|ing)?(?: back)? (?:up )?(?:from|off) the (?:floor|ground)",
     "get up", ("stand up", "get up")),
    (rf"(?:stand|gett?|ris)(?:s|e|es|ing)?(?: back)? (?:up )?(?:from|out of|off) {_A}"
     rf"(?:\w+ )?{_SEAT}|(?:stands?|standing) up", "stand up", ("stand up", "get up")),
    (r"(?:gets?|getting)(?: back)? up|(?:gets?|getting|rises?|rising)(?: back)? (?:on|to|onto) "
     r"(?:the|his|her|their) feet", "get up", ("stand up", "get up")),
    (r"lies? down|lying down", "lie down", ("lie down", "lie")),
    (r"(?:is |keeps? )?(?:seated|sitting)\b|sits\b", "sit", ("sit", "sit down")),
    (r"squats? (?:several|many|a few)|(?:deep|several) squats", "squat several times",
     ("squat several times",)),
    (r"crouch\w*|squat\w*|ducks?\b|hunkers? down", "crouch", ("crouch",)),
    (r"kneel\w*", "kneel", ("kneel",)),
    (r"(?<!front )crawl\w*", "crawl", ("crawl",)),
    (r"hop(?:s|ping|ped)?\b(?:,? \w+){0,5} (?:left|right) (?:leg|foot)", "hop on the * leg",
     ("hop on the * leg",)),
    (r"jump\w* (?:up and down|several times|again and again|repeatedly)|keeps? (?:on )?jumping"
     r"|(?:jump|skip)\w* (?:\w+ ){0,3}rope", "jump several times", ("jump several times",)),
    (r"skips\b|skipping", "skip", ("skip",)),
    (r"(?:jump|leap)\w* (?:forward|ahead|over|across)", "jump forward", ("jump forward",)),
    (r"(?:jump|leap)\w*", "jump", ("jump up", "jump forward", "jump several times")),
    (r"runs?\b|running|jog\w*|sprint\w*", "run", ("run",)),
    (r"march\w*", "march", ("march",)),
    (rf"wav(?:e|es|ing)\b(?!\w* with both)(?:,?(?: \w+){{0,7}} (?:left|right) {_HAND})?",
     "wave with the * hand", ("wave with the * hand",)),
    (r"(?:swing|sway)s?(?:ing)? (?:both |the |his |her |their )?arms"
     r"|arms swing\w*", "swing the arms", ("swing the arms",)),
    (r"stretch(?:es|ing)?\b", "stretch", ("stretch", "raise both arms")),
    (r"(?:raise|lift|hold|throw|put)s?(?: \w+)? (?:both|his|her|the|their|two) (?:arms|hands)"
     r"|(?:arms?|both hands)(?: of (?:his|her|their) arms)? (?:go |goes )?up"
     r"|both (?:of (?:his|her|their) )?(?:arms|hands) (?:are )?(?:go )?(?:up|raised|high)"
     r"|hands up\b", "raise both arms", ("raise both arms",)),
    (rf"(?:raise|lift|put)s? (?:a|the|his|her|their|one) (?:(?:left|right) )?{_HAND}"
     rf"|(?:left|right) {_HAND}(?: is)? (?:raised|lifted|held up|(?:goes )?up)\b",
     "raise the * arm", ("raise the * arm",)),
    (r"clap\w*|applaud\w*|applause", "clap", ("clap",)),
    (r"box(?:es|ing)\b(?! of)|(?:punch\w*|throw\w* (?:\w+ )?punches) (?:many|several) times"
     r"|throw\w* (?:\w+ )?punches|shadow[- ]?box\w*", "box", ("box",)),
    (r"(?:punch\w*|jabs?\b|jabbing|uppercuts?|(?:left |right )?hooks? (?:\w+ )?(?=by|with))"
     rf"(?:,?(?: \w+){{0,4}} (?:left|right) {_HAND})?"
     rf"|(?:left|right) fist (?:shoots?|strikes?|hits?|punch\w*|flies)\b(?:.*\bpunch\w*)?",
     "punch with the * hand", ("punch with the * hand", "box")),
    (rf"kick\w*(?:,? (?:\w+,? ){{0,6}}(?:left|right) {_LEG})?", "kick with the * leg",
     ("kick with the * leg",)),
    (r"throw\w*|pitch(?:es|ing)\b|fling\w*|hurl\w*|toss(?:es|ing)?\b", "throw", ("throw",)),
    (r"pick\w*(?: \w+){0,4} up|picks? up|picking up", "pick up", ("pick up",)),
    (r"points?(?: \w+){0,2} (?:at|to|toward|ahead|forward)\w*|pointing\b", "point", ("point",)),
    (r"drink\w*", "drink", ("drink",)),
    (r"bow(?:s|ing)?\b", "bow", ("bow", "bend forward")),
    (r"bend\w*(?: \w+)? (?:forward|over|down)", "bend forward", ("bend forward", "bow", "pick up")),
    (r"look\w* around|looks? (?:left and right|to both sides)", "look around", ("look around",)),
    (r"balanc\w*|stand\w* on one (?:leg|foot)", "balance on one leg", ("balance on one leg",)),
    (r"sneak\w*|creeps?\b|creeping|tip-?toe(?:s|ing)\b|prowl\w*|skulk\w*", "sneak", ("sneak",)),
    (r"limp\w*|hobbl\w*", "limp", ("limp",)),
    (rf"(?:go|climb|walk|step|com)\w* (?:back )?up {_A}(?:\w+ ){{0,2}}{_STAIRS}|upstairs"
     r"|steps? up\b", "step up", ("step up",)),
    (rf"(?:go|climb|walk|step|com)\w* (?:back )?down {_A}(?:\w+ ){{0,2}}{_STAIRS}|downstairs"
     r"|steps? down\b", "step down", ("step down",)),
    (r"step(?:s|ping)? over", "step over", ("step over",)),
    (r"reach(?:es|ing)? (?:up|high|overhead)|reach\w*(?: \w+){0,5} (?:top|high|upper)\b",
     "reach up", ("reach up",)),
    (r"reach(?:es|ing)? (?:out|forward|ahead)", "reach forward", ("reach forward",)),
    (r"(?:scratch|touch|rub|pat)\w*(?: \w+){0,4} head", "touch the head", ("touch the head",)),
    (r"lung(?:es?|ing)\b", "lunge", ("lunge",)),
    (r"twist\w*", "twist", ("twist",)),
    (r"stumbl\w*|trips\b|tripping", "stumble", ("stumble",)),
    (r"(?:lean|tilt)(?:s|ing)?(?: over)? to (?:the|his|her|their) (?:left|right)", "lean to the *",
     ("lean to the *",)),
    (r"gestur\w*|gesticulat\w*", "gesture", ("gesture",)),
    (r"cartwheels?", "cartwheel", ("turn upside down",)),
    (r"danc\w*", "dance", ("dance",)),
    (r"walk\w*|stroll\w*", "walk", ("walk forward", "walk in a circle")),
    (r"stand\w* (?:still|motionless|frozen|like a statue)|(?:do|does)(?: not|n't) move",
     "stand still", ("stand still",)),
)  # fmt: skip
# Pages, heads and lamps are turned by somebody who does not turn.
_OBJECTS = re.compile(
    r"\b(?:turn|rotat|swivel)\w* (?:up|over|off|upside"
    r"|on (?!the spot|(?:the|his|her|their|its|one) (?:heels?|foot|toes?|axis))"
    r"|(?:the|a|an|his|her|their|its|some|both) "
    r"(?!(?:whole )?body|back\b|other (?:way|direction)|quarter|half|full|left\b|right\b))"
)
# Words of acts that are no acts: things, turns of speech, and what others do.
_IDIOMS = re.compile(
    r"\b(?:runs? (?:a|an|the|his|her|their) \w+|run(?:s|ning)? into|drink\w* in\b"
    r"|throw\w* (?:up\b|\w+sel(?:f|ves)\b|a (?:party|tantrum|fit|glance|look)|(?:his|her) head)"
    r"|claps? (?:him|her|them|a hand)\b"
    r"|(?:dodg|block|avoid|parr|evad)\w* (?:\w+ )?(?:punch|kick)\w*"
    r"|twist\w* (?:his|her|an|the) (?:ankle|wrist|knee)|the twist\b|kicks? back\b|points? out\b"
    r"|(?:draw|mov|hold|shoot)\w* (?:a|the|his|her) bow\b|bow and arrows?|bows? (?:his|her) head"
    r"|ducks? walk|(?:a|the) duck\b|^boxes\b(?= (?:are|of|full))"
    r"|(?:gets?|got|is|are|was|were|be|been|being) (?:punch|kick|push|pull|throw|lift)(?:ed|n))\b"
)
# Who somebody is says nothing of what they do.
_PEOPLE = re.compile(
    r"\b(?:box|climb|crawl|danc|drink|jogg|jump|kick|march|pitch|punch|runn|spinn|sprint|throw|walk)"
    r"ers?\b"
)
_READERS = tuple((re.compile(rf"\b(?:{pattern})"), name, acts) for pattern, name, acts in _PLAIN)


@dataclass(frozen=True)
class AskedAction:
    """Something that words ask for, and the tests of which one must hold."""

    name: str
    tests: tuple[str, ...]
    at: int  # where in the words


def asked_actions(words: str) -> tuple[AskedAction, ...]:
    """What plain words ask for, in their order."""
    left = words.lower()
    for nothing in (_OBJECTS, _IDIOMS, _PEOPLE):
        left = nothing.sub(_blank, left)
    found = list[AskedAction]()
    for pattern, name, acts in _READERS:
        for match in pattern.finditer(left):
            side = next((side for side in _SIDES if side in _around(left, match)), None)
            found.append(AskedAction(_named(name, side), _sided(acts, side), match.start()))
        left = pattern.sub(_blank, left)
    unique = {one.name: one for one in sorted(found, key=lambda one: -one.at)}
    return tuple(sorted(unique.values(), key=lambda one: one.at))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


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
