"""How far two writers of captions agree: parts of labels, things said, likeness of sentences.

Labels are compared part by part (share of equal answers and Cohen's kappa), words by what they say
about sides, ways and postures, sentences by a text encoder.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from aesop.metrics.bootstrap import MEAN_RESAMPLES, Clusters, Interval, bootstrap

AMONG = 32  # captions among which the right one is looked for
RETRIEVALS = 50  # other captions are drawn this often


@dataclass(frozen=True)
class Written:
    """What one writer says of one segment."""

    verb: str
    side: str
    direction: str
    count: str
    manner: str
    sentences: tuple[str, ...]

    @property
    def words(self) -> str:
        return " . ".join((self.verb, self.manner, *self.sentences)).lower()


# ---- parts of labels ---------------------------------------------------------------------------

_FAMILIES: Mapping[str, str] = {
    "walk": "walk step sidestep march pace shuffle creep sneak strut limp hobble waddle stagger "
    "stumble stalk prowl lope scurry lumber trudge stride moonwalk swagger sashay slink weave "
    "hurry retreat tiptoe back glide prance trip mope",
    "run": "run jog sprint dash",
    "climb": "climb",
    "turn": "turn turning spin twist pivot whirl revolve pirouette rotate swirl",
    "stand": "stand wait idle settle relax stop shift sway balance look listen pause steady slow "
    "halt rest think fidget brake peer",
    "sit": "sit perch",
    "rise": "rise straighten recover",
    "bend": "bend bow stoop lean hunch fold arch tilt curl slump curtsey",
    "crouch": "crouch squat kneel duck dip sink coil lunge cower",
    "floor": "lie roll swim crawl floor slither breaststroke butterfly",
    "jump": "jump jumping leap hop skip land bound bounce",
    "tumble": "cartwheel handstand flip dive",
    "leg": "kick knee",
    "fight": "punch box jab block strike guard karate dodge slash swat swipe claw",
    "arms": "raise lower lift hold reach swing gesture signal wave point flap stretch spread drop "
    "open close shrug clap cheer circle shake beckon beg flutter flail conduct direct flex clasp "
    "bring cross move cover touch scratch rub hang release paw yawn",
    "task": "wipe sweep drink eat throw toss catch dribble dig mop hammer wash paint write steer "
    "stir pick put place set push pull carry work brush shave sew saw screw unscrew drum rake "
    "scoop pour knead cast putt shoot aim play comb type dial chop wind vacuum press cradle sip",
    "dance": "dance pose arabesque robot chicken triangle",
    "act": "laugh cough cry argue act nibble peck lick search hide zombie mummy shiver nod",
}
_FAMILY_OF = {word: family for family, words in _FAMILIES.items() for word in words.split()}
_PHRASES = {
    "rise": "stand up|get up|come up|sit up",
    "climb": "step over|step up|step down|step onto|step on|step off",
    "leg": "(?:raise|lift|swing|extend|hold) (?:leg|legs|knee|knees|foot|feet)",
    "crouch": "bend knees|bend knee",
    "arms": "hold (?:hand|arm)s?(?: \\w+)?",
    "dance": "hold a? ?pose",
}
# Families whose borders are a matter of taste, put together.
_KIND_OF = {
    "walk": "going", "run": "going", "climb": "going", "turn": "turning", "stand": "still",
    "sit": "sitting", "rise": "down and up", "bend": "down and up", "crouch": "down and up",
    "floor": "on the floor", "jump": "flying", "tumble": "flying", "leg": "legs", "fight": "hands",
    "arms": "hands", "task": "hands", "dance": "acting", "act": "acting", "other": "other",
}  # fmt: skip


def verb_family(verb: str) -> str:
    """The family of a label's verb; `other` where no word of it is known."""
    for family, phrases in _PHRASES.items():
        if re.match(rf"(?:{phrases})\b", verb):
            return family
    known = (_FAMILY_OF[word] for word in verb.split() if word in _FAMILY_OF)
    return next(known, "other")


def verb_kind(verb: str) -> str:
    """The same, coarser."""
    return _KIND_OF[verb_family(verb)]


