"""Trained parts on disk: sizes by name, where parts lie, and one safetensors file with everything
needed to run a part."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, assert_never

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.core.whole_files import atomic_path
from aesop.features.columns import CAMERA, HUMAN
from aesop.models.codec import CameraCodec, CodecShape, HumanCodec
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.method_network import MethodNetwork, MethodShape
from aesop.models.phase_table import (
    METHOD_NAMES,
    METHOD_NEEDS,
    PHASES,
    MethodName,
    PartName,
    TrainingName,
    method_of,
    phase_of,
)
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.text.encoder import EncoderMark, TextEncoder, mark_of

SizeName = Literal["paper", "base", "tiny"]


@dataclass(frozen=True)
class ModelSizes:
    """Shapes of the parts that work together."""

    human_codec: CodecShape
    camera_codec: CodecShape
    human_flow: VelocityShape
    camera_flow: VelocityShape


def model_sizes(name: SizeName, text_width: int) -> ModelSizes:
    """All four shapes for an encoder of the given width."""
    match name:
        case "paper":
            # As the paper says; where it is silent, the smallest network that fits its words.
            return ModelSizes(
                human_codec=CodecShape(HUMAN.width, latent=128),
                camera_codec=CodecShape(CAMERA.width, latent=64, context=128),
                human_flow=VelocityShape(latent=128, text=text_width),
                camera_flow=VelocityShape(latent=64, text=text_width, human=128),
            )
        case "base":
            # What we ship: deeper codecs, flows of together about 30 million parameters; cameras
            # read where the person stands.
            flow = VelocityShape(
                latent=128, text=text_width, width=320, depth=8, heads=5, modulation="shared"
            )
            deep = CodecShape(HUMAN.width, latent=128, res_blocks=3, down_kernel=8)
            return ModelSizes(
                human_codec=deep,
                camera_codec=replace(
                    deep, features=CAMERA.width, latent=64, context=128, res_blocks=4
                ),
                human_flow=flow,
                # Windows are many, and each is filmed by many cameras: nothing is learnt by heart.
                camera_flow=replace(flow, latent=64, human=128, dropout=0.0, reads_stand=True),
            )
        case "tiny":
            # For tests and a laptop's minute. A flow narrower than its latents could not learn.
            flow = VelocityShape(latent=24, text=text_width, width=64, depth=2, heads=2)
            return ModelSizes(
                human_codec=CodecShape(HUMAN.width, latent=24, width=64, res_blocks=1),
                camera_codec=CodecShape(
                    CAMERA.width, latent=12, width=64, context=24, res_blocks=1
                ),
                human_flow=flow,
                camera_flow=replace(flow, latent=12, human=24, reads_stand=True),
            )
        case _:
            assert_never(name)


FORMAT = "aesop-part"
VERSION = 1
WEIGHTS_FILE = "weights.safetensors"  # of a phase, in the folder of its name
FETCH_AGAIN = "Fetch or train the part again."

Storage = Literal["float32", "float16", "int8"]
Yaw = Literal["canonical", "kept"]
Network = TypeVar("Network", HumanCodec, CameraCodec, FlowTransformer, FittedSteps, MethodNetwork)

_TYPES: dict[Storage, torch.dtype] = {
    "float32": torch.float32,
    "float16": torch.float16,
    "int8": torch.float16,  # of what is no matrix
}
_ROW_SCALE = ".row_scale"  # beside a matrix of whole numbers from -127 to 127
# Which parts each part was trained with: it refuses any others.
PARTNERS: dict[PartName, tuple[PartName, ...]] = {
    "human-codec": (),
    "camera-codec": ("human-codec",),
    "human-flow": ("human-codec",),
    "camera-flow": ("human-codec", "camera-codec"),
    "human-steps": ("human-flow",),
    "camera-steps": ("camera-flow",),
}
# A folder of weights may do without the others.
NEEDED_PARTS: tuple[PartName, ...] = ("human-codec", "camera-codec", "human-flow", "camera-flow")
_CLASSES: dict[str, type[nn.Module]] = {
    "human-codec": HumanCodec,
    "camera-codec": CameraCodec,
    "human-flow": FlowTransformer,
    "camera-flow": FlowTransformer,
    "human-steps": FittedSteps,
    "camera-steps": FittedSteps,
}


AnyShape = CodecShape | VelocityShape | StepsShape | MethodShape


@dataclass(frozen=True)
class PartCard:
    """What a part says about itself. `notes` is for people and records: run, data, commit."""

    part: PartName | MethodName
    shape: AnyShape
    partners: Mapping[str, str]  # part name to identity
    encoder: EncoderMark | None
    notes: Mapping[str, str]
    identity: str = ""
    content: str = ""
    # How people stood at the start of the clips it learnt from: all facing one way, or each as it
    # came. Not written where it is the former: older cards have no such field.
    yaw: Yaw = "canonical"


@dataclass(frozen=True, eq=False)
class Part(Generic[Network]):
    """A network and its card."""

    network: Network
    card: PartCard


AnyPart = (
    Part[HumanCodec]
    | Part[CameraCodec]
    | Part[FlowTransformer]
    | Part[FittedSteps]
    | Part[MethodNetwork]
)


def new_part(
    name: PartName | MethodName,
    network: Network,
    partners: tuple[AnyPart, ...] = (),
    encoder: TextEncoder | None = None,
    notes: Mapping[str, str] | None = None,
    *,
    yaw: Yaw = "canonical",
) -> Part[Network]:
    """Give a freshly trained network its card. Its identity covers weights, shape and partners."""
    assert tuple(partner.card.part for partner in partners) == partners_of(name)
    if isinstance(network, MethodNetwork):
        assert network.shape.method == name
        assert (encoder is not None) == network.reads_words
    else:
        assert name in _CLASSES and type(network) is _CLASSES[name]
        assert (encoder is not None) == isinstance(network, FlowTransformer)
    mark = None if encoder is None else mark_of(encoder)
    known = {partner.card.part: partner.card.identity for partner in partners}
    card = PartCard(name, network.shape, known, mark, notes or {}, yaw=yaw)
    return Part(network, replace(card, identity=_hash(_facts(card), network.state_dict())))


def partners_of(name: PartName | MethodName) -> tuple[PartName | MethodName, ...]:
    """The parts that a part was trained with."""
    method = method_of(name)
    if method is not None:
        return METHOD_NEEDS[method]
    return next(partners for part, partners in PARTNERS.items() if part == name)


def save_part(part: Part[Network], path: Path, storage: Storage = "float32") -> None:
    """Write a part. Only parameters are stored in less than they were trained in, never statistics:
    in half precision, or matrices as bytes with a scale for every row."""
    small = {name for name, _ in part.network.named_parameters()}
    kind = _TYPES[storage]
    tensors = {
        name: (values.to(kind) if name in small else values).detach().cpu().contiguous().clone()
        for name, values in part.network.state_dict().items()
    }
    if storage == "int8":
        whole = {name: it for name, it in part.network.named_parameters() if it.ndim > 1}
        for name, values in whole.items():
            tensors |= rows_as_bytes(name, values.detach().cpu().float())
    assert all(bool(values.isfinite().all()) for values in tensors.values())
    card = replace(part.card, content=_hash(_facts(part.card), tensors))
    # One entry only: safetensors writes several in random order, and equal parts are equal files.
    content = save(tensors, {FORMAT: json.dumps({"version": VERSION, **_facts(card)})})
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def rows_as_bytes(name: str, values: Tensor) -> dict[str, Tensor]:
    """A matrix in whole steps of a 127th of the largest number of its row."""
    rows = values.flatten(1)
    scale = rows.abs().amax(1).clamp_min(torch.finfo(torch.float32).tiny) / 127
    whole = (rows / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
    return {name: whole.reshape(values.shape), name + _ROW_SCALE: scale}


def numbers_from_bytes(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a file with all matrices as numbers again."""
    plain = {name: it for name, it in tensors.items() if not name.endswith(_ROW_SCALE)}
    for name, scale in tensors.items():
        if name.endswith(_ROW_SCALE):
            whole = plain[name.removesuffix(_ROW_SCALE)]
            rows = whole.flatten(1).float() * scale[:, None]
            plain[name.removesuffix(_ROW_SCALE)] = rows.reshape(whole.shape)
    return plain


