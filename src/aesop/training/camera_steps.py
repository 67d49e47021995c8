"""A last phase: few steps for the last camera flow of a run, fitted to where its own 50 Euler
steps lead. No camera of the data is needed, only people, words and noise."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor
from tqdm import tqdm

from aesop.flow.solvers import PRESETS
from aesop.models.fitted_steps import FittedSteps
from aesop.models.velocity import FlowTransformer, human_condition
from aesop.models.weights import Part, load_camera_flow, new_part, run_file, save_part
from aesop.training.batch_order import CAPTION, LABEL, NOISE, Shuffled, dice_for, seed_for
from aesop.training.flow_phases import VALIDATION_SEED, Codecs, read_of_clips
from aesop.training.footage import (
    EncodedCaptions,
    Footage,
    Ragged,
    encode_all,
    encode_captions,
    ragged_from_clips,
    standard_humans,
    stands,
    upload,
    whitened,
)
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
    changed,
    drawn_guidances,
    fit_steps,
    sampled_ends,
)
from aesop.training.told_intensities import (
    IntensityResponse,
    measured_response,
    with_told_intensities,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class DrawnShots:
    """Shots to film, shortest first, each at intensity one and at its own: people as the flow reads
    them, one text for each shot, and what else chance decided."""

    people: Ragged
    human_of_shot: Int64[Tensor, " shots"]
    captions: EncodedCaptions
    texts: Int64[Tensor, " shots"]
    intensity: Float[Tensor, " shots"]
    guidance: Float[Tensor, " shots"]
    seed: int  # of the noise

    def __len__(self) -> int:
        return len(self.texts)


def drawn_shots(
    phase: PhaseRun[StepsRecipe], codecs: Codecs, footage: Footage, count: int, seed: int
) -> DrawnShots:
    """People and words of some footage. Half of the shots have the usual guidance. Nobody else's
    captions are encoded."""
    settings, device, dice = phase.recipe.steps, phase.device, dice_for(seed, LABEL)
    lengths = footage.humans.lengths[footage.human_of_shot].cpu().numpy()
    rows = Shuffled(len(lengths), seed, stream=LABEL).take(0, count)
    rows = rows[np.argsort(lengths[rows], kind="stable")]
    windows, own = np.unique(footage.human_of_shot.cpu().numpy()[rows], return_inverse=True)
    humans = ragged_from_clips([footage.humans.clip(int(window)) for window in windows]).to(device)
    standard = standard_humans(humans, codecs[0].network.statistics)
    latents = whitened(codecs[0].network, encode_all(codecs[0].network, standard))
    read = human_condition(phase.recipe.network, latents.values, stands(humans).values)
    captions = encode_captions(
        [footage.camera_captions[row] for row in rows], phase.material.encoder
    )
    texts = captions.pick(np.arange(count), dice_for(seed, CAPTION).random(count))

    intensity = settings.weakest + (settings.strongest - settings.weakest) * dice.random(count)
    guidance = drawn_guidances(settings, count, dice)
    return DrawnShots(
        people=Ragged(read, latents.starts),
        human_of_shot=upload(own, device, torch.int64),
        captions=captions.to(device),
        texts=upload(texts, device, torch.int64),
        intensity=upload(intensity, device, torch.float32),
        guidance=upload(guidance, device, torch.float32),
        seed=seed,
    )


def in_batches(drawn: DrawnShots, rows: int, width: int) -> Iterator[AskedBatch]:
    """What the flow reads of so many shots of similar length, and their noise: twins, at intensity
    one and at their own."""
    lengths = drawn.people.lengths[drawn.human_of_shot]
    for first in range(0, len(drawn), rows):
        some = slice(first, first + rows)
        longest = int(lengths[some].max())
        human = drawn.people.padded(drawn.human_of_shot[some].repeat(2), longest)
        texts, own = drawn.texts[some].repeat(2), drawn.intensity[some]
        context = read_of_clips(drawn.captions, texts, human.mask, human.values)
        dice = torch.Generator(own.device).manual_seed(seed_for(drawn.seed, NOISE, first))
        noise = torch.randn(len(own), longest, width, generator=dice, device=own.device)
        yield AskedBatch(
            replace(context, intensity=torch.cat([torch.ones_like(own), own])),
            drawn.guidance[some].repeat(2),
            noise.repeat(2, 1, 1) * human.mask[..., None],
        )


@dataclass(frozen=True)
class Nearness:
    """Of ends beside those of 50 Euler steps from the same noise, over all shots: how far apart
    they are, in spreads of the latents; how far apart what the intensity changes is, as a share of
    it; and how much of that change is made."""

    apart: float
    change: float
    growth: float


def nearness(asked: list[AskedBatch], ends: list[Tensor], reference: list[Tensor]) -> Nearness:
    """How near ends come to others from the same noise."""
    some = [it.context.mask.chunk(2)[0] for it in asked]

    def real(batches: list[Tensor]) -> Tensor:
        return torch.cat([it[mask] for it, mask in zip(batches, some, strict=True)])

    one, wanted_one = (real([it.chunk(2)[0] for it in both]) for both in (ends, reference))
    change, wanted = (real([changed(it) for it in both]) for both in (ends, reference))
    size = wanted.square().sum().clamp_min(torch.finfo(wanted.dtype).tiny)
    return Nearness(
        apart(one, wanted_one),
        float(((change - wanted).square().sum() / size).sqrt()),
        float((change * wanted).sum() / size),
    )


def flow_of(phase: PhaseRun[StepsRecipe], codecs: Codecs) -> Part[FlowTransformer]:
    """The last camera flow of the run."""
    run = phase.folder.path
    path = run_file(run, "camera-flow") or weights_path(run, "camera-flow")
    part = load_camera_flow(path, codecs, phase.material.encoder, phase.device)
    part.network.eval().requires_grad_(False)
    return part


def watched(
    phase: PhaseRun[StepsRecipe], flow: FlowTransformer, codecs: Codecs, shots: int
) -> list[AskedBatch]:
    """So many shots of validation people, or as many as there are."""
    recipe, footage = phase.recipe, phase.material.validation
    count = min(recipe.watch.validation_clips, shots, len(footage.shot_names))
    drawn = drawn_shots(phase, codecs, footage, count, VALIDATION_SEED)
    return list(in_batches(drawn, recipe.schedule.batch_rows, flow.shape.latent))


def judged(
    phase: PhaseRun[StepsRecipe], flow: FlowTransformer, steps: FittedSteps, codecs: Codecs
) -> tuple[Measure, ...]:
    """Few steps, and the preset `fast` for scale, beside 50 Euler steps: on a quarter as many shots
    as were fitted to."""
    asked = watched(phase, flow, codecs, phase.recipe.steps.shots // 4)
    reference = sampled_ends(flow, REFERENCE, asked)
    found: list[Measure] = []
    for name, way in (("", steps), ("_fast", PRESETS["fast"])):
        near = nearness(asked, sampled_ends(flow, way, asked), reference)
        found += [
            Measure(f"apart{name}", near.apart),
            Measure(f"change{name}", near.change),
            Measure(f"growth{name}", near.growth),
        ]
    return tuple(found)


def response_of(
    phase: PhaseRun[StepsRecipe], flow: FlowTransformer, steps: FittedSteps, codecs: Codecs
) -> IntensityResponse:
    """How far cameras of validation people go at intensities, at the usual guidance."""
    settings = phase.recipe.steps
    asked = watched(phase, flow, codecs, settings.shots)
    usual = [torch.full_like(it.guidance, settings.usual_guidance) for it in asked]
    alike = [replace(it, guidance=one) for it, one in zip(asked, usual, strict=True)]
    return measured_response(flow, steps, alike, (codecs[0].network, codecs[1].network))


def fit_camera_steps(phase: PhaseRun[StepsRecipe]) -> bool:
    """Fit few steps to the run's last camera flow and leave them as a part. One process does it."""
    if not phase.world.leads:
        return True
    recipe, human = phase.recipe, phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    flow = flow_of(phase, codecs)
    parts = (*codecs, flow)
    frozen = FrozenParts(*parts)
    write_run_record(phase, parts)
    drawn = drawn_shots(phase, codecs, phase.material.train, recipe.steps.shots, recipe.seed)
    log.info("filming %d shots in 50 steps each", len(drawn))
    rows = recipe.schedule.batch_rows
    with tqdm(
        desc=recipe.phase, total=len(drawn), unit="shot", disable=not phase.conduct.bar
    ) as bar:
        asked = in_batches(drawn, rows, flow.network.shape.latent)
        steps = fit_steps(
            flow.network, asked, recipe.steps, lambda batch: bar.update(len(batch.noise) // 2)
        )
    measures = judged(phase, flow.network, steps, codecs)
    response = response_of(phase, flow.network, steps, codecs)
    steps = with_told_intensities(steps, response)
    frozen.require_unchanged()
    told = {measure.name: f"{measure.value:.4g}" for measure in measures}
    told["goes"] = response.text
    log.info("beside 50 steps: %s", told)
    notes = {**part_notes(recipe, phase.material, recipe.schedule.steps, "fitted"), **told}
    part = new_part("camera-steps", steps.cpu(), (flow,), None, notes, yaw=phase.material.train.yaw)
    save_part(part, weights_path(phase.folder.path, recipe.phase))
    return True
