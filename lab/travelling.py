"""What a machine without store and text encoder is sent to measure and train with: the cases of a
test split, and MiniLM cut down to the words that a store uses.

Rows of cases, their order and their hashes are those of the store; numbers are rounded as a parcel
rounds them, which the cases say of themselves.
"""

import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Int64, Integer
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor
from torch.nn.functional import normalize

from aesop.camera_words.direction_swap import reversed_caption
from aesop.camera_words.grammar import MINIMAL_CAPTIONS
from aesop.core.errors import StoreError
from aesop.core.hashing import file_sha256, text_sha256
from aesop.core.whole_files import atomic_path
from aesop.data.store import Store
from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features
from aesop.measuring.cases import (
    Case,
    Cases,
    LeftOut,
    chosen_places,
    cluster_of,
    fit_cases,
    group_of,
)
from aesop.models.weights import numbers_from_bytes, rows_as_bytes
from aesop.scene.human import Clip, HumanMotion, Provenance
from aesop.scene.movement import runs
from aesop.scene.shot import Shot
from aesop.text.dataset_texts import packed_texts, unpacked_texts
from aesop.text.encoder import (
    EncodedText,
    JoinedTexts,
    TextFeatures,
    batches_of_equal_length,
    pad_texts,
)
from aesop.text.minilm import WEIGHTS_SHA256, WIDTH, Bert, MiniLM, WordPiece, packaged_folder
from aesop.training.footage import footage_of_rows
from aesop.training.recipes import TrainingError
from parcel import Rounding, read_parcel, write_parcel

CASES_FILE = "cases.json.xz"

_WORDS = "embeddings.word_embeddings.weight"
_POSITIONS = "embeddings.position_embeddings.weight"
_SPECIAL = ("[CLS]", "[SEP]", "[UNK]")
_LONGEST_CAPTION = 128  # pieces
_ALL_PIECES = 30_522
_BATCH = 512
_MANY = 4096  # texts of a batch on the way to one block
_JOINED = ("tokens", "starts", "pooled")


def texts_of(store: Store) -> Iterator[str]:
    """All captions of a store's people and cameras, and the words that stand in for none."""
    for row in range(store.humans.rows):
        yield from store.humans.strings("captions", row)
    yield from camera_texts(store)


def camera_texts(store: Store) -> Iterator[str]:
    """The captions of a store's cameras, and the words that stand in for none."""
    yield from MINIMAL_CAPTIONS.values()
    for row in range(store.shots.rows):
        yield from store.shots.strings("captions", row)
        yield from store.shots.strings("reversed_captions", row)


def write_travelling_encoder(
    texts: Iterable[str], path: Path, *, all_words: bool = False, in_bytes: bool = False
) -> None:
    """Keep the word pieces that these texts are made of, in half precision, or matrices in bytes:
    half as large, and its tokens turn by two degrees. With `all_words` every piece is kept, its row
    in bytes, for texts that nobody knows yet."""
    folder = packaged_folder()
    tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    wordpiece = WordPiece(vocabulary)
    rows = [wordpiece(text) for text in texts]
    used = {number for row in rows for number in row} | {vocabulary[it] for it in _SPECIAL}
    if all_words:
        used = set(vocabulary.values())
    kept = sorted(used)
    piece_of = {number: piece for piece, number in vocabulary.items()}
    tensors = {
        name: values.half()
        for name, values in load_file(folder / "model.safetensors").items()
        if name.startswith(("embeddings.", "encoder.")) and values.is_floating_point()
    }
    tensors[_WORDS] = tensors[_WORDS][torch.tensor(kept)].clone()
    longest = max(map(len, rows))
    places = max(longest, _LONGEST_CAPTION) if all_words else longest
    tensors[_POSITIONS] = tensors[_POSITIONS][:places].clone()
    matrices = [name for name, values in tensors.items() if values.ndim > 1]
    for name in matrices if in_bytes else [_WORDS] if all_words else []:
        tensors |= rows_as_bytes(name, tensors[name].float())
    pieces = json.dumps({piece_of[number]: row for row, number in enumerate(kept)})
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(tensors, {"pieces": pieces}))