def load_human_codec(path: Path, device: torch.device | str = "cpu") -> Part[HumanCodec]:
    card, tensors = _read(path, "human-codec")
    assert isinstance(card.shape, CodecShape)
    return Part(_filled(HumanCodec(card.shape), tensors, path).to(device), card)


def load_camera_codec(
    path: Path, human_codec: Part[HumanCodec], device: torch.device | str = "cpu"
) -> Part[CameraCodec]:
    card, tensors = _read(path, "camera-codec")
    require_partners(path, card, human_codec.card)
    assert isinstance(card.shape, CodecShape)
    return Part(_filled(CameraCodec(card.shape), tensors, path).to(device), card)


def load_human_flow(
    path: Path,
    human_codec: Part[HumanCodec],
    encoder: TextEncoder,
    device: torch.device | str = "cpu",
) -> Part[FlowTransformer]:
    return _load_flow(path, "human-flow", (human_codec.card,), encoder, device)


def load_camera_flow(
    path: Path,
    codecs: tuple[Part[HumanCodec], Part[CameraCodec]],
    encoder: TextEncoder,
    device: torch.device | str = "cpu",
) -> Part[FlowTransformer]:
    return _load_flow(path, "camera-flow", (codecs[0].card, codecs[1].card), encoder, device)


def load_steps(path: Path, flow: PartCard, device: torch.device | str = "cpu") -> Part[FittedSteps]:
    """The few steps that were fitted to a flow; those of another flow are refused."""
    card, tensors = _read(path, "human-steps" if flow.part == "human-flow" else "camera-steps")
    require_partners(path, card, flow)
    assert isinstance(card.shape, StepsShape)
    return Part(_filled(FittedSteps(card.shape), tensors, path).to(device), card)


