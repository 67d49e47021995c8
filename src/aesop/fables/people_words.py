"""Words for windows that show one segment or several: what was written for them, plain wordings
made from their labels, and both joined in order.

A clause is a verb phrase without its subject in one of three forms ("walks", "walking", "walk").
Only clauses of one form are joined, so that joined sentences stay grammatical. Facts of geometry
decide whether a label's direction may be said plainly.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from aesop.fables.people_subjects import PLACE_SHARE, PLACES, ROLE_SHARE, SUBJECTS, somebody
from aesop.fables.segment_captions import SegmentCaption
from aesop.fables.segment_facts import SegmentFacts


def set_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


Form = Literal["third", "gerund", "imperative"]
FORMS: tuple[Form, ...] = get_args(Form)
FORM_SHARES = (0.7, 0.15, 0.15)
# How much of the text encoder's width in words a joined sentence may take.
LONGEST_JOINED_WORDS = 34

_SUBJECT = re.compile(
    r"\b(?:(?:an?|the) (?:person|man|woman|figure|dancer|performer|actor|actress|boxer|player|human"
    r"|character|walker|runner|individual)|someone|somebody|he|she)\b"
)
_NO_VERBS = frozenset({"across", "sideways", "always", "perhaps", "this", "hands", "arms", "as"})
_NO_GERUNDS = frozenset({"swing", "spring", "bring", "string", "sling", "wing", "during", "king"})
# Words that labels begin with and that are no verbs, or not surely.
_NOUNS = set_of(
    "side jumping chicken zombie mummy robot karate triangle handstand arabesque floor "
    "breaststroke butterfly hands front knee long high stiff bouncy small turning downward mantis "
    "verb idle steady slow open close low part place dress back cartwheel"
)
# What only the whole of a segment shows: numbers, and one thing after another.
_WHOLE = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|\w+teen|twenty|once|twice|times?|several|few|couple|half|quarter|first|then|"
    r"before|after|finally|until|again|ends?|ending|starts?|starting|begins?|beginning|stops?|"
    r"stopping|slows?|slowing|turns?|turning|back|comes?|coming)\b"
)
_COUNTS = (
    "", "once", "twice", "three times", "four times", "five times", "six times", "seven times",
    "eight times", "nine times", "ten times",
)  # fmt: skip
_NUMBERS = (
    "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip

GOING = set_of(
    "walk run jog march creep sneak skip limp crawl shuffle hop leap jump step sidestep strut "
    "stagger waddle hobble pace prowl lope scurry stalk sprint trudge stride stumble"
)
_TURNING = set_of("turn spin pivot whirl twirl revolve pirouette")
_BY_HAND = set_of(
    "punch jab wave throw reach point wipe scratch beckon knock push pull drink eat dribble chop "
    "strike hammer pick swat block toss catch paint write wash sweep gesture signal touch put "
    "swipe claw grab slap brush stir"
)
_COUNTED = set_of(
    "jump hop leap kick punch squat bow jab clap lunge throw nod wave stomp duck cartwheel "
    "spin chop"
)
_WAYS = set_of("lean look reach point bend kick punch throw dive push lunge swing")
_LIMBS = {"arm": "arms", "hand": "hands", "leg": "legs", "foot": "feet", "knee": "knees"}
_MANY = frozenset({*_LIMBS.values(), "elbows", "fists", "forearms", "shoulders", "hips", "paws"})
_THINGS = {
    "pose": "a pose", "stance": "a stance", "weight": "the weight", "head": "the head",
    "face": "the face", "hair": "the hair", "torso": "the torso", "body": "the body",
    "shoulder": "the shoulder", "stairs": "stairs", "chin": "the chin",
}  # fmt: skip
# Labels that are no whole verb phrase, and other ways to say the commonest ones.
_SAID: dict[str, tuple[str, ...]] = {
    "side step": ("sidestep", "step sideways", "take side steps"),
    "sidestep": ("sidestep", "step sideways", "step to the side"),
    "jumping jacks": ("do jumping jacks", "perform jumping jacks"),
    "jumping jack": ("do a jumping jack", "do jumping jacks"),
    "handstand": ("do a handstand", "stand on the hands"),
    "cartwheel": ("do a cartwheel", "turn a cartwheel"),
    "chicken dance": ("do the chicken dance",),
    "back up": ("back up", "move back"),
    "back away": ("back away",),
    "pick up": ("pick something up", "pick up something", "pick something up off the ground"),
    "put down": ("put something down", "put down something"),
    "set down": ("set something down",),
    "throw": ("throw", "throw something", "make a throw"),
    "catch": ("catch something",),
    "carry": ("carry something",),
    "push": ("push", "push something"),
    "pull": ("pull", "pull something"),
    "lift": ("lift something",),
    "place": ("place something",),
    "wipe": ("wipe", "wipe a surface"),
    "turn around": (
        "turn around",
        "turn about",
        "turn to face the other way",
        "make a half turn",
        "turn around to face back",
        "face about",
    ),
    "sit down": (
        "sit down",
        "take a seat",
        "sit down on a seat",
        "lower down to sit",
        "sit on a chair",
        "sit down on a chair",
        "go down onto a chair",
    ),
    "sit": ("sit", "stay seated", "remain sitting"),
    "stand up": ("stand up", "get up", "rise to the feet", "get to the feet"),
    "get up": ("get up", "stand up", "rise"),
    "crouch": ("crouch", "crouch down", "go down into a crouch"),
    "squat": ("squat", "do a squat", "squat down"),
    "squat down": ("squat down", "squat"),
    "run": ("run", "run along"),
    "jump": ("jump", "make a jump"),
    "wave": ("wave", "wave a hand", "wave hello"),
    "raise arms": ("raise the arms", "raise both arms", "lift both arms", "put the arms up"),
    "raise hands": ("raise the hands", "raise both hands", "put both hands up"),
    "lower arms": ("lower the arms", "lower both arms", "let the arms down"),
    "punch": ("punch", "throw punches", "throw a punch"),
    "box": ("box", "throw punches", "shadow box"),
    "kick": ("kick", "give a kick"),
    "bow": ("bow", "take a bow"),
    "spin": ("spin", "spin around", "twirl"),
    "stand": ("stand", "stay standing", "stand there"),
    "stop": ("stop", "come to a stop", "come to a halt"),
    "bend over": ("bend over", "bend down", "bend at the waist"),
    "bend down": ("bend down", "bend over"),
    "straighten up": ("straighten up", "stand upright"),
    "clap": ("clap", "clap the hands"),
    "look around": ("look around", "look about"),
    "lie": ("lie", "lie on the floor"),
    "lie down": ("lie down", "lie down on the floor"),
    "swim": ("swim", "make swimming strokes"),
    "hold pose": ("hold a pose", "stay in a pose"),
    "stretch": ("stretch", "do stretches"),
    "walk backward": ("walk backward", "walk backwards", "step back", "go backward"),
    "step back": ("step back", "step backward", "take a step back"),
}
# "Spin kick", "balance walk": two verbs side by side are a noun.
_AS_NOUN = set_of("kick walk spin turn pose dance steps jump leap stance")
_AS_NOUN_BEFORE = set_of("spin jump kick balance tiptoe dance hop lunge break stiff")
_VOWELS = "aeiou"
# Verbs of two syllables whose last consonant stays single.
_SINGLE = set_of("limber wander lumber hammer stagger swagger balance gesture signal")
_THIRD = {"do": "does", "go": "goes", "have": "has"}
_GERUND = {"lie": "lying", "signal": "signalling", "sidestep": "sidestepping"}


@dataclass(frozen=True)
class SegmentWords:
    """What is known in words of one segment."""

    caption: SegmentCaption
    facts: SegmentFacts


@dataclass(frozen=True)
class Clause:
    """A verb phrase in one form, without its subject."""

    form: Form
    text: str


def inflected(verb: str, form: Form) -> str:
    """A verb's base in one of the three forms."""
    if form == "imperative":
        return verb
    return _third(verb) if form == "third" else _gerund(verb)


