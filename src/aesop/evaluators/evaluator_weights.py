"""Our own evaluators on disk: one safetensors file each, in half precision or matrices in bytes,
refused if damaged."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.core.whole_files import atomic_path
from aesop.evaluators.evaluator import (
    FRAMED,
    NINE,
    ContrastivePair,
    EncoderShape,
    Evaluator,
    Kind,
    ShotReader,
    framed_of_shot,
    nine_of_shot,
    person_of_shot,
)
from aesop.features.columns import HUMAN
from aesop.models.weights import numbers_from_bytes, rows_as_bytes, shipped_folder
from aesop.text.encoder import EncoderMark, TextEncoder, mark_of

KINDS: tuple[Kind, ...] = ("clatr", "tmr")
FOLDER = "evaluators"  # of a training run
FORMAT = "aesop-evaluator"
VERSION = 1
_AGAIN = "Fetch or train the evaluator again."
# By kind and number of inputs: cameras alone, or cameras and how they frame the person.
READERS: dict[tuple[Kind, int], ShotReader] = {
    ("clatr", NINE): nine_of_shot,
    ("clatr", FRAMED): framed_of_shot,
    ("tmr", HUMAN.width): person_of_shot,
}
_JUDGED: dict[Kind, str] = {"clatr": "cameras", "tmr": "people"}


@dataclass(frozen=True)
class EvaluatorCard:
    """What an evaluator says about itself."""

    kind: Kind
    moves: EncoderShape
    words: EncoderShape
    encoder_name: str
    encoder_fingerprint: str
    notes: Mapping[str, str]
    identity: str = ""
    encoder_stands_for: str | None = None

    @property
    def encoder(self) -> EncoderMark:
        return EncoderMark(self.encoder_name, self.encoder_fingerprint, self.encoder_stands_for)

    @property
    def facts(self) -> dict[str, Any]:
        """As it is written and hashed."""
        facts = asdict(self)
        if self.encoder_stands_for is None:
            del facts["encoder_stands_for"]
        return facts


def save_evaluator(
    pair: ContrastivePair, kind: Kind, encoder: TextEncoder, path: Path, notes: Mapping[str, str]
) -> EvaluatorCard:
    """Write an evaluator; weights in half precision, statistics as they are."""
    small = {name for name, _ in pair.named_parameters()}
    tensors = {
        name: (it.half() if name in small else it.float()).detach().cpu().contiguous().clone()
        for name, it in pair.state_dict().items()
    }
    assert all(bool(tensor.isfinite().all()) for tensor in tensors.values())
    mark = mark_of(encoder)
    card = EvaluatorCard(
        kind=kind,
        moves=pair.moves.shape,
        words=pair.words.shape,
        encoder_name=mark.name,
        encoder_fingerprint=mark.fingerprint,
        notes=dict(notes),
        encoder_stands_for=mark.stands_for,
    )
    return _write(card, tensors, path)


def save_in_bytes(source: Path, path: Path) -> EvaluatorCard:
    """Write an evaluator again with matrices in bytes, half as large. Its answers differ a little,
    so its identity does."""
    card, stored = _read(source)
    tensors = numbers_from_bytes(stored)
    for name in [name for name, values in tensors.items() if values.ndim > 1]:
        tensors |= rows_as_bytes(name, tensors[name].float())
    return _write(replace(card, notes={**card.notes, "stored": "bytes"}), tensors, path)


def _write(card: EvaluatorCard, tensors: Mapping[str, torch.Tensor], path: Path) -> EvaluatorCard:
    card = replace(card, identity=_identity(card, tensors))
    # One entry only: safetensors writes several in random order, and equal parts are equal files.
    content = save(dict(tensors), {FORMAT: json.dumps({"version": VERSION, **card.facts})})
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    return card


def load_evaluator(
    path: Path, encoder: TextEncoder, device: torch.device | str = "cpu"
) -> Evaluator:
    """Read an evaluator and refuse another text encoder than it was trained with."""
    card, tensors = _read(path)
    if not card.encoder.answers_like(mark_of(encoder)):
        raise WeightsError(
            f"{path} reads the text encoder {card.encoder_name} "
            f"({card.encoder_fingerprint[:12]}), not {encoder.name} ({encoder.fingerprint[:12]}).",
            "Choose the encoder it was trained with.",
        )
    pair = ContrastivePair(card.moves, card.words)
    try:
        numbers = numbers_from_bytes(tensors)
        pair.load_state_dict({name: it.float() for name, it in numbers.items()})
    except RuntimeError as error:
        raise WeightsError(f"{path} does not fit its own shape.", _AGAIN) from error
    read = READERS.get((card.kind, card.moves.features))
    if read is None:
        raise WeightsError(
            f"{path} reads {card.moves.features} numbers a frame, which this AESOP cannot give.",
            "Use the AESOP that wrote it.",
        )
    pair = pair.eval().requires_grad_(False).to(device)
    return Evaluator(card.kind, card.identity, pair, read, encoder)


def reads_words_like(path: Path, encoder: TextEncoder) -> bool:
    """Whether an evaluator was trained with this text encoder."""
    return _read(path)[0].encoder.answers_like(mark_of(encoder))


def _identity(card: EvaluatorCard, tensors: Mapping[str, torch.Tensor]) -> str:
    text = json.dumps({**card.facts, "identity": ""}, sort_keys=True)
    words = torch.frombuffer(bytearray(text, "utf-8"), dtype=torch.uint8)
    return fingerprint({**tensors, "card": words})


def _read(path: Path) -> tuple[EvaluatorCard, dict[str, torch.Tensor]]:
    if not path.is_file():
        raise WeightsError(
            f"There is no evaluator at {path}.", "Check the path, or train one: aesop train clatr."
        )
    try:
        with safe_open(path, framework="pt") as file:
            facts = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{path} is damaged or no evaluator ({error}).", _AGAIN) from error
    if FORMAT not in facts:
        raise WeightsError(f"{path} holds tensors, but no evaluator of AESOP.", "Check the path.")
    try:
        fields = json.loads(facts[FORMAT])
        version = fields.pop("version")
        shapes = {name: EncoderShape(**fields[name]) for name in ("moves", "words")}
        card = EvaluatorCard(**{**fields, **shapes})
    except (ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} carries no card this AESOP can read.", _AGAIN) from error
    if version != VERSION or card.identity != _identity(card, tensors):
        raise WeightsError(f"{path} is not as it was written.", _AGAIN)
    return card, tensors


@dataclass(frozen=True, eq=False)
class Evaluators:
    """The two judges that belong together."""

    cameras: Evaluator
    people: Evaluator


def evaluator_file(folder: Path, kind: Kind) -> Path:
    """The file of an evaluator in a folder."""
    return folder / f"{kind}.safetensors"


def evaluators_folder(chosen: Path | None = None) -> Path:
    """The folder a user named, or the one in the package."""
    if chosen is not None:
        return chosen
    folder = shipped_folder("evaluators")
    missing = [path.name for kind in KINDS if not (path := evaluator_file(folder, kind)).is_file()]
    if missing:
        raise WeightsError(
            f"This AESOP came without its evaluators: {folder} has no {', '.join(missing)}.",
            "Install it again, or name a folder with --evaluators.",
        )
    return folder


def own_judge(chosen: Path, kind: Kind) -> Path | None:
    """The file of a judge of ours that was named, as a file or as one that came with AESOP
    ("clatr2", "tmr_acts"); None if it is another's. Who chooses takes has no such name: whoever is
    chosen by a judge is not measured by it."""
    if chosen.name == str(chosen) and not chosen.suffix and not chosen.exists():
        came = shipped_folder("evaluators").glob(f"{kind}*.safetensors")
        here = {path.stem: path for path in sorted(came)}
        if chosen.name in here:
            return here[chosen.name]
        raise WeightsError(
            f"There is no judge of {_JUDGED[kind]} called {chosen}.",
            f"Give a file, or one that came with AESOP: {', '.join(here)}.",
        )
    return chosen if chosen.suffix == ".safetensors" and _is_ours(chosen) else None


def _is_ours(path: Path) -> bool:
    try:
        with safe_open(path, framework="pt") as file:
            return FORMAT in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False  # whoever reads it as something else says what is wrong


def load_judge(path: Path, encoder: TextEncoder, kind: Kind, device: str = "cpu") -> Evaluator:
    """One evaluator, of cameras or of people."""
    judge = load_evaluator(path, encoder, device)
    if judge.kind != kind:
        raise WeightsError(
            f"{path} judges {_JUDGED[judge.kind]}, not {_JUDGED[kind]}.",
            f"Name a judge of {_JUDGED[kind]}.",
        )
    return judge


def load_evaluators(folder: Path, encoder: TextEncoder, device: str = "cpu") -> Evaluators:
    """Both evaluators of a folder."""
    cameras, people = (
        load_evaluator(evaluator_file(folder, kind), encoder, device) for kind in KINDS
    )
    if (cameras.kind, people.kind) != KINDS:
        raise WeightsError(
            f"The evaluators in {folder} carry each other's names.", "Exchange the two files."
        )
    return Evaluators(cameras, people)