def load_method(
    path: Path,
    build: Callable[[MethodShape], MethodNetwork],
    encoder: TextEncoder | None,
    partners: tuple[Part[MethodNetwork], ...] = (),
    device: torch.device | str = "cpu",
) -> Part[MethodNetwork]:
    """A baseline's network, made by `build` and filled. Which one it is, its card says."""
    card, tensors = _read(path, None)
    assert isinstance(card.shape, MethodShape)
    require_partners(path, card, *(partner.card for partner in partners))
    network = build(card.shape)
    if network.reads_words:
        assert encoder is not None
        require_encoder(path, card, encoder)
    return Part(_filled(network, tensors, path).to(device), card)


def read_card(path: Path) -> PartCard:
    """What a file says about itself, without building the network; its content is checked."""
    return _read(path, None)[0]


def told_card(path: Path) -> PartCard:
    """What a flow's file says about itself, without reading its tensors: enough to see which parts
    belong together, and no proof that the file is whole."""
    try:
        with safe_open(path, framework="pt") as file:
            card: dict[str, Any] = json.loads((file.metadata() or {})[FORMAT])
        del card["version"]
        return PartCard(**{**card, "shape": VelocityShape(**card["shape"]), "encoder": None})
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} carries no card this AESOP can read.", FETCH_AGAIN) from error


def require_partners(path: Path, card: PartCard, *partners: PartCard) -> None:
    """Refuse parts that were not trained together."""
    for partner in partners:
        if card.partners.get(partner.part) != partner.identity:
            raise WeightsError(
                f"{path} was trained with another {partner.part} "
                f"({card.partners.get(partner.part, 'none')[:12]}, not {partner.identity[:12]}).",
                "Use parts of one training.",
            )


def require_encoder(path: Path, card: PartCard, encoder: TextEncoder) -> None:
    """Refuse words encoded in a way that the flow has never seen."""
    wanted, given = card.encoder, mark_of(encoder)
    if wanted is None or not wanted.answers_like(given):
        name = "none" if wanted is None else f"{wanted.name} ({wanted.fingerprint[:12]})"
        raise WeightsError(
            f"{path} reads the text encoder {name}, not {given.name} ({given.fingerprint[:12]}).",
            "Choose the encoder it was trained with.",
        )


def _load_flow(
    path: Path,
    name: PartName,
    partners: tuple[PartCard, ...],
    encoder: TextEncoder,
    device: torch.device | str,
) -> Part[FlowTransformer]:
    card, tensors = _read(path, name)
    require_partners(path, card, *partners)
    require_encoder(path, card, encoder)
    assert isinstance(card.shape, VelocityShape)
    return Part(_filled(FlowTransformer(card.shape), tensors, path).to(device), card)