def one_side(written: Written) -> str:
    """Left, right, or neither alone: writers differ in whether walking has `both` sides."""
    return written.side if written.side in ("left", "right") else "neither"


def count_kind(written: Written) -> str:
    """Never said, once, or more often."""
    return {"": "none", "1": "once"}.get(written.count, "more")


_POSTURES = (
    ("lying", r"\b(?:lie|lies|lying|flat on)\b"),
    ("on all fours", r"\ball fours\b|\bcrawl|hands and (?:knees|feet)\b"),
    ("kneeling", r"\bkneel|\bone knee\b"),
    ("sitting", r"\b(?:sit|sits|sitting|seated|seat)\b"),
    ("crouching", r"\b(?:crouch|squat)"),
    ("bent", r"\b(?:bend|bends|bending|bent)\b (?:\w+ )?(?:over|forward|down|low|deep)|\bbow"
     r"|\bstoop|\bhunch|\bfold|\bdeep bend\b"),
)  # fmt: skip


def posture_said(written: Written) -> str:
    """The lowest posture that the words name; upright if none."""
    words = written.words
    return next((name for name, said in _POSTURES if re.search(said, words)), "upright")


PARTS: Mapping[str, Callable[[Written], str]] = {
    "verb family": lambda written: verb_family(written.verb),
    "verb kind": lambda written: verb_kind(written.verb),
    "side": lambda written: written.side or "none",
    "side, left or right alone": one_side,
    "direction": lambda written: written.direction or "none",
    "count": lambda written: written.count or "none",
    "count, none, once or more": count_kind,
    "posture": posture_said,
}


@dataclass(frozen=True)
class PartAgreement:
    """How often two writers answer alike, and how much better than by chance."""

    segments: int
    equal: float
    by_chance: float
    kappa: float
    kappa_interval: Interval | None


def kappa(
    first: Int[np.ndarray, " segments"],
    second: Int[np.ndarray, " segments"],
    counts: Float[np.ndarray, " segments"],
) -> float:
    """Cohen's kappa of answers that count so often; 1 where both always give one same answer."""
    equal, chance = _shares(first, second, counts)
    return 1.0 if chance == 1.0 else (equal - chance) / (1.0 - chance)


def _shares(
    first: Int[np.ndarray, " segments"],
    second: Int[np.ndarray, " segments"],
    counts: Float[np.ndarray, " segments"],
) -> tuple[float, float]:
    answers = int(max(first.max(), second.max())) + 1
    one = np.bincount(first, counts, answers) / counts.sum()
    other = np.bincount(second, counts, answers) / counts.sum()
    return float(counts[first == second].sum() / counts.sum()), float(one @ other)


def part_agreement(
    first: Sequence[str], second: Sequence[str], clusters: Clusters
) -> PartAgreement:
    """Of one part of the label, over all segments; what belongs together is drawn together."""
    codes = np.unique([*first, *second], return_inverse=True)[1].reshape(2, -1)
    one, other = codes[0], codes[1]
    once = np.ones(len(one))
    equal, chance = _shares(one, other, once)
    interval = bootstrap(
        lambda times: np.array([kappa(one, other, counts) for counts in times]),
        clusters,
        MEAN_RESAMPLES // 10,  # kappa is no mean: ten times fewer draws, as long to compute
    )
    return PartAgreement(len(one), equal, chance, kappa(one, other, once), interval)


# ---- things said -------------------------------------------------------------------------------

_LIMB = r"(?: (?:hand|arm|fist|elbow|forearm|foot|leg|knee|shoulder|heel|thigh|palm|wrist|toe))"
_SAID = {
    "hand": (r"\b(left|right) (?:hand|arm|fist|elbow|forearm|palm|wrist)\b",),
    "leg": (r"\b(left|right) (?:foot|leg|knee|heel|thigh|toe)\b",),
    "turn": (
        r"\b(?:turn|spin|pivot|rotat|twist|curv|circl|bear|veer|swing around|loop)\w*"
        rf"(?: \w+){{0,4}}? (left|right)\b(?!{_LIMB})",
        r"\b(left|right)(?:ward)? (?:turn|spin|curve|circle)",
    ),
    "aside": (r"\b(?:sidestep|sideways|side step)\w*(?: \w+){0,3}? (left|right)\b",),
    "way": (
        r"\b(?:walk|step|run|jog|mov|go|hop|jump|leap|march|creep|sneak|shuffl|crawl|skip|strid)"
        r"\w*(?: \w+){0,2}? (forward|ahead|backward)",
        r"\b(?:back)(?:s|ing)? (up|away)\b",
    ),
}
_SAME_AS = {"ahead": "forward", "up": "backward", "away": "backward"}
_OPPOSITE = (("left", "right"), ("forward", "backward"), ("up", "down"))
_GROUNDED = {"lying", "on all fours", "kneeling", "sitting"}
_NEAR_THE_FLOOR = {"on all fours", "kneeling", "crouching"}  # one passes into the other


