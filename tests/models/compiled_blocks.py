"""Run as a module: a flow whose blocks are traced as `--compile` traces them, each as one graph and
with gradients, and then run as they are. Not a bit may change."""

import torch
from torch import Tensor

from aesop.models.velocity import FlowTransformer, with_text
from tests.models.makers import CAMERA_FLOW, awake, mask_of, texts


def main() -> None:
    dice = torch.Generator().manual_seed(3)
    network = FlowTransformer(CAMERA_FLOW)
    awake(network, dice).train()
    network.hashes_dropout = True
    human = torch.randn(2, 11, CAMERA_FLOW.human_read, generator=dice)
    context = with_text(mask_of([11, 5]), texts(dice, [3, 2]), human)
    latents = torch.randn(2, 11, CAMERA_FLOW.latent, generator=dice)
    flow_time = torch.rand(2, generator=dice)
    told: list[Tensor] = []
    for compiled in (False, True):
        if compiled:
            for block in network.blocks:
                block.compile(dynamic=False, fullgraph=True, backend="aot_eager")
        network.zero_grad()
        torch.manual_seed(5)
        velocity = network(latents, flow_time, context)
        velocity.square().sum().backward()
        gradients = [it.grad.flatten() for it in network.parameters() if it.grad is not None]
        told.append(torch.cat([velocity.detach().flatten(), *gradients]))
    assert torch.equal(*told)


if __name__ == "__main__":
    main()