def _facts(card: PartCard) -> dict[str, Any]:
    """A card as it is written and hashed."""
    facts = asdict(card)
    if card.encoder is not None and card.encoder.stands_for is None:
        del facts["encoder"]["stands_for"]
    if card.yaw == "canonical":
        del facts["yaw"]
    return facts


def _hash(card: Mapping[str, object], tensors: Mapping[str, Tensor]) -> str:
    """Over tensors and everything a card says except the hash itself."""
    text = json.dumps({**card, "content": ""}, sort_keys=True)
    words = torch.frombuffer(bytearray(text, "utf-8"), dtype=torch.uint8)
    return fingerprint({**tensors, "card": words})


def _read(path: Path, name: PartName | None) -> tuple[PartCard, dict[str, Tensor]]:
    if not path.is_file():
        raise WeightsError(f"There are no weights at {path}.", "Check the path.")
    try:
        with safe_open(path, framework="pt") as file:
            facts = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{path} is damaged or no weights ({error}).", FETCH_AGAIN) from error
    if FORMAT not in facts:
        raise WeightsError(f"{path} holds tensors, but no part of AESOP.", "Check the path.")
    card = _card(path, facts[FORMAT], tensors)
    if name is not None and card.part != name:
        raise WeightsError(f"{path} holds the part {card.part}, not {name}.", "Check the path.")
    return card, numbers_from_bytes(tensors)


def _card(path: Path, text: str, tensors: Mapping[str, Tensor]) -> PartCard:
    try:
        card = json.loads(text)
        version = card.pop("version")
        if version != VERSION:
            raise WeightsError(
                f"{path} has version {version} of the format, not {VERSION}.",
                "Use the AESOP that wrote it, or fetch weights for this one.",
            )
        if card["content"] != _hash(card, tensors):
            raise WeightsError(f"{path} is not as it was written.", FETCH_AGAIN)
        kind = _shape_kind(card["part"])
        encoder = None if card["encoder"] is None else EncoderMark(**card["encoder"])
        shape = dict(card["shape"])
        if shape.get("turns_places") is False:  # of an ablation that is gone
            del shape["turns_places"]
        return PartCard(**{**card, "shape": kind(**shape), "encoder": encoder})
    except (ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} carries no card this AESOP can read.", FETCH_AGAIN) from error


def _shape_kind(part: str) -> type[AnyShape]:
    if part in METHOD_NAMES:
        return MethodShape
    kinds = {FlowTransformer: VelocityShape, FittedSteps: StepsShape}
    return kinds.get(_CLASSES[part], CodecShape)


def _filled(network: Network, tensors: dict[str, Tensor], path: Path) -> Network:
    """The network with these tensors, in its own precision and ready to use."""
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise WeightsError(f"{path} does not fit its own shape.", FETCH_AGAIN) from error
    return network.eval().requires_grad_(False)


def shipped_folder(kind: Literal["base", "evaluators", "people", "reader"]) -> Path:
    """Where the package keeps the weights that ship; they are package data like any other."""
    return Path(str(files("aesop").joinpath("weights", kind)))


def flat_name(part: PartName) -> str:
    """The name of a part's file in a shipped folder."""
    return f"{part.replace('-', '_')}.safetensors"


def phase_folder(run: Path, phase: TrainingName) -> Path:
    """The folder of a phase in a training run; one of an earlier version keeps its name."""
    known = phase_of(phase)
    folder, former = run / phase, run / ((known and known.former_name) or phase)
    return former if former.exists() and not folder.exists() else folder


def run_file(run: Path, part: PartName) -> Path | None:
    """The file of a part in the folder of a training run, of its last phase that is there; or
    None."""
    phases = (phase for phase in reversed(PHASES.values()) if phase.trains == part)
    paths = (phase_folder(run, phase.name) / WEIGHTS_FILE for phase in phases)
    return next((path for path in paths if path.is_file()), None)


def part_file(folder: Path, part: PartName) -> Path | None:
    """The file of a part in a folder of either layout, or None."""
    flat = folder / flat_name(part)
    return flat if flat.is_file() else run_file(folder, part)
