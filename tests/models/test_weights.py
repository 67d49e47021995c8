"""Weights on disk: what is written comes back, what does not belong together is refused."""

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from aesop.core.errors import AesopError, FileError, WeightsError
from aesop.models.codec import CameraCodec, CodecShape, HumanCodec, LatentMoments, token_mask
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import (
    Part,
    Storage,
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    load_human_flow,
    new_part,
    read_card,
    save_part,
)
from aesop.text.encoder import EncodedText, TextFeatures
from tests.models.makers import (
    CAMERA_FLOW,
    HUMAN_CODEC,
    HUMAN_FLOW,
    HUMAN_LATENT,
    camera_codec,
    flow,
    human_codec,
    mask_of,
)


@dataclass(frozen=True)
class Encoder:
    """A name and a fingerprint are all that weights ask of an encoder."""

    name: str = "letters"
    fingerprint: str = "ab" * 32
    width: int = 7

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        raise NotImplementedError

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Parts:
    human_codec: Part[HumanCodec]
    camera_codec: Part[CameraCodec]
    human_flow: Part[FlowTransformer]
    camera_flow: Part[FlowTransformer]


def trained(dice: torch.Generator) -> Parts:
    """Four parts that stand for one training, statistics and whitening included."""
    humans = human_codec(dice)
    humans.mean.copy_(torch.randn(199, generator=dice))
    mask = mask_of([23, 17])
    moments = LatentMoments(HUMAN_LATENT)
    with torch.no_grad():
        moments.add(humans.encode(torch.randn(2, 23, 199, generator=dice), mask), token_mask(mask))
    humans.whitening.fit(moments)
    human = new_part("human-codec", humans, notes={"run": "tiny"})
    camera = new_part("camera-codec", camera_codec(dice), (human,))
    return Parts(
        human,
        camera,
        new_part("human-flow", flow(dice, HUMAN_FLOW), (human,), Encoder()),
        new_part("camera-flow", flow(dice, CAMERA_FLOW), (human, camera), Encoder()),
    )


@pytest.fixture
def parts(dice: torch.Generator) -> Parts:
    return trained(dice)


def write_all(parts: Parts, folder: Path, storage: Storage = "float32") -> None:
    for name in ("human_codec", "camera_codec", "human_flow", "camera_flow"):
        save_part(getattr(parts, name), folder / f"{name}.safetensors", storage)


def read_all(folder: Path) -> Parts:
    human = load_human_codec(folder / "human_codec.safetensors")
    camera = load_camera_codec(folder / "camera_codec.safetensors", human)
    return Parts(
        human,
        camera,
        load_human_flow(folder / "human_flow.safetensors", human, Encoder()),
        load_camera_flow(folder / "camera_flow.safetensors", (human, camera), Encoder()),
    )


def pairs_of(first: Parts, second: Parts) -> list[tuple[nn.Module, nn.Module]]:
    return [
        (getattr(first, name).network, getattr(second, name).network)
        for name in ("human_codec", "camera_codec", "human_flow", "camera_flow")
    ]


def test_round_trip(parts: Parts, tmp_path: Path):
    write_all(parts, tmp_path)
    back = read_all(tmp_path)
    for before, after in pairs_of(parts, back):
        state = after.state_dict()
        assert before.state_dict().keys() == state.keys()
        for name, values in before.state_dict().items():
            assert values.dtype == state[name].dtype and torch.equal(values, state[name]), name
        assert not after.training and not any(p.requires_grad for p in after.parameters())
    assert back.camera_flow.card.shape == CAMERA_FLOW
    assert back.camera_flow.card.identity == parts.camera_flow.card.identity
    assert back.human_codec.card.notes == {"run": "tiny"}
    assert read_card(tmp_path / "human_flow.safetensors").encoder == back.human_flow.card.encoder


def test_bytes_are_the_same_part_within_half_a_step_of_their_rows(parts: Parts, tmp_path: Path):
    """A quarter of the bytes of matrices, the same identity; all else as in half precision."""
    write_all(parts, tmp_path, "int8")
    back = read_all(tmp_path)
    for before, after in pairs_of(parts, back):
        known = dict(before.named_parameters())
        for name, values in after.state_dict().items():
            was = before.state_dict()[name]
            if name in known and values.ndim > 1:
                step = was.flatten(1).abs().amax(1) / 127
                assert bool(((values - was).flatten(1).abs() <= 0.501 * step[:, None]).all()), name
            elif name not in known:
                assert torch.equal(values, was), name
    assert back.camera_flow.card.identity == parts.camera_flow.card.identity


@pytest.mark.parametrize(("storage", "error"), [("float16", 2**-11)])
def test_half_precision_is_the_same_part(
    parts: Parts, tmp_path: Path, storage: Storage, error: float
):
    """Half the bytes, the same identity; statistics and whitening keep every bit."""
    write_all(parts, tmp_path, storage)
    back = read_all(tmp_path)
    assert back.camera_flow.card.identity == parts.camera_flow.card.identity
    for before, after in pairs_of(parts, back):
        for name, values in before.named_parameters():
            found = after.get_parameter(name)
            assert found.dtype == torch.float32
            # Below 6e-8 half precision has no digits left.
            torch.testing.assert_close(found, values, rtol=error, atol=1e-7)
        for name, values in before.named_buffers():
            assert torch.equal(values, after.get_buffer(name)), name
    whole, half = tmp_path / "whole.safetensors", tmp_path / "camera_flow.safetensors"
    save_part(parts.camera_flow, whole)
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    # A copy of the copy changes nothing more.
    save_part(back.camera_flow, whole, storage)
    assert whole.read_bytes() == half.read_bytes()


