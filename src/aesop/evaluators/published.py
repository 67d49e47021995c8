"""The published CLaTr and TMR checkpoints, for people who have them, and DistilBERT, which TMR
reads. By what they standardise their input is read from where their releases keep it: YAML files of
numbers beside CLaTr, tensors in `mean.pt` and `std.pt` beside TMR."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.evaluators.checkpoint_tensors import read_checkpoint, state_dict_of
from aesop.evaluators.evaluator import (
    ET_STATISTICS,
    NINE,
    CentreStatistics,
    ContrastivePair,
    EncoderShape,
    Evaluator,
    Kind,
    ShotReader,
    et_nine_of_shot,
    humanml_of_shot,
)
from aesop.evaluators.evaluator_weights import (
    Evaluators,
    evaluators_folder,
    load_evaluators,
    load_judge,
    own_judge,
)
from aesop.files.humanml import WIDTH as HUMANML_WIDTH
from aesop.text.encoder import (
    EncodedText,
    TextEncoder,
    TextFeatures,
    batches_of_equal_length,
    pad_texts,
    refuse_unreadable,
)
from aesop.text.encoders import CachedEncoder, default_cache_folder, text_encoder

TENSORS = ("mean.pt", "std.pt")
# Where TMR's release keeps them, seen from the folder of the run or above it.
_TMR_STATS = ("", "stats", "stats/humanml3d/guoh3dfeats")
_LOOKED_ABOVE = 3
# E.T. and CLaTr say norm and shift, PulpMotion velocity and distance.
_NAMES = {
    "step_mean": ("norm_mean", "velocity_mean"),
    "step_spread": ("norm_std", "velocity_std"),
    "start_mean": ("shift_mean", "distance_mean"),
    "start_spread": ("shift_std", "distance_std"),
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FLOW = re.compile(r"^\s*([A-Za-z_]\w*)\s*:\s*\[([^\]]*)\]", re.MULTILINE)
_BLOCK = re.compile(
    rf"^[ \t]*([A-Za-z_]\w*)[ \t]*:[ \t]*\n((?:[ \t]*-[ \t]+{_NUMBER}[ \t]*(?:\n|\Z))+)",
    re.MULTILINE,
)


def number_lists(text: str) -> dict[str, list[float]]:
    """The lists of numbers of a YAML file by name, in either way of writing them. Nothing else of
    it is read: there are no tags, references or objects to resolve."""
    found = {name: _numbers(inner) for name, inner in _FLOW.findall(text)}
    found |= {
        name: _numbers(re.sub(r"^[ \t]*-", " ", inner, flags=re.MULTILINE))
        for name, inner in _BLOCK.findall(text)
    }
    return {name: numbers for name, numbers in found.items() if numbers}


def _numbers(text: str) -> list[float]:
    parts = [part for part in re.split(r"[,\s]+", text) if part]
    is_list = all(re.fullmatch(_NUMBER, part) for part in parts)
    return [float(part) for part in parts] if is_list else []


def clatr_statistics(checkpoint: Path, given: Path | None) -> CentreStatistics:
    """From the file or folder that was given; else from YAML files beside the checkpoint; else
    E.T.'s, which are named."""
    beside = checkpoint if checkpoint.is_dir() else checkpoint.parent
    files = _yaml_files(given or beside, is_deep=given is not None)
    lists = {name: it for file in files for name, it in _read(file).items()}
    found = {
        ours: next((lists[name] for name in names if name in lists), None)
        for ours, names in _NAMES.items()
    }
    if given is None and not any(found.values()):
        return ET_STATISTICS
    missing = [" or ".join(_NAMES[ours]) for ours, it in found.items() if it is None]
    wrong = [ours for ours, it in found.items() if it is not None and len(it) != 3]
    if missing or wrong:
        what = f"no {missing[0]}" if missing else f"a {wrong[0]} that is not three numbers"
        raise WeightsError(
            f"{given or beside} has {what}, which CLaTr's input is standardised by.",
            "Name the YAML file, or the folder of both, with --clatr-statistics.",
        )
    three = {ours: (it[0], it[1], it[2]) for ours, it in found.items() if it is not None}
    return CentreStatistics(**three, source=f"those of {_named(files)}")


def tmr_statistics(
    checkpoint: Path, given: Path | None, width: int
) -> tuple[Float[Tensor, " features"], Float[Tensor, " features"], str]:
    """Mean, spread and where they were found: in the folder that was given, or where TMR's release
    keeps them, beside the checkpoint or above it."""
    start = checkpoint if checkpoint.is_dir() else checkpoint.parent
    above = [start, *start.resolve().parents[:_LOOKED_ABOVE]]
    places = [given] if given else [place / inner for place in above for inner in _TMR_STATS]
    folder = next((it for it in places if all((it / name).is_file() for name in TENSORS)), None)
    if folder is None:
        raise WeightsError(
            f"{given or start} has no {' and '.join(TENSORS)}, which TMR's input is standardised "
            "by.",
            "Name their folder with --tmr-statistics.",
        )
    mean, spread = (_tensor(folder / name, width) for name in TENSORS)
    return mean, spread, f"those of {folder.name}/{TENSORS[0]} and {TENSORS[1]}"