def travelled_tensors(path: Path, device: torch.device) -> tuple[dict[str, Tensor], dict[str, int]]:
    """What `write_travelling_encoder` wrote: tensors in single precision, and numbers of pieces."""
    try:
        with safe_open(path, "pt", str(device)) as file:
            pieces: dict[str, int] = json.loads((file.metadata() or {})["pieces"])
            tensors = numbers_from_bytes({it: file.get_tensor(it) for it in file.keys()})  # noqa: SIM118
            return {name: values.float() for name, values in tensors.items()}, pieces
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise TrainingError(
            f"{path} is no travelling encoder: {error}.", "Write it again."
        ) from error


class KeptTexts:
    """Texts that were encoded on a device, in blocks as they came; with a folder, the next process
    on the same machine finds them there."""

    def __init__(self, folder: Path | None, device: torch.device) -> None:
        self._folder, self._device = folder, device
        self._blocks: list[JoinedTexts] = []
        self._row: dict[str, int] = {}  # of all blocks together
        for path in [] if folder is None else sorted(folder.glob("*.safetensors")):
            tensors = load_file(path)
            self._add(unpacked_texts(tensors), *(tensors[name] for name in _JOINED))

    def missing(self, texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text not in self._row]

    def keep(self, texts: Sequence[str], joined: JoinedTexts) -> None:
        """Texts that were missing."""
        tensors = {name: getattr(joined, name) for name in _JOINED}
        self._add(texts, *tensors.values())
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        here = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
        with atomic_path(self._folder / f"{text_sha256(*texts)[:16]}.safetensors") as temporary:
            temporary.write_bytes(save({**here, **packed_texts(texts)}))

    def joined(self, texts: Sequence[str]) -> JoinedTexts:
        """Known texts in this order. A block in its own order is not copied."""
        rows = np.fromiter((self._row[text] for text in texts), np.int64, len(texts))
        for block, first in zip(self._blocks, self._firsts(), strict=True):
            whole = np.arange(first, first + len(block.pooled))
            if np.array_equal(rows, whole):
                return block
        return self._gathered(rows)

    def _firsts(self) -> Int64[np.ndarray, " blocks"]:
        counts = [len(block.pooled) for block in self._blocks]
        return np.cumsum([0, *counts[:-1]])

    def _add(self, texts: Sequence[str], tokens: Tensor, starts: Tensor, pooled: Tensor) -> None:
        first = len(self._row)
        self._row |= {text: first + row for row, text in enumerate(texts)}
        assert len(self._row) == first + len(texts), "a text is kept once"
        on_device = (it.to(self._device) for it in (tokens, starts, pooled))
        self._blocks.append(JoinedTexts(*on_device))

    def _gathered(self, rows: Int64[np.ndarray, " texts"]) -> JoinedTexts:
        firsts = self._firsts()
        of_block = np.searchsorted(firsts, rows, side="right") - 1
        begins, lengths = np.zeros_like(rows), np.zeros_like(rows)
        for number, block in enumerate(self._blocks):
            mine = of_block == number
            own, starts = rows[mine] - firsts[number], block.starts.cpu().numpy()
            begins[mine], lengths[mine] = starts[own], starts[own + 1] - starts[own]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        shape = self._blocks[0].pooled
        tokens, pooled = (
            shape.new_empty(int(starts[-1]), shape.shape[1]),
            shape.new_empty(len(rows), shape.shape[1]),
        )
        for number, block in enumerate(self._blocks):
            mine = np.flatnonzero(of_block == number)
            target, source = (
                torch.from_numpy(_spans(it[mine], lengths[mine])).to(self._device)
                for it in (starts, begins)
            )
            tokens[target] = block.tokens[source]
            own = torch.from_numpy(rows[mine] - firsts[number]).to(self._device)
            pooled[torch.from_numpy(mine).to(self._device)] = block.pooled[own]
        return JoinedTexts(tokens, torch.from_numpy(starts).to(self._device), pooled)


