"""Facts in plain words, one wording for each value: what the term lexicon reads back as the same
facts. Captions of many wordings are a phrase bank's part."""

from collections.abc import Iterator
from dataclasses import replace

from aesop.camera_words.attributes import AROUND, CameraFacts, Step

# How each value is told; what moves stands as an imperative.
PLAIN_TERMS: dict[str, str] = {
    "size:extreme-wide": "an extreme wide shot",
    "size:wide": "a wide shot",
    "size:full": "a full shot",
    "size:medium": "a medium shot",
    "size:close-up": "a close-up",
    "size:extreme-close-up": "an extreme close-up",
    "height:ground": "at ground level",
    "height:low": "from a low angle",
    "height:eye": "at eye level",
    "height:high": "from a high angle",
    "height:overhead": "from overhead",
    "side:front": "from the front",
    "side:three-quarter-front": "in three quarter front view",
    "side:profile-left": "in left profile",
    "side:profile-right": "in right profile",
    "side:three-quarter-back": "in three quarter back view",
    "side:behind": "from behind",
    "lens:wide-angle": "with a wide-angle lens",
    "lens:long-lens": "with a long lens",
    "turn:dutch": "a dutch angle",
    "turn:pan-left": "pan left",
    "turn:pan-right": "pan right",
    "turn:tilt-up": "tilt up",
    "turn:tilt-down": "tilt down",
    "turn:whip-pan": "whip pan",
    "turn:pan-follow": "pan with the person",
    "turn:roll": "roll",
    "lens:zoom-in": "zoom in",
    "lens:zoom-out": "zoom out",
    "lens:dolly-zoom": "dolly zoom",
    "move:static": "stay static",
    "move:push-in": "push in",
    "move:pull-out": "pull out",
    "move:truck-left": "truck left",
    "move:truck-right": "truck right",
    "move:boom-up": "boom up",
    "move:boom-down": "boom down",
    "move:arc-left": "arc left",
    "move:arc-right": "arc right",
    "move:orbit": "orbit",
    "move:follow": "follow the person",
    "move:follow-beside": "follow alongside the person",
    "move:lead": "lead the person",
    "move:fly-past": "fly past",
    "extent:quarter": "a quarter circle",
    "extent:half": "a half circle",
    "extent:full": "a full circle",
    "grip:locked-off": "locked off",
    "grip:dolly": "on a dolly",
    "grip:steadicam": "on a steadicam",
    "grip:handheld": "handheld",
    "place:centre": "centered",
    "place:left-third": "on the left third",
    "place:right-third": "on the right third",
    "place:head-room": "with head room",
    "place:lead-room": "with lead room",
    "when:then": "then",
    "when:as-she-turns": "as the person turns",
    "when:at-the-end": "at the end",
}


def plain_caption(facts: CameraFacts) -> str:
    """ "A close-up, from a low angle, push in, then pan left, handheld." Pace says nothing here:
    how far a camera goes is no part of a caption. An end size is told after the steps."""
    parts = [*_standing(facts), *(_told(step) for step in facts.steps), *_ending(facts)]
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _standing(facts: CameraFacts) -> Iterator[str]:
    facts = _before_face(facts) if facts.face else facts
    names = [
        ("size", facts.size_start), ("height", facts.height), ("side", facts.side),
        ("lens", facts.lens),
    ]  # fmt: skip
    yield from (PLAIN_TERMS[f"{name}:{value}"] for name, value in names if value)
    if facts.dutch:
        yield PLAIN_TERMS["turn:dutch"]
    if facts.grip:
        yield PLAIN_TERMS[f"grip:{facts.grip}"]
    yield from (PLAIN_TERMS[f"place:{place}"] for place in facts.places)


def _before_face(facts: CameraFacts) -> CameraFacts:
    """Who asks for a face and no side or height wants neither the back of a head nor its crown,
    unless the camera is to come there from somewhere else."""
    moves = {move for step in facts.steps for move in step.moves}
    height = facts.height or (None if moves & {"boom-up", "boom-down"} else "eye")
    comes_there = facts.face == "end" and moves & set(AROUND)
    return replace(facts, side=facts.side or (None if comes_there else "front"), height=height)


def _told(step: Step) -> str:
    told = [PLAIN_TERMS[name] for name in step.names if not name.startswith("when:")]
    if "whip-pan" in step.turns:  # its side is no pan beside it
        for side in ("left", "right"):
            if f"pan-{side}" in step.turns:
                told.remove(PLAIN_TERMS[f"turn:pan-{side}"])
                whip = told.index(PLAIN_TERMS["turn:whip-pan"])
                told[whip] = f"{told[whip]} to the {side}"
    when = f"{PLAIN_TERMS[f'when:{step.when}']} " if step.when else ""
    return when + " and ".join(told)


def _ending(facts: CameraFacts) -> Iterator[str]:
    if facts.size_end is not None:
        yield "to " + PLAIN_TERMS[f"size:{facts.size_end}"]