def _tensor(path: Path, width: int) -> Float[Tensor, " features"]:
    tensor = read_checkpoint(path)
    if not isinstance(tensor, Tensor) or tensor.shape != (width,):
        raise WeightsError(f"{path} is no tensor of {width} numbers.", "Check the file.")
    return tensor.to(torch.float32)


def _yaml_files(place: Path, *, is_deep: bool) -> list[Path]:
    if place.is_file():
        return [place]
    if is_deep and not place.is_dir():
        raise WeightsError(f"There are no statistics at {place}.", "Check --clatr-statistics.")
    pattern = "**/*.yaml" if is_deep else "*.yaml"
    return sorted(place.glob(pattern))


def _read(path: Path) -> dict[str, list[float]]:
    try:
        return number_lists(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path} cannot be read ({error}).", "Check the file.") from error


def _named(files: Sequence[Path]) -> str:
    return ", ".join(file.name for file in files)


LARGEST_BATCH = 64
LATENT, LAYERS, HEADS, FEED_FORWARD = 256, 6, 4, 1024
SMALLEST_SPREAD = 1e-12  # as the published code adds before dividing


class DistilBert:
    """Last hidden states of all tokens, from a local folder; pooled is their mean."""

    name = "distilbert"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _network(self) -> tuple[Any, Any]:
        try:
            from transformers import AutoTokenizer, DistilBertModel
        except ImportError as error:
            raise WeightsError(
                "DistilBERT needs the library transformers, which is not installed.",
                "Install it: pip install 'aesop-motion[clip]'",
            ) from error
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
            model = DistilBertModel.from_pretrained(
                self.folder, dtype=torch.float32, local_files_only=True
            )
        except (OSError, ValueError) as error:
            raise WeightsError(
                f"No DistilBERT can be loaded from {self.folder}.",
                "Give the folder of distilbert-base-uncased.",
            ) from error
        return tokenizer, model.eval().requires_grad_(False)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(dict(self._network[1].named_parameters()))

    @property
    def width(self) -> int:
        return self._network[1].config.dim

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        refuse_unreadable(texts)
        tokenizer, model = self._network
        numbers = [tokenizer(text, truncation=True)["input_ids"] for text in texts]
        answers: dict[int, EncodedText] = {}
        for group in batches_of_equal_length([len(row) for row in numbers], LARGEST_BATCH):
            batch = torch.tensor([numbers[index] for index in group])
            states = model(input_ids=batch).last_hidden_state
            for index, tokens in zip(group, states, strict=True):
                answers[index] = EncodedText(tokens.clone(), tokens.mean(0))
        return [answers[index] for index in range(len(texts))]


@dataclass(frozen=True)
class _Layout:
    """Names and sizes of one published checkpoint."""

    kind: Kind
    moves: str  # its encoder of paths or motions
    features: int
    text_width: int


CLATR = _Layout("clatr", "traj_encoder", NINE, 512)
TMR = _Layout("tmr", "motion_encoder", HUMANML_WIDTH, 768)


def load_published_clatr(
    path: Path, encoder: TextEncoder, statistics: Path | None = None, device: str = "cpu"
) -> Evaluator:
    """CLaTr from its checkpoint or the folder of its parts; `encoder` is CLIP's text tower,
    `statistics` a YAML file or a folder of some, where they are not beside the checkpoint."""
    centres = clatr_statistics(path, statistics)
    read = partial(et_nine_of_shot, statistics=centres)
    # What its answers depend on: weights, and what standardises the centres on the way there.
    numbers = torch.tensor(
        [centres.start_mean, centres.start_spread, centres.step_mean, centres.step_spread]
    )
    note = f"published CLaTr, input standardised by {centres.source} statistics"
    loaded = _load(CLATR, path, encoder, {})
    return _evaluator(CLATR, loaded, read, encoder, device, note, {"centres": numbers})


def load_published_tmr(
    path: Path, encoder: TextEncoder, statistics: Path | None = None, device: str = "cpu"
) -> Evaluator:
    """TMR from its checkpoint or the folder of its parts; `encoder` is DistilBERT, `statistics` the
    folder of mean.pt and std.pt, where they are not where the release keeps them."""
    mean, spread, source = tmr_statistics(path, statistics, TMR.features)
    loaded = _load(TMR, path, encoder, {"mean": mean, "spread": spread + SMALLEST_SPREAD})
    note = f"published TMR, input standardised by {source}"
    return _evaluator(TMR, loaded, humanml_of_shot, encoder, device, note, {})


def refuse_published(own: Path, kind: Kind, words: object, statistics: Path | None) -> None:
    """Raise if something is named that only a published checkpoint reads."""
    reads, flag = ("CLIP", "--clip") if kind == "clatr" else ("DistilBERT", "--distilbert")
    if words is not None or statistics is not None:
        raise WeightsError(
            f"{own} is a judge of AESOP's own, which reads neither {reads} nor statistics.",
            f"Leave {flag} and --{kind}-statistics away.",
        )


