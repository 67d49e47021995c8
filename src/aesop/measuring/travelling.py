"""Cases that travel to a machine without the store: a parcel of footage, and what else is asked.

The rows, their order and the hashes are those of the store; numbers are rounded as a parcel rounds
them, which the cases say of themselves.
"""

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Integer
from torch import Tensor

from aesop.camera_words.grammar import MINIMAL_CAPTIONS
from aesop.core.atomic import atomic_path
from aesop.core.errors import StoreError
from aesop.data.store import Store
from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features
from aesop.measuring.cases import Case, Cases, chosen_places
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion, Provenance
from aesop.scene.movement import runs
from aesop.scene.shot import Shot
from aesop.training.footage import Footage, footage_of_rows
from aesop.training.parcel import Rounding, read_parcel, write_parcel

CASES_FILE = "cases.json.xz"


def write_travelling_cases(store: Store, split: str, folder: Path) -> None:
    """All kinds of one split: humans, shots, and what a footage does not hold."""
    rows = store.split(split)
    write_parcel(footage_of_rows(store, rows), folder)
    human_rows = np.unique(store.human_rows[rows])
    told = {
        "dataset": store.manifest.dataset,
        "data_sha256": store.manifest.content_sha256,
        "fps": store.manifest.fps,
        "rotations": store.manifest.rotations,
        "rows": rows.tolist(),
        "human_rows": human_rows.tolist(),
        "splits": [store.shots.strings("splits", row) for row in rows.tolist()],
        "tags": [_runs(store.shots.items("tags", row)) for row in rows.tolist()],
        "reversed": [
            next(iter(store.shots.strings("reversed_captions", row)), "") for row in rows.tolist()
        ],
    }
    text = json.dumps(told, separators=(",", ":")).encode()
    with atomic_path(folder / CASES_FILE) as temporary:
        temporary.write_bytes(lzma.compress(text))


def texts_of(store: Store) -> Iterator[str]:
    """Everything that a store's people and cameras are ever told, and the words that stand in."""
    yield from MINIMAL_CAPTIONS.values()
    for row in range(store.humans.rows):
        yield from store.humans.strings("captions", row)
    for row in range(store.shots.rows):
        yield from store.shots.strings("captions", row)
        yield from store.shots.strings("reversed_captions", row)


class TravelledCases:
    """A folder that `write_travelling_cases` wrote, read once and asked for many splits."""

    def __init__(self, folder: Path) -> None:
        try:
            self._told: dict[str, Any] = json.loads(
                lzma.decompress((folder / CASES_FILE).read_bytes())
            )
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise StoreError(
                f"{folder} holds no cases that travelled ({error}).", "Pack or send them again."
            ) from error
        self._folder = folder
        self._footage: Footage = read_parcel(folder, torch.device("cpu"))
        if self._footage.store_sha256 != self._told["data_sha256"]:
            raise StoreError(
                f"The footage in {folder} is of another store than its cases.", "Pack both again."
            )
        self._people: dict[int, _Person] = {}

    def cases(self, split: str, at_most: int | None = None) -> Cases:
        """As `read_cases` chooses them from the store."""
        name, _, kind = split.partition("/")
        places = [
            place
            for place, known in enumerate(self._told["splits"])
            if any(it == split or (not kind and it.startswith(f"{name}/")) for it in known)
        ]
        lengths = self._footage.cameras.lengths.numpy()[places]
        words = [bool(self._footage.camera_captions[place]) for place in places]
        chosen, left_out = chosen_places(lengths, words, at_most)
        if not chosen:
            raise StoreError(
                f"{self._folder} has no shot of {split} that can be asked for.",
                "Pack the split that is to be measured.",
            )
        return Cases(
            dataset=self._told["dataset"],
            data_sha256=self._told["data_sha256"],
            split=split,
            cases=tuple(self._case(places[it]) for it in chosen),
            left_out=left_out,
            note=_note(Rounding()),
        )

    def _case(self, place: int) -> Case:
        footage, told = self._footage, self._told
        human = int(footage.human_of_shot[place])
        person = self._person(human)
        path = camera_from_features(footage.cameras.clip(place).double(), person.first_root)
        name = footage.human_names[human]
        reference = Shot(
            clip=Clip(
                person.motion,
                told["fps"],
                name,
                Provenance(f"{told['dataset']}:{name}", told["rotations"]),
            ),
            camera=CameraPath(
                path.world_from_camera.float(),
                path.centre.float(),
                path.fov_vertical.float(),
                path.aspect,
            ),
            provenance=Provenance(
                f"{told['dataset']}:{footage.shot_names[place]}", told["rotations"]
            ),
            camera_words=next(iter(footage.camera_captions[place]), ""),
            human_words=next(iter(footage.human_captions[human]), ""),
        )
        return Case(
            row=told["rows"][place],
            human_row=told["human_rows"][human],
            reference=reference,
            target_tags=_tags(told["tags"][place]),
            reversed_words=told["reversed"][place],
        )

    def _person(self, human: int) -> "_Person":
        """Windows are filmed several times and decoded once."""
        if human not in self._people:
            motion = human_from_features(self._footage.humans.clip(human).double())
            single = HumanMotion(motion.rotations.float(), motion.joints.float())
            self._people[human] = _Person(single, motion.root[0].clone())
        return self._people[human]


@dataclass(frozen=True, eq=False)
class _Person:
    motion: HumanMotion
    first_root: Float64[Tensor, "3"]


def _runs(tags: Integer[np.ndarray, " transitions"]) -> list[list[int]]:
    return [[tag, stop - start] for tag, start, stop in runs(tags)]


def _tags(lengths: list[list[int]]) -> Integer[np.ndarray, " transitions"]:
    classes, counts = zip(*lengths, strict=True)
    return np.repeat(np.array(classes, np.uint8), counts)


def _note(rounding: Rounding) -> str:
    turn, joint = (np.degrees(it) / 2 for it in (rounding.camera_turn_rad, rounding.joint_turn_rad))
    return (
        f"references travelled rounded: camera centres and roots to "
        f"±{rounding.camera_centre_m * 500:.2f} mm, camera turns to ±{turn:.4f}°, joint turns to "
        f"±{joint:.3f}°"
    )