def _third(verb: str) -> str:
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + "s"


def _gerund(verb: str) -> str:
    if verb in _GERUND:
        return _GERUND[verb]
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    ends = re.search(rf"[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxy]$", f"b{verb}")
    several = len(re.findall(rf"[{_VOWELS}]+", verb)) > 1 or verb in _SINGLE
    return verb + verb[-1] + "ing" if ends and not several else verb + "ing"


def clause_of(sentence: str) -> Clause | None:
    """The clause in a written sentence; None where it has no form that can be joined."""
    subject = _SUBJECT.match(sentence)
    rest = sentence[subject.end() :].strip() if subject else sentence
    words = rest.split()
    if not words:
        return None
    verb = words[1] if words[0].endswith("ly") and len(words) > 1 else words[0]
    verb = verb.strip(",")
    if subject:
        finite = verb.endswith("s") and len(verb) > 2 and verb not in _NO_VERBS
        return Clause("third", rest) if finite else None
    if verb.endswith("ing") and verb not in _NO_GERUNDS and len(verb) > 5:
        # "Jumping, someone lands": a gerund that leads to a subject of its own is no clause.
        return None if _SUBJECT.search(rest) else Clause("gerund", rest)
    is_verb = verb in _KNOWN_VERBS and verb not in _NOUNS
    return Clause("imperative", rest) if is_verb and not _SUBJECT.search(rest) else None


