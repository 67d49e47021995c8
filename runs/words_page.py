"""docs/words.md: every value that can be asked for, ways to say it, and what it looks like.

    python runs/words_page.py pictures     # docs/pictures/words_*.jpg: the operator films them
    python runs/words_page.py text         # docs/words.md: wordings that the reader reads right

Pictures show the first, middle and last frame through the lens, and the scene from outside.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aesop.camera_words.attributes import (
    ATTRIBUTES,
    INTENSITY_OF,
    VOCABULARY,
    Attribute,
    AttributeValue,
    CameraFacts,
    Step,
    attribute_value,
    facts_of,
)
from aesop.camera_words.phrase_bank import TEXTBOOK, BankPhrase, phrase_bank, text_share
from aesop.camera_words.understanding import WordReader, load_reader
from aesop.core.whole_files import atomic_path
from aesop.director.rule_based import Operator
from aesop.fables.synthetic import Leg, wander
from aesop.preview.canvas import Picture
from aesop.preview.colours import INK
from aesop.preview.drawing import STILL, global_panel, key_frames, lens_panel
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.sheets import write_picture
from aesop.preview.stage import stage_of
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURES = ROOT / "docs" / "words.md", ROOT / "docs" / "pictures"
CELL_PX = (192, 108)
GAP_PX, LABEL_PX = 6, 15
EXAMPLES, TERMS_OF_THE_TRADE = 6, 2  # wordings of a value
LONGEST = 60  # characters of one
TITLES: dict[Attribute, str] = {
    "size": "How much of the person fills the frame", "height": "How high the camera is",
    "side": "Which side of the person it sees", "turn": "Turning on the spot",
    "lens": "The lens", "move": "Moves", "extent": "How far around", "grip": "What carries it",
    "place": "Where the person is in the picture", "pace": "How far and how fast",
    "when": "When",
}  # fmt: skip
TIMES = {
    "then": ("push in, then pan left", "truck left followed by a zoom in"),
    "as-she-turns": ("push in as she turns", "when he turns around, zoom out"),
    "at-the-end": ("push in at the end", "hold; finally boom up"),
}

IN_SECONDS = (
    "## When, in seconds",
    "",
    "Times say when a step begins and ends, for the model and for the operator:",
    "",
    "| | for example |",
    "|---|---|",
    "| how long | “hold still for two seconds, then push in”, “push in 3s, arc left 3s” |",
    "| from or until when | “static until 4 s, then pull out”, “at 0:04 pull out” |",
    "| after what | “after 2s pan right”, “push in, two seconds later pan right” |",
    "| from … to … | “0-3s: wide static, 3s-6s: push in”, “pan left between 1 and 4 seconds” |",
    "| at an end | “push in for the first 3 seconds”, “for the last two seconds hold” |",
    "| shares | “halfway through, push in”, “first half static, second half arc right” |",
    "",
    "Steps without a time share what is left evenly; where no step is, the camera rests. “After",
    "2 s” counts from the beginning, or if that has passed, from the end of the step before.",
    "A step needs a second. Times that a motion does not have are refused; half a second beyond",
    "its end is let pass. The report after a film says what was understood: “times: static from",
    "0.0 to 2.0 s, push-in from 2.0 to 6.0 s”. “A few seconds”, “a moment” and counts of frames",
    "are no times.",
)


@dataclass(frozen=True)
class Filmed:
    """A value and the shot that shows it."""

    value: AttributeValue
    shot: Shot


def facts_for(value: AttributeValue) -> CameraFacts:
    """The least that shows a value: the value alone, with a size where it leaves that open."""
    push = Step(moves=("push-in",))
    match value.attribute:
        case "size":
            return facts_of([value])
        case "extent":
            return replace(facts_of([attribute_value("move:orbit"), value]), size_start="full")
        case "pace":
            return replace(facts_of([attribute_value("move:push-in"), value]), size_start="wide")
        case "when":
            first = (Step(moves=("truck-left",)),) if value.value == "then" else ()
            last = replace(push, when=value.value)  # pyright: ignore[reportArgumentType]
            return CameraFacts(size_start="wide", steps=(*first, last))
        case "grip":
            steps = () if value.value == "locked-off" else (push,)
            return replace(facts_of([value]), size_start="medium", steps=steps)
        case "turn" if value.value in ("pan-left", "pan-right", "whip-pan", "pan-follow"):
            return replace(facts_of([value]), size_start="wide")
        case "turn" | "move":
            return replace(facts_of([value]), size_start="full")
        case _:
            return replace(facts_of([value]), size_start="medium")


def motion_for(value: AttributeValue) -> Clip:
    """Somebody who stands and turns a little, or walks where the value is about walking."""
    walks = value.value in ("follow", "follow-beside", "lead", "pan-follow", "lead-room")
    turns = value.value == "as-she-turns"
    legs = [Leg(1.0, 0.0), Leg(3.4, 1.2 if walks else 0.0, 0.0 if walks else 14.0)]
    if walks:
        legs = [Leg(4.4, 1.2)]
    if turns:
        legs = [Leg(1.6, 0.0), Leg(1.2, 0.0, 120.0), Leg(1.6, 0.0)]
    return Clip(wander(legs), NATIVE_FPS, "somebody", Provenance("made by AESOP's own code"))


def filmed_values(attribute: Attribute) -> Iterator[Filmed]:
    operator = Operator()
    for value in VOCABULARY:
        if value.attribute == attribute:
            facts = facts_for(value)
            pace = 1.0 if facts.pace is None else INTENSITY_OF[facts.pace]
            yield Filmed(value, operator.film_facts(motion_for(value), facts, pace, seed=1))


def strip(filmed: Filmed) -> Picture:
    """Three lens views and the scene from outside, in a row, with the value's name above."""
    width, height = CELL_PX
    stage = stage_of(filmed.shot)
    page = blank_page(4 * width + 5 * GAP_PX, height + LABEL_PX + 2 * GAP_PX)
    times = key_frames(stage.frames)
    cells = [lens_panel(stage, frame, CELL_PX, STILL) for frame in times]
    cells.append(global_panel(stage, CELL_PX, times))
    for column, cell in enumerate(cells):
        place(page, cell, GAP_PX + column * (width + GAP_PX), LABEL_PX + GAP_PX)
    label = Words(filmed.value.value, GAP_PX, 2, page.shape[1], LABEL_PX - 3, INK)
    write_words(page, [label])
    return page