def things_said(written: Written, about: str) -> frozenset[str]:
    """Left, right, forward, backward: what the sentences say about hands, legs, turns, ways."""
    words = written.words
    said = {match[1] for pattern in _SAID[about] for match in re.finditer(pattern, words)}
    return frozenset(_SAME_AS.get(word, word) for word in said)


def contradictions(first: Written, second: Written) -> list[str]:
    """Where one writer says only one thing and the other only its opposite."""
    found: list[str] = []
    for about in _SAID:
        one, other = things_said(first, about), things_said(second, about)
        if len(one) == len(other) == 1 and one != other:
            found.append(f"{about}: {min(one)} / {min(other)}")
    for part in ("side", "direction"):
        one, other = getattr(first, part), getattr(second, part)
        if (one, other) in _OPPOSITE or (other, one) in _OPPOSITE:
            found.append(f"{part}: {one} / {other}")
    one, other = posture_said(first), posture_said(second)
    if one != other and {one, other} & _GROUNDED and not {one, other} <= _NEAR_THE_FLOOR:
        found.append(f"posture: {one} / {other}")
    one, other = verb_family(first.verb), verb_family(second.verb)
    if {one, other} == {"walk", "run"}:
        found.append(f"pace: {one} / {other}")
    return found


def both_say(first: Written, second: Written, about: str) -> bool:
    """Whether both writers name exactly one side or way, so that they could contradict."""
    return len(things_said(first, about)) == len(things_said(second, about)) == 1


# ---- likeness of sentences ---------------------------------------------------------------------

Vectors = Float[np.ndarray, "segments width"]


@dataclass(frozen=True)
class Likeness:
    """Sentences of the same segment against those of others."""

    same: float  # mean cosine
    other: float
    auc: float  # how often a right pair is more alike than a wrong one
    among: int
    first_rank: float  # share of sentences that find their own caption first
    first_three: float
    median_rank: float


def likeness(queries: Vectors, captions: Vectors, seed: int) -> Likeness:
    """Rows of both belong to the same segments; vectors have unit length."""
    cosines = queries @ captions.T
    segments = len(cosines)
    right = np.diag(cosines)
    wrong = cosines[~np.eye(segments, dtype=bool)]
    order = np.sort(wrong)
    below = (np.searchsorted(order, right) + np.searchsorted(order, right, side="right")) / 2
    dice = np.random.default_rng(seed)
    among = min(AMONG, segments)
    ranks = np.concatenate([_ranks(cosines, among, dice) for _ in range(RETRIEVALS)])
    return Likeness(
        same=float(right.mean()),
        other=float(wrong.mean()),
        auc=float(below.mean() / len(wrong)),
        among=among,
        first_rank=float((ranks == 1).mean()),
        first_three=float((ranks <= 3).mean()),
        median_rank=float(np.median(ranks)),
    )


def _ranks(
    cosines: Float[np.ndarray, "segments segments"], among: int, dice: np.random.Generator
) -> Int[np.ndarray, " segments"]:
    """The rank of every right caption among itself and others by lot; ties count half against."""
    segments = len(cosines)
    ranks = np.empty(segments, dtype=int)
    for row in range(segments):
        others = dice.choice(segments - 1, among - 1, replace=False)
        rivals = cosines[row, others + (others >= row)]
        own = cosines[row, row]
        ranks[row] = 1 + (rivals > own).sum() + dice.binomial(int((rivals == own).sum()), 0.5)
    return ranks
