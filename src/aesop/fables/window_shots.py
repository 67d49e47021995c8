"""All cameras of one window of the second edition: some of the first edition, and beside them
cameras of the whole vocabulary with captions of the phrase bank. A window's shots depend on its own
name and the seed alone, wherever and in whatever company it is filmed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from aesop.camera_words.caption_teller import ToldCaption, teller_for
from aesop.camera_words.grammar import camera_caption
from aesop.core.errors import ClipError
from aesop.core.hashing import dice_for
from aesop.data.manifest import ShotRow, Split
from aesop.fables.cinematographer.facts_draw import FactStyle
from aesop.fables.cinematographer.facts_start import way_m
from aesop.fables.cinematographer.filming import FilmedShot, Runs, film
from aesop.fables.cinematographer.lens import Style, watch
from aesop.fables.takes import SplitName
from aesop.fables.vocabulary_shots import VocabularyShot, film_vocabulary
from aesop.features.camera_features import camera_to_features
from aesop.scene.human import HumanMotion

VOCABULARY = "vocabulary"  # the kind of shot in training and validation
PLAIN, IDIOM = "plain", "idiom"  # test shots, told in terms of the trade and in phrases kept apart
LOST = "shot: no camera keeps the person in view"
LOST_VOCABULARY = "shot: no camera of the vocabulary keeps the person in view"
NOTHING_TOLD = "shot: nothing of the vocabulary was measured back"
_GOES_M = 2.5


@dataclass(frozen=True)
class WindowFilming:
    """How often a window is filmed, and by whom. The cameras of the first edition leave following
    to those of the vocabulary, who go all the way with whoever goes."""

    style: Style = field(default_factory=lambda: Style(follow=0.0))
    fact_style: FactStyle = field(default_factory=FactStyle)
    vocabulary_cameras: int = 12
    more_for_goers: int = 4  # cameras of somebody who goes far, whom a model loses first
    grammar_captions: int = 2
    bank_captions: int = 4

    def cameras_for(self, motion: HumanMotion) -> int:
        """Of the vocabulary."""
        goes = way_m(watch(motion.joints.numpy(), motion.yaw.numpy())) > _GOES_M
        return self.vocabulary_cameras + (self.more_for_goers if goes else 0)


@dataclass(frozen=True, eq=False)
class FilmedWindow:
    """Shots in their order, and those that nobody could film: why, and which."""

    shots: tuple[ShotRow, ...]
    dropped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class _Window:
    id: str
    motion: HumanMotion
    split: SplitName


def film_window(
    window_id: str,
    motion: HumanMotion,
    split: SplitName,
    runs: Sequence[Runs],
    filming: WindowFilming,
    seed: int,
) -> FilmedWindow:
    """Film a motion (25 fps, on the ground, from the canonical start). `runs` says what each camera
    of the first edition is asked for."""
    window = _Window(window_id, motion, split)
    dropped: list[tuple[str, str]] = []
    shots = [
        *_first_edition(window, runs, filming, dice_for(seed, window_id, "movements"), dropped),
        *_vocabulary(window, filming, dice_for(seed, window_id, VOCABULARY), dropped),
    ]
    return FilmedWindow(tuple(shots), tuple(dropped))


def _first_edition(
    window: _Window,
    runs: Sequence[Runs],
    filming: WindowFilming,
    dice: np.random.Generator,
    dropped: list[tuple[str, str]],
) -> Iterator[ShotRow]:
    joints, yaw = window.motion.joints.numpy(), window.motion.yaw.numpy()
    for at, asked in enumerate(runs):
        shot_id = f"{window.id}_c{at}"
        try:
            shot = film(joints, yaw, dice, style=filming.style, runs=asked)
        except ClipError:
            dropped.append((LOST, shot_id))
            continue
        yield movement_row(
            shot_id, window.id, window.motion, window.split, shot, filming.grammar_captions, dice
        )


def movement_row(
    shot_id: str,
    human_id: str,
    motion: HumanMotion,
    split: SplitName,
    shot: FilmedShot,
    captions: int,
    dice: np.random.Generator,
) -> ShotRow:
    """A shot of the first edition, with captions of the grammar of movements."""
    pairs = [camera_caption(shot.intent.outline, dice) for _ in range(captions)]
    kind = "pure" if len(np.unique(shot.intent.tags)) == 1 else "mixed"
    return ShotRow(
        id=shot_id,
        human_id=human_id,
        features=camera_to_features(shot.camera, motion.root.float()),
        tags=shot.intent.tags,
        captions=tuple(pair.caption for pair in pairs),
        reversed_captions=tuple(pair.reversed_caption for pair in pairs),
        splits=(Split(split, kind),),
        attributes={
            "grip": shot.intent.grip,
            "shot_size": shot.intent.shot_size,
            "clean": shot.intent.clean,
            "follows": shot.intent.follows,
            "kinds": [movement.kind for movement in shot.intent.outline],
            "travel_m": round(shot.intent.travel_m, 4),
            "redraws": int(sum(shot.redraws.values())),
        },
    )


def _vocabulary(
    window: _Window,
    filming: WindowFilming,
    dice: np.random.Generator,
    dropped: list[tuple[str, str]],
) -> Iterator[ShotRow]:
    for at in range(filming.cameras_for(window.motion)):
        shot_id = f"{window.id}_v{at}"
        try:
            shot = film_vocabulary(window.motion, filming.fact_style, dice)
        except ClipError:
            dropped.append((LOST_VOCABULARY, shot_id))
            continue
        rows = list(_told_rows(shot_id, window, shot, filming.bank_captions, dice))
        if not rows:
            dropped.append((NOTHING_TOLD, shot_id))
        yield from rows


def _told_rows(
    shot_id: str,
    window: _Window,
    shot: VocabularyShot,
    captions: int,
    dice: np.random.Generator,
) -> Iterator[ShotRow]:
    """The shot with its captions; a test shot twice, in two kinds of words."""
    if window.split == "test":
        tellers = {PLAIN: teller_for("plain"), IDIOM: teller_for("idiom")}
    else:
        tellers = {VOCABULARY: teller_for(window.split)}
    for kind, teller in tellers.items():
        told = teller.captions(shot.told, captions, dice)
        if told:
            name = f"{shot_id}_{IDIOM}" if kind == IDIOM else shot_id
            yield _vocabulary_row(name, window, shot, Split(window.split, kind), told)


def _vocabulary_row(
    shot_id: str,
    window: _Window,
    shot: VocabularyShot,
    split: Split,
    told: tuple[ToldCaption, ...],
) -> ShotRow:
    return ShotRow(
        id=shot_id,
        human_id=window.id,
        features=camera_to_features(shot.camera, window.motion.root.float()),
        tags=shot.tags,
        captions=tuple(caption.text for caption in told),
        reversed_captions=tuple(caption.reversed_text for caption in told),
        splits=(split,),
        attributes={
            **shot.attributes(),
            "told": [list(caption.facts.names) for caption in told],
            "has_extent": any(caption.facts.has_extent for caption in told),
        },
    )
