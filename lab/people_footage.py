"""Windows of people as trainings on a lent machine read them: takes that arrived, what may be said
of their segments, and drawings of both."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent

if TYPE_CHECKING:
    import torch

    from aesop.fables.people_windows import PeopleRecipe, PeopleWindow, Worded
    from aesop.fables.takes import SplitName
    from aesop.features.columns import Statistics
    from aesop.training.footage import Footage
    from paces import PacedCopies
    from people_parcel import TakeFeatures, TravelledTakes
    from travelling import TravellingMiniLM

KEPT = lent.STATE / "people"
CODEC_FILE = "human_codec.safetensors"
STATISTICS_FILE = "human_statistics.safetensors"
VALIDATION_WINDOWS = 1_500
# Wordings of every label that the encoder's vocabulary is made from.
LABEL_DRAWS = 6
LONGEST_TEXT_WORDS = 120
_WORD = re.compile(r"\w+|[^\w\s]")


def worded_takes() -> "dict[str, list[Worded]]":
    """All captioned segments that ship, by take."""
    from aesop.fables.people_windows import worded_segments
    from aesop.fables.segment_captions import read_segment_captions
    from aesop.fables.segment_table import read_segments

    return worded_segments(read_segments(), read_segment_captions())


def vocabulary(rows: "Sequence[Worded]") -> set[str]:
    """All words that windows of these segments may be described with."""
    import numpy as np

    from aesop.camera_words.vocabulary import mirror_caption
    from aesop.evaluators.caption_claims import contraries
    from aesop.fables.people_subjects import AGES, PLACES, ROLES
    from aesop.fables.people_words import FORMS, plain_clause, said_verbs, spoken

    dice = np.random.default_rng(0)
    always = ("first, then, and then, and finally", "a an the", *AGES, *PLACES, *ROLES)
    words: set[str] = {it for text in always for it in re.findall(_WORD, text)}
    for row in rows:
        written = list(row.words.caption.sentences)
        for form in FORMS:
            written += said_verbs(row.words, form)
            for _ in range(LABEL_DRAWS):
                written.append(spoken([plain_clause(row.words, form, dice)], dice))
        for text in written:
            for made in (text, mirror_caption(text)):
                for it in (made, *contraries(made)):
                    words.update(re.findall(_WORD, it))
    return words


def write_statistics(codec: Path, path: Path) -> None:
    """What evaluators need of a human codec."""
    from safetensors.torch import save_file

    from aesop.models.weights import load_human_codec

    known = load_human_codec(codec).network.statistics
    save_file({"mean": known.mean.contiguous(), "spread": known.spread.contiguous()}, path)


def arrived_statistics() -> "Statistics":
    """Of the codec that travelled, or those that travelled alone."""
    from safetensors.torch import load_file

    from aesop.features.columns import Statistics
    from aesop.models.weights import load_human_codec

    if (KEPT / STATISTICS_FILE).exists():
        return Statistics(**load_file(KEPT / STATISTICS_FILE))
    return load_human_codec(KEPT / CODEC_FILE).network.statistics


class Arrived:
    """What travelled: takes, words and codec, on a device. Texts that it encodes are kept for the
    next process on the same machine, or not: they are gigabytes."""

    def __init__(
        self, parcel: Path | None, device: "torch.device", texts: Path | None = lent.TEXTS
    ) -> None:
        lent.receive(parcel, KEPT)
        self._device, self._texts = device, texts
        self._statistics = arrived_statistics()
        self._read: dict[SplitName, tuple[TravelledTakes, TakeFeatures, PacedCopies | None]] = {}

    @cached_property
    def encoder(self) -> "TravellingMiniLM":
        """Who only films people need not send it."""
        from travelling import TravellingMiniLM

        return TravellingMiniLM(KEPT / lent.ENCODER_FILE, self._device, self._texts)

    def windows(
        self, split: "SplitName", drawing: "WindowDrawing"
    ) -> "tuple[TakeFeatures, list[PeopleWindow], str]":
        """Drawn windows of a split, the takes they are cut from, and the parcel's hash."""
        from aesop.fables.people_windows import draw_people
        from paces import recipe_of_copies
        from people_parcel import present

        if split not in self._read:
            self._read[split] = self._taken(split, drawing)
        takes, features, copies = self._read[split]
        recipe = drawing.recipe
        with lent.timed(f"{split}: {recipe.windows} windows drawn"):
            worded = present(worded_takes(), takes)
            windows = draw_people(worded, takes.grounds, recipe, drawing.workers)
        if copies is not None:
            with lent.timed(f"{split}: {drawing.copied_windows} windows of copies drawn"):
                windows += draw_people(
                    copies.worded,
                    copies.takes.grounds,
                    recipe_of_copies(recipe, drawing.copied_windows),
                    drawing.workers,
                )
        return features, windows, takes.sha256

    def _taken(
        self, split: "SplitName", drawing: "WindowDrawing"
    ) -> "tuple[TravelledTakes, TakeFeatures, PacedCopies | None]":
        """Takes as they arrived, features of them and of the copies, and the copies."""
        from paces import joined, paced_copies
        from people_parcel import TAKES_FILE, present, read_takes, take_features

        with lent.timed(f"{split}: takes"):
            takes = read_takes(KEPT / split / TAKES_FILE)
        every, copies = takes, None
        if drawing.copies and drawing.copied_windows:
            with lent.timed(f"{split}: {drawing.copies} copies of every act"):
                worded = present(worded_takes(), takes)
                copies = paced_copies(takes, worded, drawing.recipe.seed, drawing.copies)
                every = joined(takes, copies.takes)
        with lent.timed(f"{split}: features of {len(every.tracks)} frames"):
            features = take_features(every, self._device, self._statistics)
        return takes, features, copies

    def footage(
        self, split: "SplitName", drawing: "WindowDrawing"
    ) -> "tuple[Footage, list[PeopleWindow]]":
        """Windows of a split."""
        from people_parcel import footage_of_windows

        features, windows, sha256 = self.windows(split, drawing)
        with lent.timed(f"{split}: features of windows"):
            footage = footage_of_windows(features, windows, sha256)
        frames = footage.humans.lengths
        lent.say(
            f"{split}: {len(windows)} windows, {int(frames.sum())} frames, mean "
            f"{float(frames.float().mean()):.0f}; {len({s for w in windows for s in w.segments})} "
            "segments"
        )
        return footage, windows


@dataclass(frozen=True)
class WindowDrawing:
    """How windows of a split are drawn, of takes and of copies of their acts at other paces."""

    recipe: "PeopleRecipe"
    copies: int
    copied_windows: int
    workers: int | None


def drawing_of(args: argparse.Namespace, split: "SplitName") -> WindowDrawing:
    from aesop.fables.people_windows import PeopleRecipe

    recipe = PeopleRecipe(windows=args.windows)
    if split == "train":
        seeded = replace(recipe, seed=recipe.seed + args.seed)
        return WindowDrawing(seeded, args.copies, args.copied_windows, args.workers)
    plain = replace(recipe, windows=min(VALIDATION_WINDOWS, args.windows), everyday=1.0)
    # So few are drawn before other processes have started.
    return WindowDrawing(plain, 0, 0, 1)