def test_identity_follows_weights_shape_and_partners(dice: torch.Generator, parts: Parts):
    network = parts.camera_flow.network
    codecs = (parts.human_codec, parts.camera_codec)
    same = new_part("camera-flow", network, codecs, Encoder())
    assert same.card.identity == parts.camera_flow.card.identity
    other = trained(dice)
    codecs = (other.human_codec, other.camera_codec)
    assert new_part("camera-flow", network, codecs, Encoder()).card.identity != same.card.identity
    with torch.no_grad():
        network.head.bias[0] += 1e-6
    codecs = (parts.human_codec, parts.camera_codec)
    assert new_part("camera-flow", network, codecs, Encoder()).card.identity != same.card.identity


def test_strangers_are_refused(dice: torch.Generator, parts: Parts, tmp_path: Path):
    write_all(parts, tmp_path)
    other = trained(dice)
    human, camera = parts.human_codec, parts.camera_codec
    with pytest.raises(WeightsError, match="trained with another human-codec"):
        load_camera_codec(tmp_path / "camera_codec.safetensors", other.human_codec)
    with pytest.raises(WeightsError, match="trained with another human-codec"):
        load_human_flow(tmp_path / "human_flow.safetensors", other.human_codec, Encoder())
    with pytest.raises(WeightsError, match="trained with another camera-codec"):
        load_camera_flow(
            tmp_path / "camera_flow.safetensors", (human, other.camera_codec), Encoder()
        )
    for encoder in (Encoder(name="words"), Encoder(fingerprint="cd" * 32)):
        with pytest.raises(WeightsError, match="reads the text encoder letters"):
            load_camera_flow(tmp_path / "camera_flow.safetensors", (human, camera), encoder)
    with pytest.raises(WeightsError, match="holds the part camera-flow, not human-flow"):
        load_human_flow(tmp_path / "camera_flow.safetensors", human, Encoder())


def edit_card(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Change what a file says about itself, tensors untouched."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    card = json.loads(header["__metadata__"]["aesop-part"])
    change(card)
    header["__metadata__"]["aesop-part"] = json.dumps(card)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + length :])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)


TAMPERINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "flipped bit": (flip_a_bit, "not as it was written"),
    "other identity": (
        lambda path: edit_card(path, lambda card: card.update(identity="0" * 64)),
        "not as it was written",
    ),
    "other shape": (
        lambda path: edit_card(path, lambda card: card.update(shape={"width": 10**9})),
        "not as it was written",
    ),
    "no hash": (lambda path: edit_card(path, lambda card: card.pop("content")), "no card"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "damaged"),
    "empty": (lambda path: path.write_bytes(b""), "damaged"),
    "garbage": (lambda path: path.write_bytes(bytes(range(256))), "damaged"),
    "foreign": (lambda path: save_file({"a": torch.ones(3)}, path), "no part of AESOP"),
    "missing": (lambda path: path.unlink(), "no weights at"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "no weights at"),
    "newer": (
        lambda path: edit_card(path, lambda card: card.update(version=9)),
        "version 9 of the format",
    ),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampered_files_are_refused(kind: str, parts: Parts, tmp_path: Path):
    path = tmp_path / "human.safetensors"
    save_part(parts.human_codec, path)
    tamper, words = TAMPERINGS[kind]
    tamper(path)
    with pytest.raises(WeightsError, match=words) as caught:
        load_human_codec(path)
    assert str(path) in caught.value.fact and caught.value.remedy


def test_a_card_of_another_release_is_refused(parts: Parts, tmp_path: Path):
    """The file is whole, but this AESOP does not know what its shape means."""

    @dataclass(frozen=True)
    class Modern(CodecShape):
        quantum: int = 1

    card = replace(parts.human_codec.card, shape=Modern(**asdict(HUMAN_CODEC)))
    path = tmp_path / "human.safetensors"
    save_part(Part(parts.human_codec.network, card), path)
    with pytest.raises(WeightsError, match="no card this AESOP can read"):
        load_human_codec(path)


@pytest.mark.parametrize("turns", [False, True])
def test_a_card_with_the_field_of_an_ablation_that_is_gone(
    turns: bool, parts: Parts, tmp_path: Path
):
    """Files of its days are read where it was off, and refused where it was on."""

    @dataclass(frozen=True)
    class Former(VelocityShape):
        turns_places: bool = False

    plain = parts.human_flow
    shape = Former(**asdict(HUMAN_FLOW), turns_places=turns)
    path = tmp_path / "human_flow.safetensors"
    save_part(Part(plain.network, replace(plain.card, shape=shape)), path)
    assert b"turns_places" in path.read_bytes()
    if turns:
        with pytest.raises(WeightsError, match="no card this AESOP can read"):
            load_human_flow(path, parts.human_codec, Encoder())
    else:
        card = load_human_flow(path, parts.human_codec, Encoder()).card
        assert replace(card, content="") == plain.card


def test_a_failed_write_leaves_the_old_file(parts: Parts, tmp_path: Path):
    path = tmp_path / "human.safetensors"
    save_part(parts.human_codec, path)
    before = path.read_bytes()
    with pytest.raises(FileError):
        save_part(parts.human_codec, tmp_path / "nowhere" / "human.safetensors")
    with torch.no_grad():
        parts.human_codec.network.encoder.first.weight[0, 0, 0] = torch.nan
    with pytest.raises(AssertionError):
        save_part(parts.human_codec, path)
    assert path.read_bytes() == before and issubclass(WeightsError, AesopError)
