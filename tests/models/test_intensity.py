"""At intensity 1 the intensity path does not exist, to the last bit."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from aesop.models.velocity import IntensityEmbedding, with_text
from tests.models.makers import CAMERA_FLOW, flow, mask_of, texts
from tests.tolerances import summed32

CLIPS, WIDTH, HIDDEN = 3, 7, 5


def recorded(network: nn.Module, *inputs: object) -> list[tuple[str, Tensor]]:
    """Every tensor that any module puts out, but those of the intensity path itself."""
    seen: list[tuple[str, Tensor]] = []
    hooks = [
        module.register_forward_hook(
            lambda _module, _inputs, out, name=name: seen.append((name, out.clone()))
        )
        for name, module in network.named_modules()
        if "intensity" not in name
    ]
    with torch.no_grad():
        network(*inputs)
    for hook in hooks:
        hook.remove()
    return seen


def bits(values: Tensor) -> Tensor:
    """Distinguishes 0.0 from −0.0, which compare equal."""
    return values.view(torch.int32)


def test_intensity_one_leaves_every_activation_alone(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)  # every weight random: as after training
    mask = mask_of([11, 5, 2])
    human = torch.randn(CLIPS, 11, CAMERA_FLOW.human_read, generator=dice)
    context = with_text(mask, texts(dice, [3, 2, 7]), human)
    latents = torch.randn(CLIPS, 11, CAMERA_FLOW.latent, generator=dice)
    flow_time = torch.rand(CLIPS, generator=dice)
    without = recorded(network, latents, flow_time, context)
    ones = recorded(network, latents, flow_time, replace(context, intensity=torch.ones(CLIPS)))
    assert len(without) == len(ones) > 30
    for (name, first), (_, second) in zip(without, ones, strict=True):
        assert torch.equal(bits(first), bits(second)), name
    # In a batch of mixed intensities, the clips at 1 are still untouched.
    some = replace(context, intensity=torch.tensor([0.5, 1.0, 1.5]))
    _, mixed = recorded(network, latents, flow_time, some)[-1]
    assert torch.equal(mixed[1], without[-1][1][1])
    assert not torch.equal(mixed[0], without[-1][1][0])


def test_negative_zeros_survive():
    embedding = IntensityEmbedding(WIDTH, HIDDEN)
    nn.init.normal_(embedding.second.weight)
    condition = torch.full((CLIPS, WIDTH), -0.0)
    found = embedding(condition, torch.ones(CLIPS))
    assert torch.equal(bits(found), bits(condition))


def test_it_is_the_papers_formula(dice: torch.Generator):
    embedding = IntensityEmbedding(WIDTH, HIDDEN)
    with torch.no_grad():
        embedding.second.weight.copy_(torch.randn(WIDTH, HIDDEN, generator=dice))
    condition, intensity = torch.randn(CLIPS, WIDTH, generator=dice), torch.tensor([0.3, 1.0, 1.7])
    beyond = torch.stack([intensity - 1, (intensity - 1) ** 2], dim=1)
    inner = beyond @ embedding.first.weight.T
    expected = condition + (inner * inner.sigmoid()) @ embedding.second.weight.T
    torch.testing.assert_close(
        embedding(condition, intensity), expected, atol=summed32(HIDDEN, 4.0), rtol=0
    )
    assert all("bias" not in name for name, _ in embedding.named_parameters())


def test_it_starts_inactive_and_can_learn(dice: torch.Generator):
    embedding = IntensityEmbedding(WIDTH, HIDDEN)
    condition, intensity = torch.randn(CLIPS, WIDTH, generator=dice), torch.tensor([0.3, 1.0, 1.7])
    found = embedding(condition, intensity)
    assert torch.equal(found, condition)
    found.square().sum().backward()
    assert embedding.second.weight.grad is not None and bool(embedding.second.weight.grad.any())


def test_clips_at_one_do_not_teach_it(dice: torch.Generator):
    embedding = IntensityEmbedding(WIDTH, HIDDEN)
    nn.init.normal_(embedding.second.weight)
    condition = torch.randn(CLIPS, WIDTH, generator=dice)
    embedding(condition, torch.ones(CLIPS)).square().sum().backward()
    for parameter in embedding.parameters():
        assert parameter.grad is not None and not parameter.grad.any()


def test_straightened_it_keeps_two_values_and_goes_straight_through_them(dice: torch.Generator):
    embedding = IntensityEmbedding(WIDTH, HIDDEN)
    with torch.no_grad():
        embedding.second.weight.copy_(torch.randn(WIDTH, HIDDEN, generator=dice))
    nothing = torch.zeros(CLIPS, WIDTH)
    below, above = (embedding(nothing, torch.full((CLIPS,), a))[0].detach() for a in (0.6, 1.2))
    embedding.straighten(0.6, 1.2)
    for asked, expected in ((0.6, below), (0.3, 1.75 * below), (1.2, above), (1.7, 3.5 * above)):
        found = embedding(nothing, torch.full((CLIPS,), asked))
        torch.testing.assert_close(found[0], expected, atol=summed32(HIDDEN, 16.0), rtol=0)
    ones = torch.randn(CLIPS, WIDTH, generator=dice)
    assert torch.equal(embedding(ones, torch.ones(CLIPS)), ones)