def _spans(
    begins: Int64[np.ndarray, " texts"], lengths: Int64[np.ndarray, " texts"]
) -> Int64[np.ndarray, " tokens"]:
    """Where all tokens of texts lie that begin there."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(int(lengths.sum()))


class TravellingMiniLM:
    """Answers as MiniLM does, to the rounding of half precision or of bytes. Parts that read it say
    so, and that it stands for MiniLM, with which they may be used. With a folder for texts, those
    that another phase or another call on the same machine has encoded are not encoded again."""

    name = MiniLM.name
    stands_for = WEIGHTS_SHA256
    width = WIDTH

    def __init__(self, path: Path, device: torch.device, texts: Path | None = None) -> None:
        tensors, self._pieces = travelled_tensors(path, device)
        self.fingerprint = file_sha256(path)
        self._wordpiece, self._bert, self._device = WordPiece(self._pieces), Bert(tensors), device
        self._known: dict[str, EncodedText] = {}
        folder = None if texts is None else texts / self.fingerprint[:16]
        self._kept = KeptTexts(folder, device)

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def encode_joined(self, texts: Sequence[str]) -> JoinedTexts:
        """All texts, on the device; those that it knows are not read again."""
        missing = self._kept.missing(texts)
        if missing:
            self._kept.keep(missing, self.encode_anew(missing))
        return self._kept.joined(texts)

    @torch.no_grad()
    def encode_anew(self, texts: Sequence[str]) -> JoinedTexts:
        """All texts on the device, whether they are known or not."""
        numbers = self._numbers(texts)
        lengths = np.array([len(row) for row in numbers], np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        tokens = torch.empty(int(starts[-1]), self.width, dtype=torch.half, device=self._device)
        pooled = torch.empty(len(texts), self.width, dtype=torch.half, device=self._device)
        for group in batches_of_equal_length(lengths.tolist(), _MANY):
            rows = np.array(group)
            batch = torch.tensor([numbers[it] for it in group], device=self._device)
            states = self._bert(batch)
            places = starts[rows][:, None] + np.arange(batch.shape[1])
            tokens[torch.from_numpy(places).to(self._device)] = states.half()
            at = torch.from_numpy(rows).to(self._device)
            pooled[at] = normalize(states.mean(1), dim=-1).half()
        return JoinedTexts(tokens, torch.from_numpy(starts).to(self._device), pooled)

    def _numbers(self, texts: Sequence[str]) -> list[list[int]]:
        numbers = [self._wordpiece(text) for text in texts]
        unknown = self._pieces["[UNK]"]
        if len(self._pieces) == _ALL_PIECES:  # what MiniLM does not know either
            return numbers
        for text, row in zip(texts, numbers, strict=True):
            if unknown in row:
                raise TrainingError(
                    f"The encoder left out the words of: {text}.", "Write it again."
                )
        return numbers

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        numbers = self._numbers(new)
        for group in batches_of_equal_length([len(row) for row in numbers], _BATCH):
            states = self._bert(torch.tensor([numbers[it] for it in group], device=self._device))
            pooled = normalize(states.mean(1), dim=-1).half().cpu()
            for index, tokens, vector in zip(group, states.half().cpu(), pooled, strict=True):
                self._known[new[index]] = EncodedText(tokens, vector)
        return [self._known[text] for text in texts]


def write_travelling_cases(store: Store, split: str, folder: Path) -> None:
    """All kinds of one split: humans, shots, and what a footage does not hold."""
    rows = store.split(split)
    write_parcel(footage_of_rows(store, rows), folder)
    shots = store.shots
    facts = {
        "dataset": store.manifest.dataset,
        "data_sha256": store.manifest.content_sha256,
        "fps": store.manifest.fps,
        "rotations": store.manifest.rotations,
        "rows": rows.tolist(),
        "human_rows": np.unique(store.human_rows[rows]).tolist(),
        "splits": [shots.strings("splits", row) for row in rows.tolist()],
        "tags": [
            [[tag, stop - start] for tag, start, stop in runs(shots.items("tags", row))]
            for row in rows.tolist()
        ],
        "cluster": cluster_of(store, int(rows[0])),
        "groups": [group_of(store, row) for row in rows.tolist()],
        "reversed": [
            reversed_caption(
                shots.strings("captions", row), shots.strings("reversed_captions", row)
            )
            for row in rows.tolist()
        ],
    }
    text = json.dumps(facts, separators=(",", ":")).encode()
    with atomic_path(folder / CASES_FILE) as temporary:
        temporary.write_bytes(lzma.compress(text))


class TravelledCases:
    """A folder that `write_travelling_cases` wrote, read once and asked for many splits."""

    def __init__(self, folder: Path) -> None:
        try:
            text = lzma.decompress((folder / CASES_FILE).read_bytes())
            self._facts: dict[str, Any] = json.loads(text)
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise StoreError(
                f"{folder} holds no cases that travelled ({error}).", "Pack or send them again."
            ) from error
        self._folder = folder
        self._footage = read_parcel(folder, torch.device("cpu"))
        if self._footage.store_sha256 != self._facts["data_sha256"]:
            raise StoreError(
                f"The footage in {folder} is of another store than its cases.", "Pack both again."
            )
        # A window is filmed several times and decoded once: its motion and where it begins.
        self._people: dict[int, tuple[HumanMotion, Float64[Tensor, 3]]] = {}

    def cases(
        self, split: str, at_most: int | None = None, needs_human_words: bool = False
    ) -> Cases:
        """As `read_cases` chooses them from the store."""
        name, _, kind = split.partition("/")
        places = [
            place
            for place, known in enumerate(self._facts["splits"])
            if any(it == split or (not kind and it.startswith(f"{name}/")) for it in known)
        ]
        lengths = self._footage.cameras.lengths.numpy()[places]
        has_words = [bool(self._footage.camera_captions[place]) for place in places]
        chosen, reasons = chosen_places(lengths, has_words, at_most)
        names = self._footage.shot_names
        unasked = [LeftOut(names[places[it]], reason) for it, reason in reasons.items()]
        cases, unfit = fit_cases((self._case(places[it]) for it in chosen), needs_human_words)
        if not cases:
            raise StoreError(
                f"{self._folder} has no shot of {split} that can be asked for.",
                "Pack the split that is to be measured.",
            )
        return Cases(
            dataset=self._facts["dataset"],
            data_sha256=self._facts["data_sha256"],
            split=split,
            cases=tuple(cases),
            left_out=(*unasked, *unfit),
            note=_note(Rounding()),
            cluster=self._facts["cluster"],
        )

    def _case(self, place: int) -> Case:
        footage, facts = self._footage, self._facts
        human = int(footage.human_of_shot[place])
        motion, first_root = self._person(human)
        path = camera_from_features(footage.cameras.clip(place).double(), first_root)
        name = footage.human_names[human]
        of_clip, of_shot = (
            Provenance(f"{facts['dataset']}:{it}", facts["rotations"])
            for it in (name, footage.shot_names[place])
        )
        reference = Shot(
            clip=Clip(motion, facts["fps"], name, of_clip),
            camera=path.to(torch.float32),
            provenance=of_shot,
            camera_words=next(iter(footage.camera_captions[place]), ""),
            human_words=next(iter(footage.human_captions[human]), ""),
        )
        return Case(
            row=facts["rows"][place],
            human_row=facts["human_rows"][human],
            reference=reference,
            target_tags=_tags(facts["tags"][place]),
            reversed_words=facts["reversed"][place],
            group=facts["groups"][place],
        )

    def _person(self, human: int) -> tuple[HumanMotion, Float64[Tensor, "3"]]:
        if human not in self._people:
            motion = human_from_features(self._footage.humans.clip(human).double())
            single = motion.to(torch.float32)
            self._people[human] = single, motion.root[0].clone()
        return self._people[human]


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