@dataclass(frozen=True)
class EvaluatorChoice:
    """By whom is judged: evaluators of a folder (ours), or others in place of either: published
    checkpoints, or another judge of ours, as "clatr2" and "tmr_acts" or as a file. `encoder` is
    what ours read words with, `clip` a folder or hub name."""

    folder: Path | None = None
    encoder: str = "minilm"
    clatr: Path | None = None
    clip: str | None = None
    clatr_statistics: Path | None = None
    tmr: Path | None = None
    distilbert: Path | None = None
    tmr_statistics: Path | None = None

    def load(self, device: str = "cpu") -> Evaluators:
        """Both evaluators."""
        cameras, people = self._cameras(device), self._people(device)
        if cameras is None or people is None:
            encoder = text_encoder(self.encoder, default_cache_folder())
            own = load_evaluators(evaluators_folder(self.folder), encoder, device)
            cameras, people = cameras or own.cameras, people or own.people
        return Evaluators(cameras, people)

    def _cameras(self, device: str) -> Evaluator | None:
        if self.clatr is None:
            return None
        own = own_judge(self.clatr, "clatr")
        if own is not None:
            refuse_published(own, "clatr", self.clip, self.clatr_statistics)
            encoder = text_encoder(self.encoder, default_cache_folder())
            return load_judge(own, encoder, "clatr", device)
        name = "clip" if self.clip is None else f"clip:{self.clip}"
        encoder = text_encoder(name, default_cache_folder())
        return load_published_clatr(self.clatr, encoder, self.clatr_statistics, device)

    def _people(self, device: str) -> Evaluator | None:
        if self.tmr is None:
            return None
        own = own_judge(self.tmr, "tmr")
        if own is not None:
            refuse_published(own, "tmr", self.distilbert, self.tmr_statistics)
            encoder = text_encoder(self.encoder, default_cache_folder())
            return load_judge(own, encoder, "tmr", device)
        if self.distilbert is None:
            raise WeightsError(
                "The published TMR reads words with DistilBERT, of which no folder was named.",
                "Give the folder of distilbert-base-uncased with --distilbert.",
            )
        encoder = CachedEncoder(DistilBert(self.distilbert), default_cache_folder())
        return load_published_tmr(self.tmr, encoder, self.tmr_statistics, device)


def _load(
    layout: _Layout, path: Path, encoder: TextEncoder, statistics: Mapping[str, Tensor]
) -> ContrastivePair:
    if encoder.width != layout.text_width:
        raise WeightsError(
            f"The published {layout.kind} reads words of width {layout.text_width}, but "
            f"{encoder.name} gives {encoder.width}.",
            "Use CLIP ViT-B/32 for CLaTr and DistilBERT for TMR.",
        )
    pair = ContrastivePair(
        EncoderShape(layout.features, LATENT, LAYERS, HEADS, FEED_FORWARD),
        EncoderShape(layout.text_width, LATENT, LAYERS, HEADS, FEED_FORWARD),
    )
    tensors = {**pair.state_dict(), **_weights(layout, path), **statistics}
    try:
        pair.load_state_dict(tensors)
    except RuntimeError as error:
        first = str(error).strip().splitlines()[-1].strip()
        raise WeightsError(
            f"{path} is not laid out as the published {layout.kind}: {first}", "Check the file."
        ) from error
    return pair.eval().requires_grad_(False)


def _evaluator(
    layout: _Layout,
    pair: ContrastivePair,
    read: ShotReader,
    encoder: TextEncoder,
    device: str,
    note: str,
    besides: Mapping[str, Tensor],
) -> Evaluator:
    identity = fingerprint({**pair.state_dict(), **besides})
    return Evaluator(layout.kind, identity, pair.to(device), read, encoder, note)


def _weights(layout: _Layout, path: Path) -> dict[str, Tensor]:
    """Tensors under our names, whichever way they are stored."""
    parts = {"moves": layout.moves, "words": "text_encoder"}
    if path.is_dir():
        states = {name: _state(path / f"{part}.pt", "") for name, part in parts.items()}
    else:
        states = {name: _state(path, f"{part}.") for name, part in parts.items()}
    if not all(states.values()):
        raise WeightsError(f"{path} has no {' and '.join(parts.values())}.", "Check the file.")
    return {f"{part}.{name}": it for part, state in states.items() for name, it in state.items()}


def _state(path: Path, prefix: str) -> dict[str, Tensor]:
    renamed = {
        name.removeprefix(prefix).replace("seqTransEncoder.", "blocks."): it.float()
        for name, it in state_dict_of(path).items()
        if name.startswith(prefix)
    }
    # The position table is stored by some versions; it is computed here.
    return {name: it for name, it in renamed.items() if not name.startswith("sequence_pos")}
