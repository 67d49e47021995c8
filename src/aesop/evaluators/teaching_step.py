"""One update of an evaluator after another; on a GPU captured once and then replayed.

An evaluator is small: started kernel by kernel, its steps wait for the host, the more so where
other programs keep the processors busy.
"""

import warnings

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.evaluators.evaluator import ContrastivePair, SequenceDecoder
from aesop.evaluators.evaluator_recipes import EvaluatorRecipe, TeachingBatch, teaching_loss
from aesop.training.step import WARM_UPS, autocast, batch_tensors, clone_batch

_MOST_NORM = 1.0


class TeachingStep:
    """Updates a pair and its decoder. Where it is captured, all batches have one shape."""

    def __init__(
        self,
        pair: ContrastivePair,
        decoder: SequenceDecoder,
        recipe: EvaluatorRecipe,
        captured: bool,
    ) -> None:
        device = pair.mean.device
        self._device, self._captured = device, captured and device.type == "cuda"
        self._pair, self._decoder, self._losses = pair, decoder, recipe.losses
        self._parameters = [*pair.parameters(), *decoder.parameters()]
        # A captured step reads its rate from the device.
        rate = recipe.learning_rate
        self._optimiser = torch.optim.AdamW(
            self._parameters,
            torch.tensor(rate, device=device) if self._captured else rate,
            (0.9, 0.99),
            weight_decay=recipe.weight_decay,
            fused=self._captured,
            capturable=self._captured,
        )
        self._eager = 0
        self._graph: torch.cuda.CUDAGraph | None = None
        self._static: TeachingBatch | None = None
        self.norm: Float[Tensor, ""] = torch.zeros((), device=device)  # of the last gradient

    def __call__(self, batch: TeachingBatch, rate: float) -> None:
        for group in self._optimiser.param_groups:
            if self._captured:
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        if not self._captured:
            self.norm = self._update(batch)
        elif self._eager < WARM_UPS:
            self._eager += 1
            self._warm(batch)
        else:
            self._replay(batch)

    def _update(self, batch: TeachingBatch) -> Float[Tensor, ""]:
        self._optimiser.zero_grad(set_to_none=True)
        with autocast(self._device, "bfloat16" if self._device.type == "cuda" else "float32"):
            loss = teaching_loss(self._pair, self._decoder, batch, self._losses)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, _MOST_NORM)
        self._optimiser.step()
        return norm

    def _warm(self, batch: TeachingBatch) -> None:
        """A true step beside the others, in which libraries choose and load their kernels."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), warnings.catch_warnings():
            # The optimiser warns that it is meant for captured steps: this is how they start.
            warnings.simplefilter("ignore", UserWarning)
            self.norm = self._update(batch)
        torch.cuda.current_stream().wait_stream(side)

    def _replay(self, batch: TeachingBatch) -> None:
        if self._graph is None or self._static is None:
            self._static = clone_batch(batch)
            self._graph = torch.cuda.CUDAGraph()
            self._optimiser.zero_grad(set_to_none=True)
            with torch.cuda.graph(self._graph):
                self.norm = self._update(self._static)
        for place, fresh in zip(batch_tensors(self._static), batch_tensors(batch), strict=True):
            place.copy_(fresh)
        self._graph.replay()