_KNOWN_VERBS = GOING | _TURNING | _BY_HAND | _COUNTED | _WAYS | set_of(
    "sit stand lie get rise crouch kneel raise lower lift swing sway stretch twist dance climb "
    "hold stop wait pose box balance bend straighten roll flap rub shake shrug drop move stay keep "
    "drift bound dash glide slide go come take make let bring spread fold circle nod laugh cheer "
    "swim dig carry stoop lunge start begin walk step turn bow fall land squat duck set face "
    "remain settle bob dip tilt sink shift weave wind wiggle flip dive drag"
)  # fmt: skip


def says_whole(text: str) -> bool:
    """Whether a text tells what only the whole segment shows: a number, an order, a turn."""
    return bool(_WHOLE.search(text))


def plain_clause(
    words: SegmentWords, form: Form, dice: np.random.Generator, *, whole: bool = True
) -> Clause:
    """A short wording from the label. Of a part of a segment (not `whole`) no number is said."""
    label = words.caption
    said = _SAID.get(label.verb)
    if said is not None:
        verb = said[0] if dice.random() < 0.5 else said[int(dice.integers(len(said)))]
    else:
        verb = _with_articles(label, dice)
    if label.verb == "stand" and _rests(words.facts) and dice.random() < 0.5:
        verb = "stand still"
    details = [] if " and " in label.verb else _details(words, dice, whole=whole)
    text = " and ".join(_inflect_first(part, form) for part in verb.split(" and "))
    for detail in details:
        text += detail if detail.startswith(",") else f" {detail}"
    return Clause(form, text)


def said_verbs(words: SegmentWords, form: Form) -> list[str]:
    """All that a plain wording may say for the label's verb, where there is more than one way."""
    ways = _SAID.get(words.caption.verb, ())
    return [" and ".join(_inflect_first(it, form) for it in way.split(" and ")) for way in ways]


def _rests(facts: SegmentFacts) -> bool:
    return facts.path_m < 0.25 and max(facts.left_hand_mps, facts.right_hand_mps) < 0.2


def _inflect_first(phrase: str, form: Form) -> str:
    head, _, rest = phrase.partition(" ")
    return f"{inflected(head, form)} {rest}".strip()


