"""A last phase: few steps for the human flow of a run, fitted to where its own 50 Euler steps lead.
No motion of the data is needed, only how long its people act, what they are said to do, and noise.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor
from tqdm import tqdm

from aesop.flow.guided_sampling import Restraint
from aesop.flow.solvers import PRESETS
from aesop.models.codec import STRIDE
from aesop.models.fitted_steps import FittedSteps
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import load_human_flow, new_part, run_file, save_part
from aesop.training.batch_order import CAPTION, LABEL, NOISE, Shuffled, dice_for, seed_for
from aesop.training.flow_phases import VALIDATION_SEED, read_of_clips
from aesop.training.footage import EncodedCaptions, Footage, encode_captions, upload
from aesop.training.recipes import StepsRecipe
from aesop.training.run_folder import (
    FrozenParts,
    PhaseRun,
    part_notes,
    weights_path,
    write_run_record,
)
from aesop.training.run_record import Measure
from aesop.training.step_fitting import (
    REFERENCE,
    AskedBatch,
    apart,
    drawn_guidances,
    fit_steps,
    sampled_ends,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class DrawnPeople:
    """People to make, shortest first, one text for each, and what else chance decided."""

    tokens: Int64[Tensor, " people"]  # how long they act
    captions: EncodedCaptions
    texts: Int64[Tensor, " people"]
    guidance: Float[Tensor, " people"]
    restraint: Restraint
    seed: int  # of the noise

    def __len__(self) -> int:
        return len(self.texts)


def drawn_people(
    phase: PhaseRun[StepsRecipe], footage: Footage, count: int, seed: int
) -> DrawnPeople:
    """Lengths and words of some footage. Half of the people have the usual guidance. Nobody else's
    captions are encoded."""
    settings, device, dice = phase.recipe.steps, phase.device, dice_for(seed, LABEL)
    lengths = footage.humans.lengths.cpu().numpy()
    rows = Shuffled(len(lengths), seed, stream=LABEL).take(0, count)
    rows = rows[np.argsort(lengths[rows], kind="stable")]
    captions = encode_captions(
        [footage.human_captions[row] for row in rows], phase.material.encoder
    )
    texts = captions.pick(np.arange(count), dice_for(seed, CAPTION).random(count))
    return DrawnPeople(
        tokens=upload(-(-lengths[rows] // STRIDE), device, torch.int64),
        captions=captions.to(device),
        texts=upload(texts, device, torch.int64),
        guidance=upload(drawn_guidances(settings, count, dice), device, torch.float32),
        restraint=Restraint(settings.rescale),
        seed=seed,
    )


def in_batches(drawn: DrawnPeople, rows: int, width: int) -> Iterator[AskedBatch]:
    """What the flow reads of so many people who act for a similar time, and their noise."""
    device = drawn.tokens.device
    for first in range(0, len(drawn), rows):
        some = slice(first, first + rows)
        tokens = drawn.tokens[some]
        mask = torch.arange(int(tokens.max()), device=device) < tokens[:, None]
        dice = torch.Generator(device).manual_seed(seed_for(drawn.seed, NOISE, first))
        noise = torch.randn(*mask.shape, width, generator=dice, device=device)
        yield AskedBatch(
            read_of_clips(drawn.captions, drawn.texts[some], mask, None),
            drawn.guidance[some],
            noise * mask[..., None],
            drawn.restraint,
        )


def distance(asked: list[AskedBatch], ends: list[Tensor], reference: list[Tensor]) -> float:
    """How far people lie from others from the same noise, in spreads of their latents."""
    masks = [it.context.mask for it in asked]
    found, wanted = (
        torch.cat([it[mask] for it, mask in zip(some, masks, strict=True)])
        for some in (ends, reference)
    )
    return apart(found, wanted)


def judged(
    phase: PhaseRun[StepsRecipe], flow: FlowTransformer, steps: FittedSteps
) -> tuple[Measure, ...]:
    """Few steps, and the preset `fast` for scale, beside 50 Euler steps, for words of
    validation."""
    recipe, footage = phase.recipe, phase.material.validation
    count = min(recipe.watch.validation_clips, recipe.steps.shots // 4, len(footage.human_names))
    drawn = drawn_people(phase, footage, count, VALIDATION_SEED)
    asked = list(in_batches(drawn, recipe.schedule.batch_rows, flow.shape.latent))
    reference = sampled_ends(flow, REFERENCE, asked)
    return tuple(
        Measure(name, distance(asked, sampled_ends(flow, way, asked), reference))
        for name, way in (("apart", steps), ("apart_fast", PRESETS["fast"]))
    )


def fit_human_steps(phase: PhaseRun[StepsRecipe]) -> bool:
    """Fit few steps to the run's human flow and leave them as a part. One process does it."""
    if not phase.world.leads:
        return True
    recipe, material, run = phase.recipe, phase.material, phase.folder.path
    human = phase.folder.human_codec()
    path = run_file(run, "human-flow") or weights_path(run, "human-flow")
    flow = load_human_flow(path, human, material.encoder, phase.device)
    flow.network.eval().requires_grad_(False)
    frozen = FrozenParts(human, flow)
    write_run_record(phase, (human, flow))
    count = min(recipe.steps.shots, len(material.train.human_names))
    drawn = drawn_people(phase, material.train, count, recipe.seed)
    log.info("%d people act, in 50 steps each", len(drawn))
    asked = in_batches(drawn, recipe.schedule.batch_rows, flow.network.shape.latent)
    with tqdm(
        desc=recipe.phase, total=len(drawn), unit="person", disable=not phase.conduct.bar
    ) as bar:
        steps = fit_steps(
            flow.network, asked, recipe.steps, lambda batch: bar.update(len(batch.noise))
        )
    measures = judged(phase, flow.network, steps)
    frozen.require_unchanged()
    told = {measure.name: f"{measure.value:.4g}" for measure in measures}
    log.info("beside 50 steps: %s", told)
    notes = {**part_notes(recipe, material, recipe.schedule.steps, "fitted"), **told}
    part = new_part("human-steps", steps.cpu(), (flow,), None, notes, yaw=material.train.yaw)
    save_part(part, weights_path(run, recipe.phase))
    return True