def sheet_of(strips: Sequence[Picture]) -> Picture:
    """Strips one under another."""
    heights = [picture.shape[0] for picture in strips]
    page = blank_page(strips[0].shape[1], sum(heights))
    top = 0
    for picture, height in zip(strips, heights, strict=True):
        place(page, picture, 0, top)
        top += height
    return page


def draw(attributes: Sequence[Attribute] = ATTRIBUTES) -> None:
    for attribute in attributes:
        path = PICTURES / f"words_{attribute}.jpg"
        write_picture(sheet_of([strip(filmed) for filmed in filmed_values(attribute)]), path)
        sys.stdout.write(f"{path} {path.stat().st_size / 1000:.0f} kB\n")


def examples(value: AttributeValue, reader: WordReader) -> list[str]:
    """Two terms of the trade first, then one wording of every family, in an order without meaning;
    only what the reader reads right, from the part of the bank that it was taught."""
    if value.attribute == "when":
        return list(TIMES[value.value])
    phrases = [
        phrase
        for phrase in phrase_bank()
        if phrase.part == "train" and value.name in phrase.facts and len(phrase.text) <= LONGEST
    ]
    phrases.sort(key=lambda phrase: (phrase.family != TEXTBOOK, text_share(phrase.text)))
    kept: list[BankPhrase] = []
    for phrase in phrases:
        like = [other for other in kept if other.family == phrase.family]
        most = TERMS_OF_THE_TRADE if phrase.family == TEXTBOOK else 1
        if len(like) == most or len(kept) == EXAMPLES:
            continue
        said = {it.name for it in reader.understand(phrase.text).values}
        kept += [phrase] if said == set(phrase.facts) else []
    return [phrase.text for phrase in kept]


def text(reader: WordReader) -> str:
    lines = [
        "# Words for cameras", "",
        "What `--method operator` understands, value by value. The wordings are examples: the",
        "reader was taught thousands, and reads others too ([how well](vocabulary.md)). The",
        "operator filmed every picture: first, middle and last frame, and the scene from outside.",
        "Made by `python runs/words_page.py`.", "",
        "Values can be combined (“a slow handheld low-angle close-up from behind”) and follow",
        "each other (“push in, then pan left”), up to three steps. What cannot be done is named",
        "in the refusal: cuts, focus, slow motion, light, a second person.", "",
    ]  # fmt: skip
    for attribute in ATTRIBUTES:
        lines += [f"## {TITLES[attribute]}", "", f"![{attribute}](pictures/words_{attribute}.jpg)"]
        lines += ["", "| | what it is | for example |", "|---|---|---|"]
        for value in VOCABULARY:
            if value.attribute == attribute:
                said = ", ".join(f"“{one}”" for one in examples(value, reader))
                lines.append(f"| **{value.value}** | {value.definition} | {said} |")
        lines.append("")
    return "\n".join([*lines, *IN_SECONDS, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("pictures", "text"))
    if parser.parse_args().what == "pictures":
        draw()
        return
    with atomic_path(PAGE) as path:
        path.write_text(text(load_reader()), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