def _with_articles(label: SegmentCaption, dice: np.random.Generator) -> str:
    """The label's verb as a verb phrase: "raise arm" needs to say which."""
    head, _, last = label.verb.rpartition(" ")
    if label.verb.split()[0] in _NOUNS or (head in _AS_NOUN_BEFORE and last in _AS_NOUN):
        many = last in _MANY or label.verb.endswith("s")
        return f"do {label.verb}" if many else f"do a {label.verb}"
    if not head or " and " in label.verb:
        return label.verb
    if last in _LIMBS:
        which = f"the {label.side}" if label.side in ("left", "right") else "one"
        return f"{head} {which} {last}"
    if last in _MANY:
        which = "both" if last in _LIMBS.values() and dice.random() < 0.4 else "the"
        return f"{head} {which} {last}"
    return f"{head} {_THINGS.get(last, last)}"


def _details(words: SegmentWords, dice: np.random.Generator, *, whole: bool) -> list[str]:
    """What else the label says, each kind half of the time, so that bare verbs are read too."""
    label = words.caption
    head = label.verb.split()[0]
    says = dice.random(4) < (0.5, 0.65, 0.4, 0.3)
    details: list[str] = []
    if says[0] and (side := _side(label, head, dice)):
        details.append(side)
    if says[2] and whole and head in ("walk", "run", "march") and label.count.isdigit():
        number = int(label.count)
        if 2 <= number < len(_NUMBERS):
            details.append(f"{_NUMBERS[number]} steps")
    if says[1] and (way := _way(words, head, dice, whole=whole)):
        details.append(way)
    if says[2] and whole and head in _COUNTED and (count := _count(label.count)):
        details.append(count)
    if says[3] and _can_be_added(label.manner):
        details.append(label.manner)
    return details


def _side(label: SegmentCaption, head: str, dice: np.random.Generator) -> str:
    one = label.side in ("left", "right")
    if head == "kick" and one:
        return f"with the {label.side} {'foot' if dice.random() < 0.5 else 'leg'}"
    if head == "hop" and one:
        return f"on the {label.side} {'foot' if dice.random() < 0.5 else 'leg'}"
    if head == "jump" and label.side == "both":
        return "with both feet" if dice.random() < 0.3 else ""
    if head in _BY_HAND and label.verb.split()[-1] not in _LIMBS:
        if one:
            return f"with the {label.side} {'arm' if dice.random() < 0.2 else 'hand'}"
        return "with both hands" if label.side == "both" else ""
    return ""


def _way(words: SegmentWords, head: str, dice: np.random.Generator, *, whole: bool) -> str:
    """The direction, where geometry agrees that it can be said so plainly."""
    label, facts = words.caption, words.facts
    way = label.direction
    if not way or way in label.verb or (way == "backward" and "back" in label.verb):
        return ""
    if head in _TURNING:
        return _turn(label.verb, facts, dice) if whole else ""
    if way in ("left", "right"):
        return _sideways(words, head, dice, whole=whole)
    if way in ("forward", "backward"):
        ahead = facts.forward_m if way == "forward" else -facts.forward_m
        if head in GOING:
            return way if ahead > 0.3 else ""
        return way if head in _WAYS else ""
    if way == "around":
        return ("in a circle" if abs(facts.turn_deg) > 270 else "around") if head in GOING else ""
    if way == "in place":
        spot = "in place" if dice.random() < 0.6 else "on the spot"
        return spot if head in GOING | {"dance"} else ""
    return way if head in ("look", "reach", "jump", "point") else ""


def _sideways(words: SegmentWords, head: str, dice: np.random.Generator, *, whole: bool) -> str:
    side, facts = words.caption.direction, words.facts
    sign = 1.0 if side == "left" else -1.0
    if head not in GOING:
        return f"to the {side}" if head in _WAYS else ""
    if sign * facts.left_m > max(0.4, abs(facts.forward_m)):
        return f"to the {side}"
    if whole and sign * facts.turn_deg > 40:
        ways = (f"in a curve to the {side}", f"while turning {side}", "")
        return ways[int(dice.integers(len(ways)))]
    return ""


def _turn(verb: str, facts: SegmentFacts, dice: np.random.Generator) -> str:
    side = "left" if facts.turn_deg > 0 else "right"
    amount = abs(facts.turn_deg)
    if amount < 30:
        return ""
    way = (f"to the {side}", side)[int(dice.integers(2))]
    if "around" in verb:
        return f"to the {side}"
    if amount > 320:
        return f"all the way around to the {side}"
    if 145 < amount < 220 and dice.random() < 0.6:
        return f"around to the {side}"
    return way


