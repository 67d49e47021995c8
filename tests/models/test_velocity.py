"""Laws of the flow Transformers."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from aesop.flow.guided_sampling import guided
from aesop.flow.path import sampling_times
from aesop.flow.solvers import SOLVERS
from aesop.models.blocks import attention_bias
from aesop.models.velocity import (
    FlowContext,
    FlowTransformer,
    VelocityShape,
    with_and_without_text,
    with_text,
)
from aesop.models.weights import model_sizes
from aesop.text.encoder import TextFeatures
from tests.models.makers import (
    CAMERA_FLOW,
    CAMERA_LATENT,
    HUMAN_FLOW,
    HUMAN_LATENT,
    TEXT,
    flow,
    mask_of,
    texts,
)
from tests.tolerances import FILMED32, network32

LENGTHS, WORDS = [13, 1, 23, 7], [5, 11, 2, 3]
CLIPS, TOKENS = len(LENGTHS), max(LENGTHS)
SHARED = replace(CAMERA_FLOW, modulation="shared")
POOLED = replace(CAMERA_FLOW, text_mode="pooled")
SHAPES = [HUMAN_FLOW, CAMERA_FLOW, SHARED, POOLED]


def inputs(
    shape: VelocityShape, dice: torch.Generator, lengths: list[int] = LENGTHS
) -> tuple[Tensor, Tensor, FlowContext]:
    mask = mask_of(lengths)
    clips, tokens = mask.shape
    human = torch.randn(clips, tokens, shape.human_read, generator=dice) if shape.human else None
    latents = torch.randn(clips, tokens, shape.latent, generator=dice)
    flow_time = torch.rand(clips, generator=dice)
    return latents, flow_time, with_text(mask, texts(dice, WORDS[:clips]), human)


def spoilt(latents: Tensor, context: FlowContext) -> tuple[Tensor, FlowContext]:
    """NaN in everything that is not valid."""
    beyond = ~context.mask[..., None]
    text = context.text
    unread = text.tokens.masked_fill(~text.mask[..., None], torch.nan)
    human = None if context.human is None else context.human.masked_fill(beyond, torch.nan)
    text = TextFeatures(unread, text.mask, text.pooled)
    return latents.masked_fill(beyond, torch.nan), replace(context, text=text, human=human)


def only(row: int, latents: Tensor, context: FlowContext) -> tuple[Tensor, FlowContext]:
    """One clip by itself, without padding."""
    length, words = int(context.mask[row].sum()), int(context.text.mask[row].sum())
    text = context.text
    human = None if context.human is None else context.human[row : row + 1, :length]
    alone = FlowContext(
        mask=context.mask[row : row + 1, :length],
        text=TextFeatures(
            text.tokens[row : row + 1, :words],
            text.mask[row : row + 1, :words],
            text.pooled[row : row + 1],
        ),
        drop_text=context.drop_text[row : row + 1],
        human=human,
    )
    return latents[row : row + 1, :length], alone


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_padding_cannot_reach_real_tokens(shape: VelocityShape, dice: torch.Generator):
    network = flow(dice, shape)
    latents, flow_time, context = inputs(shape, dice)
    bad_latents, bad_context = spoilt(latents, context)
    found = network(bad_latents, flow_time, bad_context)
    assert not found[~context.mask].any()
    for row, length in enumerate(LENGTHS):
        own, alone = only(row, latents, context)
        expected = network(own, flow_time[row : row + 1], alone)
        torch.testing.assert_close(found[row, :length], expected[0], atol=network32(3, 68), rtol=0)


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_neighbours_do_not_change_a_bit(shape: VelocityShape, dice: torch.Generator):
    network = flow(dice, shape)
    latents, flow_time, context = inputs(shape, dice)
    other_latents, other_time, other = inputs(shape, dice)
    keep = torch.tensor([False, True, True, False])

    def mixed(mine: Tensor, theirs: Tensor) -> Tensor:
        return torch.where(keep.view(-1, *[1] * (mine.ndim - 1)), mine, theirs)

    human = None
    if context.human is not None and other.human is not None:
        human = mixed(context.human, other.human)
    neighbours = with_text(
        context.mask,
        TextFeatures(
            mixed(context.text.tokens, other.text.tokens),
            context.text.mask,
            mixed(context.text.pooled, other.text.pooled),
        ),
        human,
    )
    found = network(latents, flow_time, context)
    again = network(mixed(latents, other_latents), mixed(flow_time, other_time), neighbours)
    assert torch.equal(found[keep], again[keep]) and not torch.equal(found[~keep], again[~keep])


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_preparing_once_equals_preparing_every_time(shape: VelocityShape, dice: torch.Generator):
    network = flow(dice, shape)
    latents, _, context = inputs(shape, dice)
    velocity = network.field(network.prepare(context))
    for flow_time in (0.2, 0.9):
        once = velocity(latents, torch.tensor(flow_time))
        assert torch.equal(once, network(latents, torch.full((CLIPS,), flow_time), context))


@torch.no_grad()
def test_guidance_in_one_batch_equals_two_passes(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)
    latents, _, context = inputs(CAMERA_FLOW, dice)
    context = replace(context, intensity=torch.tensor([0.7, 1.0, 1.3, 1.9]))
    time = torch.tensor(0.6)
    batched = guided(network.field(network.prepare(with_and_without_text(context))), 1.5)
    words = network.field(network.prepare(context))(latents, time)
    silent = replace(context, drop_text=torch.ones(CLIPS, dtype=torch.bool))
    without = network.field(network.prepare(silent))(latents, time)
    expected = without + 1.5 * (words - without)
    torch.testing.assert_close(batched(latents, time), expected, atol=network32(3, 68, 4.0), rtol=0)
    assert not torch.allclose(words, without, atol=10 * network32(3, 68))


@torch.no_grad()
def test_without_text_the_words_do_not_matter(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)
    latents, flow_time, context = inputs(CAMERA_FLOW, dice)
    drop = torch.tensor([True, False, True, False])
    found = network(latents, flow_time, replace(context, drop_text=drop))
    other = replace(context, text=texts(dice, [3, 11, 1, 3]), drop_text=drop)
    again = network(latents, flow_time, other)
    assert torch.equal(found[drop], again[drop]) and not torch.equal(found[~drop], again[~drop])


def test_rows_without_anything_are_zero_and_finite(dice: torch.Generator):
    """Fully masked rows: a clip of no tokens, and words of no tokens, which mean no words."""
    network = flow(dice, CAMERA_FLOW)
    latents, flow_time, context = inputs(CAMERA_FLOW, dice)
    text = texts(dice, [5, 11, 0, 3])
    mask = mask_of([13, 1, 23, 0], TOKENS)
    empty = replace(context, text=text, mask=mask)
    found = network(latents, flow_time, empty)
    assert bool(found.isfinite().all()) and not found[3].any()
    silent = replace(empty, drop_text=torch.tensor([False, False, True, False]))
    assert torch.equal(found, network(latents, flow_time, silent))
    found.square().sum().backward()
    for name, values in network.named_parameters():
        assert values.grad is None or bool(values.grad.isfinite().all()), name


def test_masked_keys_are_never_all_forbidden():
    mask = mask_of([3, 0, 5])
    bias = attention_bias(mask, torch.float32)
    forbidden = torch.full_like(mask, False, dtype=torch.float32).masked_fill(~mask, -torch.inf)
    assert torch.equal(bias[[0, 2], 0, 0], forbidden[[0, 2]])
    assert not bias[1].any(), "a row without keys may read all"
    assert bias.stride(0) % 8 == 0, "CUDA would copy the mask at every attention"


@pytest.mark.parametrize("shape", SHAPES)
def test_everything_matters(shape: VelocityShape, dice: torch.Generator):
    """Every input and every parameter has a gradient: nothing is left unread."""
    network = flow(dice, shape)
    latents, flow_time, context = inputs(shape, dice)
    for leaf in (latents, flow_time, context.text.tokens, context.text.pooled, context.human):
        if leaf is not None:
            leaf.requires_grad_()
    drop = torch.tensor([False, False, False, True])
    intensity = torch.tensor([0.5, 1.5, 1.0, 0.8]) if shape.human else None
    velocity = network(latents, flow_time, replace(context, drop_text=drop, intensity=intensity))
    velocity.square().sum().backward()
    for name, values in network.named_parameters():
        assert values.grad is not None, name
        # Row by row, because blocks share matrices. (Key biases cancel in the softmax.)
        assert values.ndim < 2 or bool(values.grad.flatten(1).any(1).all()), name
    read = context.text.pooled if shape.text_mode == "pooled" else context.text.tokens
    for leaf in (latents, flow_time, read, context.human):
        if leaf is not None:
            assert leaf.grad is not None and bool(leaf.grad[0].any())
    # The last clip's words were dropped, and only the pooled or only the sequence is read.
    assert read.grad is not None and not read.grad[3].any()


@torch.no_grad()
def test_the_camera_sees_when_the_human_moves(dice: torch.Generator):
    """Positions are shared: the same human tokens in another order are another human."""
    network = flow(dice, CAMERA_FLOW)
    latents, flow_time, context = inputs(CAMERA_FLOW, dice, [TOKENS])
    assert context.human is not None
    backwards = replace(context, human=context.human.flip(1))
    found, again = (network(latents, flow_time, each) for each in (context, backwards))
    assert not torch.allclose(found, again, atol=10 * network32(3, 68))


@torch.no_grad()
def test_untrained_networks_are_at_rest(dice: torch.Generator):
    for shape in SHAPES:
        latents, flow_time, context = inputs(shape, dice)
        assert not FlowTransformer(shape).eval()(latents, flow_time, context).any()


@torch.no_grad()
def test_a_whole_sampling_ignores_padding(dice: torch.Generator):
    network = flow(dice, HUMAN_FLOW)
    noise, _, context = inputs(HUMAN_FLOW, dice)
    noise = noise * context.mask[..., None]
    solve, times = SOLVERS["adams_bashforth2"], sampling_times(5)
    found = solve(network.field(network.prepare(context)), noise, times)
    assert not found[~context.mask].any()
    own, alone = only(3, noise, context)
    expected = solve(network.field(network.prepare(alone)), own, times)
    torch.testing.assert_close(found[3, : LENGTHS[3]], expected[0], atol=FILMED32, rtol=0)


def test_no_step_looks_at_data(dice: torch.Generator):
    """On the meta device tensors have no values: any branch or size that needs one would raise."""
    for shape in SHAPES:
        network = FlowTransformer(shape).to("meta")
        latents, flow_time, context = inputs(shape, dice)
        meta = FlowContext(
            context.mask.to("meta"),
            context.text.to("meta"),
            context.drop_text.to("meta"),
            None if context.human is None else context.human.to("meta"),
            torch.ones(CLIPS, device="meta") if shape.human else None,
        )
        assert network(latents.to("meta"), flow_time.to("meta"), meta).shape == latents.shape


@torch.no_grad()
def test_half_precision_follows_single(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)
    latents, flow_time, context = inputs(CAMERA_FLOW, dice)
    exact = network(latents, flow_time, context)
    rough = network.to(torch.bfloat16)(latents, flow_time, context)
    assert rough.dtype == torch.float32
    assert (rough - exact).abs().max() < 0.03 * exact.abs().max()


def test_dropout_acts_in_training_only(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)
    latents, flow_time, context = inputs(CAMERA_FLOW, dice)
    assert torch.equal(network(latents, flow_time, context), network(latents, flow_time, context))
    network.train()
    first, second = (network(latents, flow_time, context) for _ in range(2))
    assert not torch.equal(first, second) and bool(first.isfinite().all())


@pytest.mark.parametrize("text_width", [384, 512])
def test_the_flows_we_ship_stay_small(text_width: int):
    sizes = model_sizes("base", text_width)
    with torch.device("meta"):
        flows = [FlowTransformer(shape) for shape in (sizes.human_flow, sizes.camera_flow)]
    assert sum(values.numel() for flow in flows for values in flow.parameters()) <= 33_000_000


def test_the_papers_flows_have_the_papers_sizes():
    sizes = model_sizes("paper", 512)
    for shape in (sizes.human_flow, sizes.camera_flow):
        assert (shape.depth, shape.width, shape.heads, shape.ffn) == (12, 512, 8, 4)
        assert shape.dropout == 0.1 and shape.intensity_hidden == 64
    assert (sizes.human_codec.latent, sizes.camera_codec.latent) == (128, 64)
    assert sizes.camera_codec.latent + sizes.camera_codec.context == 192
    assert CAMERA_LATENT != HUMAN_LATENT != TEXT
