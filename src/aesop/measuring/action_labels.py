"""Which labels of real segments say that an action is shown, and which exclude it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import pairwise

from aesop.fables.motion_sets import read_set_takes, split_of_take
from aesop.fables.segment_captions import SegmentCaption, read_segment_captions
from aesop.fables.segment_facts import FACT_NAMES, SegmentFacts
from aesop.fables.segment_table import read_segments

# Verbs of labels that mean one kind of action. Verbs that are not here exclude nothing.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "walk": (
        "walk", "stride", "trudge", "start walking", "walk off", "strut", "swagger",
        "swagger walk",
    ),
    "walk backward": (
        "walk backward", "step back", "back up", "back away", "retreat", "step backward",
    ),
    "sidestep": ("sidestep", "side step"),
    "walk around": (
        "walk around", "walk a circle", "walk loops", "walk an oval",
    ),
    "run": ("run", "jog", "sprint", "dash"),
    "stop": ("stop", "stop walking", "stop running", "stop and stand"),
    "turn": ("turn",),
    "turn around": ("turn around",),
    "spin": ("spin", "whirl", "whirl around", "pirouette"),
    "stand": ("stand", "wait", "idle", "hold still", "stand watch", "stand guard"),
    "look": ("look around", "look about", "look", "search", "look out", "look right"),
    "sit": ("sit",),
    "sit down": ("sit down", "sit down again"),
    "stand up": ("stand up",),
    "get up": ("get up", "rise from floor"),
    "lie": ("lie",),
    "lie down": ("lie down", "lie back"),
    "crouch": ("crouch", "crouch down", "squat", "squat down", "hold crouch"),
    "kneel": ("kneel", "kneel down"),
    "crawl": ("crawl",),
    "jump": ("jump", "jump forward", "long jump", "jump sideways", "jump over"),
    "leap": ("leap", "bound"),
    "jump and": ("jump and turn", "jump and reach", "jump spin", "jump down", "jump kick"),
    "hop": ("hop",),
    "jumping jacks": ("jumping jacks", "jumping jack"),
    "skip": ("skip", "prance"),
    "raise arms": ("raise arms", "throw arms up", "throw up arms", "cheer", "hold hands up"),
    "raise hands": ("raise hands", "raise fists"),
    "raise arm": ("raise arm", "raise hand", "throw arm up", "hold arm up", "lift hand"),
    "lower arms": ("lower arms", "lower hands"),
    "stretch": ("stretch", "stretch arms", "stretch up", "yawn"),
    "wave": ("wave", "wave arm"),
    "signal": ("signal", "beckon", "wave along", "direct with arms", "direct with hands"),
    "clap": ("clap",),
    "punch": ("punch", "jab", "punch low"),
    "box": ("box",),
    "block": ("block", "karate block", "strike", "guard"),
    "throw": ("throw", "throw overhand", "toss", "shoot"),
    "reach": ("reach", "reach forward", "reach out"),
    "reach up": ("reach up",),
    "point": ("point",),
    "head": ("scratch head", "touch face", "touch hair", "rub face", "shade eyes", "fix hair"),
    "drink": ("drink", "eat", "sip"),
    "swing arms": ("swing arms", "wave arms", "sweep arms", "circle arms"),
    "flap": ("flap arms", "flap", "flap elbows"),
    "gesture": ("gesture", "argue", "talk"),
    "kick": ("kick", "front kick"),
    "swing leg": ("swing leg",),
    "balance": ("balance",),
    "lift leg": ("lift leg", "raise leg", "lift knee", "raise knee"),
    "march": ("march",),
    "limp": ("limp", "hobble"),
    "sneak": ("sneak", "creep"),
    "step up": ("step up", "climb", "climb stairs", "climb up", "walk up"),
    "step down": ("step down", "climb down", "walk down"),
    "step over": ("step over",),
    "lunge": ("lunge",),
    "bow": ("bow",),
    "bend": ("bend forward", "bend over", "bend down", "fold forward", "stoop"),
    "pick up": ("pick up", "scoop up"),
    "put down": ("put down", "set down"),
    "lean": ("lean", "side bend", "lean sideways"),
    "twist": ("twist", "twist torso"),
    "sway": ("sway",),
    "stumble": ("stumble", "trip"),
    "stagger": ("stagger",),
    "dance": ("dance", "dance salsa", "dance steps", "break dance", "dance around"),
    "upside down": ("cartwheel", "handstand", "back handspring", "do a handstand"),
    "sweep": ("sweep", "mop", "rake"),
    "wipe": ("wipe", "paint", "wash"),
}  # fmt: skip
FAMILY_OF: Mapping[str, str] = {
    verb: family for family, verbs in FAMILIES.items() for verb in verbs
}

Condition = Callable[[SegmentCaption], bool]
FactCondition = Callable[[SegmentFacts], bool]


def _always(_: object) -> bool:
    return True


@dataclass(frozen=True)
class LabelRule:
    """Labels of one action. Families in `may_show` neither show nor exclude it; all other known
    families exclude it. So do the shown families if `contrary` holds: the other side, the other
    way."""

    shows: tuple[str, ...]
    may_show: tuple[str, ...] = ()
    where: Condition = _always
    contrary: Condition | None = None
    facts: FactCondition = _always
    margin_s: float = 0.0

    def is_shown(self, label: SegmentCaption) -> bool:
        return FAMILY_OF.get(label.verb) in self.shows and self.where(label)

    def is_excluded(self, label: SegmentCaption) -> bool:
        family = FAMILY_OF.get(label.verb)
        if family in self.shows:
            return self.contrary is not None and self.contrary(label)
        return family is not None and family not in self.may_show


def _side(side: str) -> Condition:
    return lambda label: label.side == side


def _way(*directions: str) -> Condition:
    return lambda label: label.direction in directions


def _at_least(count: int) -> Condition:
    return lambda label: (
        label.count == "several" or (label.count.isdigit() and int(label.count) >= count)
    )


def _sided(
    side: str,
    shows: tuple[str, ...],
    may_show: tuple[str, ...] = (),
    facts: FactCondition = _always,
) -> LabelRule:
    other = "right" if side == "left" else "left"
    return LabelRule(shows, may_show, _side(side), _side(other), facts)


_FLOOR = ("lying", "on all fours", "sitting on the floor", "kneeling")
_RAISED = ("head", "overhead")
_UP = ("standing", "bent over")


def _postures(facts: SegmentFacts) -> list[str]:
    return facts.postures.split(">")


def _from_to(first: tuple[str, ...], last: tuple[str, ...]) -> FactCondition:
    return lambda facts: _postures(facts)[0] in first and _postures(facts)[-1] in last


def _has_posture(*names: str) -> FactCondition:
    return lambda facts: any(posture in names for posture in _postures(facts))


def _hands(left: tuple[str, ...], right: tuple[str, ...]) -> FactCondition:
    return lambda facts: facts.left_hand in left and facts.right_hand in right


_LOW_LEVEL = ("low", "waist", "chest")

_GOING = (
    "walk", "walk around", "march", "limp", "sneak", "stop", "step up", "step down", "step over",
    "stumble", "skip", "run",
)  # fmt: skip
_HANDS = (
    "raise arms", "raise hands", "raise arm", "stretch", "wave", "signal", "reach", "reach up",
    "point", "swing arms", "flap", "gesture", "dance", "head", "drink", "throw", "box", "punch",
    "block", "lower arms", "wipe", "clap", "jumping jacks", "balance", "sway", "twist",
)  # fmt: skip
_LOW = (
    "sit", "sit down", "stand up", "get up", "lie", "lie down", "crouch", "kneel", "crawl",
    "upside down", "pick up", "put down", "bend", "bow", "lunge",
)  # fmt: skip
_AIR = ("jump", "leap", "jump and", "hop", "jumping jacks", "skip")
_TURNING = ("turn", "turn around", "spin", "dance", "walk around")
_SIDEWAYS = ("sidestep",)
# Kinds of action that go on to the end of a segment.
_STEADY = ("walk", "run", "march", "crawl", "dance", "walk backward", "sidestep")

RULES: Mapping[str, LabelRule] = {
    "walk forward": LabelRule(
        ("walk", "march"),
        (*_GOING, "run", "lunge", "turn", "turn around", "dance", "leap", "jump", "stand up"),
        _way("forward"),
        _way("backward"),
    ),
    "walk backward": LabelRule(
        ("walk backward",), ("dance", "stumble", "block", "box", "lean", "spin", "turn", "sweep"),
        _way("backward"),
    ),
    "sidestep left": LabelRule(
        _SIDEWAYS, ("dance", "box", "turn", "turn around", "spin", "block"), _way("left"),
        _way("right"),
    ),
    "sidestep right": LabelRule(
        _SIDEWAYS, ("dance", "box", "turn", "turn around", "spin", "block"), _way("right"),
        _way("left"),
    ),
    "walk in a circle": LabelRule(
        ("walk around",), ("walk", "turn around", "spin", "dance", "limp", "sneak", "run"),
    ),
    "run": LabelRule(("run",), ("leap", "skip", "jump", "stop"), _way("forward")),
    "turn left": LabelRule(("turn",), (*_TURNING, "walk", "sidestep", "jump and", "run", "stop",
        "limp", "sneak", "stand up", "sit down", "look", "kick", "throw", "get up",
        "walk backward", *_AIR, "upside down", "step over", "step up", "step down"),
        _way("left"), _way("right")),
    "turn right": LabelRule(("turn",), (*_TURNING, "walk", "sidestep", "jump and", "run", "stop",
        "limp", "sneak", "stand up", "sit down", "look", "kick", "throw", "get up",
        "walk backward", *_AIR, "upside down", "step over", "step up", "step down"),
        _way("right"), _way("left")),
    "turn around": LabelRule(("turn around",), (*_TURNING, "walk", "jump and", "run", "stop",
        "limp", "sneak", "stand up", "sit down", "get up", "walk backward", "sidestep", *_AIR,
        "upside down")),
    "spin": LabelRule(("spin",), ("dance", "walk around", "turn around", "jump and", "turn",
        "upside down", "walk", "walk backward", "sidestep")),
    "sit down": LabelRule(("sit down",), ("sit", "lie down", "crouch", "kneel"),
        facts=_from_to(_UP, ("sitting", "crouching", "sitting on the floor")), margin_s=0.6),
    "stand up": LabelRule(("stand up",), ("get up", "sit", "bend", "pick up", "crouch", "kneel"),
        facts=_from_to(("sitting", "crouching", *_FLOOR), _UP), margin_s=0.4),
    "sit": LabelRule(("sit",), ("drink", "gesture", "sit down", "stand up", "look", "head",
        "wipe", "reach", "lean", "point", "swing arms", "lie", "crouch")),
    "lie down": LabelRule(("lie down",), ("lie", "get up", "crawl", "upside down", "dance")),
    "get up": LabelRule(("get up",), ("stand up", "upside down", "dance", "kneel", "crouch",
        "crawl", "lie", "lie down"),
        facts=lambda facts: _postures(facts)[0] in _FLOOR, margin_s=0.8),
    "lie": LabelRule(("lie",), ("lie down", "crawl", "upside down", "dance", "get up")),
    "crouch": LabelRule(("crouch",), (*_LOW, *_AIR, "sneak", "dance", "sweep", "step over"),
        facts=_has_posture("crouching")),
    "squat several times": LabelRule(
        ("crouch",), (*_LOW, *_AIR, "dance", "sneak", "sweep"), _at_least(2),
        facts=_has_posture("crouching"),
    ),
    "kneel": LabelRule(("kneel",), ("crawl", "get up", "crouch", "lie down", "upside down", "sit",
        "dance", "pick up", "sit down", "stand up", "lie", "sneak", "lunge")),
    "crawl": LabelRule(("crawl",), ("kneel", "upside down", "get up", "lie", "lie down")),
    "jump up": LabelRule(
        ("jump",), (*_AIR, "dance", "upside down", "step over", "run", "spin", "kick"), _way("up")
    ),
    "jump forward": LabelRule(
        ("jump",), (*_AIR, "dance", "upside down", "step over", "run", "step up", "step down"),
        _way("forward"),
    ),
    "jump several times": LabelRule(
        ("jump", "jumping jacks"), (*_AIR, "dance", "run"),
        lambda label: _at_least(3)(label) and label.direction != "around",
    ),
    "hop on the left leg": _sided("left", ("hop",), (*_AIR, "dance", "balance", "kick")),
    "hop on the right leg": _sided("right", ("hop",), (*_AIR, "dance", "balance", "kick")),
    "jumping jacks": LabelRule(("jumping jacks",), ("jump", "dance"), _at_least(2)),
    "skip": LabelRule(("skip",), ("run", "jump", "hop", "leap", "dance", "jump and")),
    "raise the left arm": _sided("left", ("raise arm",), (*_HANDS, *_AIR, "upside down"),
        _hands(_RAISED, _LOW_LEVEL)),
    "raise the right arm": _sided("right", ("raise arm",), (*_HANDS, *_AIR, "upside down"),
        _hands(_LOW_LEVEL, _RAISED)),
    "raise both arms": LabelRule(
        ("raise arms",), (*_HANDS, *_AIR, *_LOW, "balance", "spin"), _way("up"),
        facts=_hands(_RAISED, _RAISED),
    ),
    "stretch": LabelRule(("stretch",), (*_HANDS, *_AIR, *_LOW, "spin"), _way("up"),
        facts=_hands(_RAISED, _RAISED)),
    "wave with the left hand": _sided("left", ("wave",), (*_HANDS, *_AIR)),
    "wave with the right hand": _sided("right", ("wave",), (*_HANDS, *_AIR)),
    "clap": LabelRule(("clap",), ("gesture", "signal", "dance", "wipe", "drink", "throw")),
    "punch with the left hand": _sided(
        "left", ("punch",), (*_HANDS, "kick", *_AIR, "sweep", "spin", "run", "upside down")
    ),
    "punch with the right hand": _sided(
        "right", ("punch",), (*_HANDS, "kick", *_AIR, "sweep", "spin", "run", "upside down")
    ),
    "box": LabelRule(
        ("box", "punch"), (*_HANDS, "kick", *_AIR, "sweep", "run", "spin", "upside down")
    ),
    "throw": LabelRule(("throw",), (*_HANDS, *_AIR, "kick", "run", "spin", "upside down",
        "stumble", "lunge")),
    "reach forward": LabelRule(("reach",), (*_HANDS, *_LOW, *_AIR, "sweep", "kick", "step up",
        "spin"),
        _way("forward")),
    "reach up": LabelRule(("reach up",), (*_HANDS, *_AIR, *_LOW, "spin")),
    "point": LabelRule(("point",), (*_HANDS, *_LOW, "kick", *_AIR),
        lambda label: label.side in ("left", "right")),
    "touch the head": LabelRule(("head",), (*_HANDS, *_LOW, "look", "spin")),
    "drink": LabelRule(("drink",), (*_HANDS, *_LOW, "look", "spin")),
    "swing the arms": LabelRule(
        ("swing arms",), (*_HANDS, *_AIR, *_LOW, "run", "march", "kick", "spin", "sneak"),
        _at_least(2),
    ),
    "gesture": LabelRule(("gesture",), (*_HANDS, *_LOW, "sweep", "look", "turn", "spin", *_AIR,
        "kick", "sneak", "turn around", "step up", "step down", "swing leg", "lift leg")),
    "kick with the left leg": _sided("left", ("kick",), ("dance", *_AIR, "upside down",
        "swing leg", "lift leg", "run", "step over", "balance", "spin", "march", "crawl")),
    "kick with the right leg": _sided("right", ("kick",), ("dance", *_AIR, "upside down",
        "swing leg", "lift leg", "run", "step over", "balance", "spin", "march", "crawl")),
    "balance on one leg": LabelRule(("balance",), ("lift leg", "swing leg", "kick",
        "hop", "dance", "sit", "spin", "upside down", "lie", "crawl", "kneel"), _way("in place"),
        facts=lambda facts: max(facts.left_foot_m, facts.right_foot_m) > 0.12),
    "lift a leg": LabelRule(("lift leg",), ("swing leg", "kick", "balance", "dance", *_LOW, *_AIR,
        "step up", "step over", "march", "step down", "spin", "run")),
    "march": LabelRule(("march",), ("run", "step over", "step up", "skip", "dance", "kick",
        "leap", "jump", "hop", "sneak", "lift leg", "step down", "jump and")),
    "limp": LabelRule(("limp",), ("stumble", "sneak", "dance", "walk around", "step up",
        "step down", "step over", "kick", "lift leg", "balance", "skip", "hop", "swing leg",
        "turn", "turn around", "spin", "stop")),
    "sneak": LabelRule(("sneak",), ("crawl", "dance", "limp", "stumble", "sweep", "lunge",
        "step up", "step down", "step over", "crouch", "bend", "pick up", "jump", "leap", "run",
        "sidestep", "get up", "stand up", "sit down", "jump and", "hop", "upside down", "kick",
        "spin")),
    "step up": LabelRule(
        ("step up",), ("jump", "jump and", "leap", "upside down", "dance", "step over", "hop",
        "step down"), margin_s=0.3,
    ),
    "step down": LabelRule(
        ("step down",), ("jump", "jump and", "leap", "upside down", "dance", "step over", "hop",
        "step up"), margin_s=0.3,
    ),
    "step over": LabelRule(("step over",), ("run", *_AIR, "kick", "dance", "march", "step up",
        "step down", "upside down", "crawl", "lift leg", "limp", "sneak"), _way("forward")),
    "lunge": LabelRule(("lunge",), (*_GOING, *_AIR, "dance", "kick", "punch", "box", "block",
        "throw", "upside down", "sweep", "crawl", "kneel", "stretch", "spin", "balance", "get up",
        "lie", "bend")),
    "bow": LabelRule(("bow",), ("bend", "pick up", "dance", "crouch", "sweep", "stretch", "lean",
        "sneak", "swing arms", "twist", "reach")),
    "bend forward": LabelRule(("bend",), (*_LOW, "dance", "sweep", "stretch", "lean", "sneak",
        "reach", "wipe", "swing arms", "twist", "look", *_AIR, "stumble", "step up", "step down",
        "run"), facts=lambda facts: facts.lean_deg >= 40, margin_s=0.3),
    "pick up": LabelRule(("pick up",), (*_LOW, "dance", "sweep", "stretch", "reach", "swing arms",
        "sneak", "lean", "throw", "jump", "twist", "step down", "kick", "wipe")),
    "lean to the left": LabelRule(("lean",), ("dance", *_LOW, *_AIR, "twist", "sway", "stretch",
        "kick", "balance", "stumble", "sweep", "reach", "swing leg", "throw", "swing arms",
        "lift leg", "punch", "box", "block", "wipe", "spin"), _way("left"), _way("right")),
    "lean to the right": LabelRule(("lean",), ("dance", *_LOW, *_AIR, "twist", "sway", "stretch",
        "kick", "balance", "stumble", "sweep", "reach", "swing leg", "throw", "swing arms",
        "lift leg", "punch", "box", "block", "wipe", "spin"), _way("right"), _way("left")),
    "twist": LabelRule(("twist",), (*_HANDS, *_LOW, *_AIR, "run", "spin", "sweep", "kick", "march",
        "stumble", "lean", "turn", "turn around", "look"),
        facts=lambda facts: facts.most_left_deg + facts.most_right_deg >= 15),
    "look around": LabelRule(("look",), (*_HANDS, *_LOW, *_AIR, "turn", "turn around", "lean",
        "spin", "sneak", "stand", "sweep", "stumble", "stop", "kick", "swing leg", "lift leg")),
    "stumble": LabelRule(("stumble",), ("stagger", *_LOW, *_AIR, "dance", "limp", "sneak", "lean",
        "step up", "step down", "step over", "run", "stop", "kick", "throw", "sweep")),
    "dance": LabelRule(("dance",), (*_HANDS, *_AIR, "spin", "run", "kick", "upside down",
        "sidestep", "stumble", "jump and", "swing leg", "sweep", "march", "turn around", "turn")),
    "stand still": LabelRule(
        ("stand",), ("look", "stop", "balance", "gesture", "head", "lower arms", "drink"),
        lambda label: label.manner == "still",
        facts=lambda facts: facts.path_m < 0.3 and facts.left_hand_mps + facts.right_hand_mps < 0.2,
        margin_s=-0.2,  # segments end where somebody begins to move
    ),
    "turn upside down": LabelRule(("upside down",), ("dance", "crawl")),
}  # fmt: skip

_STOP = LabelRule(("stop", "stand"), tuple(family for family in FAMILIES if family not in _STEADY))
# Two actions of neighbouring segments.
SEQUENCES: Mapping[str, tuple[LabelRule, LabelRule]] = {
    "walk, then sit down": (RULES["walk forward"], RULES["sit down"]),
    "walk, then turn around": (RULES["walk forward"], RULES["turn around"]),
    "turn around, then walk": (RULES["turn around"], RULES["walk forward"]),
    "stand up, then walk": (RULES["stand up"], RULES["walk forward"]),
    "crouch, then jump": (RULES["crouch"], RULES["jump up"]),
    "run, then stop": (RULES["run"], _STOP),
    "walk, then stand": (RULES["walk forward"], RULES["stand still"]),
    "pick up, then walk": (RULES["pick up"], RULES["walk forward"]),
    "walk, then jump": (RULES["walk forward"], RULES["jump up"]),
}


_OTHER_SIDE = {"left": "right", "right": "left"}


def other_side(action: str) -> str:
    """What an action is called in the mirror."""
    return " ".join(_OTHER_SIDE.get(word, word) for word in action.split(" "))


def names_side(action: str) -> bool:
    """Whether an action has a mirror image of another name."""
    return other_side(action) != action


def mirrored_label(label: SegmentCaption) -> SegmentCaption:
    """The label of the segment seen in a mirror."""
    side, direction = (_OTHER_SIDE.get(word, word) for word in (label.side, label.direction))
    return replace(label, side=side, direction=direction)


def mirrored_facts(facts: SegmentFacts) -> SegmentFacts:
    """The facts of the segment seen in a mirror."""
    values = asdict(facts)
    for left, right in _FACT_PAIRS:
        values[left], values[right] = values[right], values[left]
    values["left_m"], values["turn_deg"] = -facts.left_m, -facts.turn_deg
    values["hands_on_floor"] = _OTHER_SIDE.get(facts.hands_on_floor, facts.hands_on_floor)
    return SegmentFacts(**values)


_FACT_PAIRS = tuple(
    (name, name.replace("left", "right", 1))
    for name in FACT_NAMES
    if "left" in name and name.replace("left", "right", 1) in FACT_NAMES
)


@cache
def training_counts() -> Mapping[str, int]:
    """How many training segments carry a label of each action, mirror images among them: training
    shows both. Of sequences, how many neighbours do."""
    labels = {label.id: label for label in read_segment_captions()}
    teaches = {take.id for take in read_set_takes() if split_of_take(take) == "train"}
    segments = [it for it in read_segments() if it.take_id in teaches and not it.fault]
    known = [labels[it.id] for it in segments if it.id in labels]
    own = {action: sum(map(rule.is_shown, known)) for action, rule in RULES.items()}
    counts = {
        action: count + (own[other_side(action)] if names_side(action) else 0)
        for action, count in own.items()
    }
    for action, (first, second) in SEQUENCES.items():
        counts[action] = sum(
            one.take_id == other.take_id
            and _shows(first, labels.get(one.id))
            and _shows(second, labels.get(other.id))
            for one, other in pairwise(segments)
        )
    return counts


def _shows(rule: LabelRule, label: SegmentCaption | None) -> bool:
    return label is not None and rule.is_shown(label)
