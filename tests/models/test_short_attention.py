"""Short attention is attention, with hashed dropout; its kernels say what plain torch says."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from aesop.models.short_attention import kept_by_hash, short_attention
from aesop.models.velocity import FlowTransformer, VelocityShape, with_text
from tests.models.makers import CAMERA_FLOW, HUMAN_FLOW, awake, mask_of, texts
from tests.models.short_attention_cases import Case, cases
from tests.tolerances import network32

CPU = torch.device("cpu")


def heads_of(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    query = case.asked[:, :, 0].transpose(1, 2)
    both = case.asked[:, :, 1:] if case.context is None else case.context
    return query, both[:, :, 0].transpose(1, 2), both[:, :, 1].transpose(1, 2)


@pytest.mark.parametrize("case", cases(CPU, torch.float32), ids=str)
def test_without_dropout_it_is_torchs_attention(case: Case):
    found = short_attention(case.asked, case.context, case.bias, 0.0, case.words)
    expected = scaled_dot_product_attention(*heads_of(case), attn_mask=case.bias)
    torch.testing.assert_close(
        found, expected.transpose(1, 2).flatten(-2), atol=network32(1, 16), rtol=0
    )


@pytest.mark.parametrize("case", cases(CPU, torch.float32), ids=str)
def test_dropout_leaves_out_hashed_weights(case: Case):
    query, key, value = heads_of(case)
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5 + case.bias
    weights = torch.softmax(scores, -1)
    kept = kept_by_hash(tuple(weights.shape), 0.3, case.words)
    expected = (weights * kept / 0.7) @ value
    found = short_attention(case.asked, case.context, case.bias, 0.3, case.words)
    torch.testing.assert_close(
        found, expected.transpose(1, 2).flatten(-2), atol=network32(1, 16), rtol=0
    )


@pytest.mark.parametrize("shape", [HUMAN_FLOW, CAMERA_FLOW], ids=["human", "camera"])
def test_a_flow_says_the_same_either_way(dice: torch.Generator, shape: VelocityShape):
    """With dropout at zero, velocity and gradients; with dropout, something else at every step."""
    network = FlowTransformer(replace(shape, dropout=0.0))
    awake(network, dice).train()
    lengths = [11, 5, 2]
    human = torch.randn(3, 11, shape.human_read, generator=dice) if shape.human else None
    context = with_text(mask_of(lengths), texts(dice, [3, 2, 7]), human)
    latents = torch.randn(3, 11, shape.latent, generator=dice)
    flow_time = torch.rand(3, generator=dice)
    told: list[list[Tensor]] = []
    for hashes in (False, True):
        network.hashes_dropout = hashes
        network.zero_grad()
        velocity = network(latents, flow_time, context)
        velocity.square().sum().backward()
        gradients = [it.grad for it in network.parameters() if it.grad is not None]
        told.append([velocity.detach(), *gradients])
    for plain, hashed in zip(*told, strict=True):
        torch.testing.assert_close(
            hashed, plain, atol=network32(3, 68) * float(plain.abs().max()), rtol=0
        )
    dropping = FlowTransformer(shape)
    awake(dropping, dice).train()
    dropping.hashes_dropout = True
    first, other = (dropping(latents, flow_time, context) for _ in range(2))
    assert not torch.allclose(first, other)
    dropping.eval()
    first, other = (dropping(latents, flow_time, context) for _ in range(2))
    assert torch.equal(first, other)


def test_dropout_acts_at_every_place_with_words_of_its_own(
    dice: torch.Generator, monkeypatch: pytest.MonkeyPatch
):
    network = FlowTransformer(CAMERA_FLOW)
    awake(network, dice).train()
    network.hashes_dropout = True
    met: list[tuple[int, ...]] = []

    def noted(shape: tuple[int, ...], rate: float, words: Tensor) -> Tensor:
        assert rate == CAMERA_FLOW.dropout
        met.append(tuple(words.tolist()))
        return kept_by_hash(shape, rate, words)

    monkeypatch.setattr("aesop.models.short_attention.kept_by_hash", noted)
    monkeypatch.setattr("aesop.models.short_attention.kept_by_hash", noted)
    human = torch.randn(1, 5, CAMERA_FLOW.human_read, generator=dice)
    context = with_text(mask_of([5]), texts(dice, [3]), human)
    network(torch.randn(1, 5, CAMERA_FLOW.latent), torch.rand(1), context)
    # Three attentions, what each of them says, and twice in the feed-forward part.
    assert len(met) == len(set(met)) == CAMERA_FLOW.depth * 8


def test_a_block_with_dice_compiles_as_one_graph():
    run_alone("tests.models.compiled_blocks")


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton comes with torch for CUDA only")
def test_kernels_say_what_plain_torch_says():
    """On the GPU, or without one in Triton's interpreter, which must be asked for at the start."""
    alone = {} if torch.cuda.is_available() else {"TRITON_INTERPRET": "1"}
    run_alone("tests.models.short_attention_cases", **alone)


def run_alone(module: str, **settings: str) -> None:
    """In a process without the checks of shapes, which neither compiler can read."""
    done = subprocess.run(
        [sys.executable, "-m", module],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
