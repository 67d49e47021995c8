"""Thin Fables: the same people and cameras with little to learn direction from, as mined data has
it. Few wordings for a movement, one caption for a shot, and one direction much rarer than its
opposite. Only what is trained on becomes thin; the test is that of the whole set."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from aesop.camera_words.outline import SIGNS
from aesop.core.errors import Progress, StoreError
from aesop.core.hashing import text_sha256
from aesop.data.builder import ShardWriter, StoreBuilder
from aesop.data.manifest import HumanRow, Manifest, ShotRow, StorePlan
from aesop.data.store import Store, attributes_of
from aesop.scene.movement import runs

DATASET = "fables-thin"
RARE = "a rare direction, thinned out"
_SHARD = "thin"
_KEPT_WHOLE = "test"

Outline = tuple[tuple[int, str], ...]  # class and kind of every movement


@dataclass(frozen=True)
class ThinRecipe:
    """How thin. Truck left and pull out are the rare ones; of a shot that goes either way, alone or
    among other movements, one in `rare_one_in` stays. The numbers are ours: PulpMotion's are not
    published, the paper only says that 601 of 162,760 clips became direction pairs."""

    seed: int = 20261117
    wordings: int = 3  # for every outline of movements
    rare_one_in: int = 16


def build_thin(
    store: Store, out: Path, recipe: ThinRecipe, progress: Progress | None = None
) -> Manifest:
    """Derive a thin store. The same store and seed give the same bytes."""
    if not store.manifest.dataset.startswith("fables"):
        raise StoreError(
            f"{store.path} holds {store.manifest.dataset}, not Fables.",
            "Name a store that `aesop data build fables` made.",
        )
    plan = StorePlan(
        DATASET,
        {
            **store.manifest.recipe,
            "thin": asdict(recipe),
            "thinned_from": store.manifest.content_sha256,
        },
        store.manifest.rotations,
    )
    builder = StoreBuilder(out, plan)
    builder.start()
    if not builder.has_shard(_SHARD):
        with builder.shard(_SHARD) as shard:
            _write(store, shard, recipe, progress)
    return builder.finalise([_SHARD])


def _write(store: Store, shard: ShardWriter, recipe: ThinRecipe, progress: Progress | None) -> None:
    is_tested = np.zeros(len(store), np.bool_)
    is_tested[store.split(_KEPT_WHOLE)] = True
    kept = [row for row in range(len(store)) if is_tested[row] or _stays(store, row, recipe)]
    for row in sorted(set(range(len(store))) - set(kept)):
        shard.drop(RARE, store.shots.text("id", row))
    wordings = _wordings(store, [row for row in kept if not is_tested[row]], recipe)
    written: set[int] = set()
    for done, row in enumerate(kept, start=1):
        stored = store.shot(row)
        if stored.human_row not in written:
            written.add(stored.human_row)
            shard.add_human(
                HumanRow(
                    stored.human_id,
                    stored.human_features,
                    stored.human_captions,
                    stored.human_attributes,
                )
            )
        captions, twins = stored.camera_captions, stored.reversed_captions
        if not is_tested[row]:
            choices = wordings[_outline(store, row)]
            place = _number(recipe.seed, "wording", stored.id) % len(choices)
            captions, twins = (choices[place][0],), (choices[place][1],)
        shard.add_shot(
            ShotRow(
                id=stored.id,
                human_id=stored.human_id,
                features=stored.camera_features,
                tags=stored.tags.astype(np.int64),
                captions=captions,
                reversed_captions=twins,
                splits=stored.splits,
                attributes=stored.attributes,
            )
        )
        if progress is not None:
            progress(done, len(kept))


def _stays(store: Store, row: int, recipe: ThinRecipe) -> bool:
    moves = (SIGNS[tag] for tag, _, _ in runs(store.shots.items("tags", row)))
    if not any(x < 0 or z < 0 for x, _, z in moves):
        return True
    return _number(recipe.seed, "rare", store.shots.text("id", row)) % recipe.rare_one_in == 0


def _wordings(
    store: Store, rows: list[int], recipe: ThinRecipe
) -> dict[Outline, list[tuple[str, str]]]:
    """Captions, with their reversed twins, that all shots of one outline share: they tell classes
    and kinds, which those shots have in common."""
    known: dict[Outline, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        captions, twins = (
            store.shots.strings(name, row) for name in ("captions", "reversed_captions")
        )
        known[_outline(store, row)].update(zip(captions, twins, strict=True))
    return {
        outline: sorted(pairs, key=lambda pair: _number(recipe.seed, "pick", pair[0]))[
            : recipe.wordings
        ]
        for outline, pairs in known.items()
    }


def _outline(store: Store, row: int) -> Outline:
    tags = [tag for tag, _, _ in runs(store.shots.items("tags", row))]
    kinds = attributes_of(store.shots, row)["kinds"]
    assert isinstance(kinds, list) and len(kinds) == len(tags)
    return tuple(zip(tags, map(str, kinds), strict=True))


def _number(seed: int, *words: str) -> int:
    """A large number from words, the same on every machine."""
    return int(text_sha256(str(seed), *words)[:16], 16)