def _count(count: str) -> str:
    if count == "several":
        return "several times"
    return _COUNTS[int(count)] if count.isdigit() and int(count) < len(_COUNTS) else ""


def _can_be_added(manner: str) -> bool:
    is_adverb = manner.endswith("ly") and " " not in manner and manner != "lively"
    return is_adverb or manner in ("fast", "bent over", "bent forward", "very slowly")


def spoken(clauses: Sequence[Clause], dice: np.random.Generator, subject: str | None = None) -> str:
    """Clauses of one form as one sentence, in their order."""
    form = clauses[0].form
    assert all(clause.form == form for clause in clauses)
    texts = [clause.text for clause in clauses]
    is_free = subject is None
    if subject is None:
        subject = SUBJECTS[int(dice.integers(len(SUBJECTS)))]
    joined = _joined(texts, dice)
    if form != "third":
        return joined
    place = ""
    if is_free and dice.random() < ROLE_SHARE:
        subject = somebody(dice)
    if dice.random() < PLACE_SHARE and len(joined.split()) < LONGEST_JOINED_WORDS:
        place = PLACES[int(dice.integers(len(PLACES)))]
    return f"{subject} {joined} {place}".strip()


def _joined(texts: Sequence[str], dice: np.random.Generator) -> str:
    if len(texts) == 1:
        return texts[0]
    *before, last = texts
    pick = int(dice.integers(4))
    if len(texts) == 2:
        return before[0] + (", then ", " and then ", ", and then ", ", then ")[pick] + last
    joint = (", then ", ", and then ", ", and finally ", " and then ")[pick]
    return ", then ".join(before) + joint + last


def written_captions(
    words: SegmentWords, dice: np.random.Generator, *, whole: bool = True
) -> list[str]:
    """The three sentences, their subjects exchanged half of the time."""
    texts: list[str] = []
    for sentence in words.caption.sentences:
        if not whole and says_whole(sentence):
            continue
        clause = clause_of(sentence)
        if clause is not None and clause.form == "third" and dice.random() < 0.5:
            sentence = spoken([clause], dice)
        texts.append(sentence)
    return texts


def plain_caption(parts: Sequence[tuple[SegmentWords, bool]], dice: np.random.Generator) -> str:
    """Plain wordings of some segments in order; each with whether it is shown whole."""
    form = FORMS[int(dice.choice(len(FORMS), p=FORM_SHARES))]
    return spoken(_told([plain_clause(it, form, dice, whole=whole) for it, whole in parts]), dice)


def _told(clauses: Sequence[Clause]) -> list[Clause]:
    """Without what only repeats its neighbour's verb: somebody who walks and walks, walks."""
    kept: list[Clause] = []
    for clause in clauses:
        verb = clause.text.split()[0]
        if kept and kept[-1].text.split()[0] == verb and len(clause.text.split()) < 3:
            continue
        if kept and kept[-1].text == verb:
            kept.pop()
        kept.append(clause)
    return kept


def joined_caption(parts: Sequence[tuple[SegmentWords, bool]], dice: np.random.Generator) -> str:
    """What was written for some segments, joined in order; plain where nothing written fits."""
    form = FORMS[int(dice.choice(len(FORMS), p=(0.6, 0.1, 0.3)))]
    room = LONGEST_JOINED_WORDS / len(parts)
    clauses: list[Clause] = []
    for words, whole in parts:
        found = (clause_of(sentence) for sentence in words.caption.sentences)
        fitting = [
            clause
            for clause in found
            if clause is not None
            and clause.form == form
            and len(clause.text.split()) <= room
            and (whole or not says_whole(clause.text))
        ]
        if fitting:
            clauses.append(fitting[int(dice.integers(len(fitting)))])
        else:
            clauses.append(plain_clause(words, form, dice, whole=whole))
    return spoken(_told(clauses), dice)
