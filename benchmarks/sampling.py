"""Sampling against a straightforward implementation of the paper's sampler, in one run.

    python benchmarks/sampling.py                                   ratios on this machine's cores,
                                                                    fast and instant
    python benchmarks/sampling.py --device cuda --size paper        clips per second, both tasks
    python benchmarks/sampling.py --solvers --weights W --store S   distance to the converged answer
    python benchmarks/sampling.py --film --weights W                `aesop film`, start to file

Straightforward: 50 Euler steps, one pass with words and one without, nothing kept between steps,
torch's own linear layers.
A step costs the same at any time, so long runs are timed over a few of their steps. Without
--weights, networks of the named size have random weights: that changes no time.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from record import children_peak_mb, commit, load_average, machine, write_result
from torch import Tensor, nn

from aesop.core.linear_products import onednn_is_quicker, torch_alone
from aesop.director.sampling import frame_mask, in_batches, sample_latents, stacked, tokens_of
from aesop.director.trained_parts import Parts
from aesop.features.columns import CAMERA, HUMAN, Statistics
from aesop.flow.guided_sampling import guided
from aesop.flow.path import noise_for, sampling_times
from aesop.flow.solvers import PRESETS, SOLVERS, Preset, Velocity
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.stepping import Stepper
from aesop.models.velocity import (
    FlowContext,
    FlowTransformer,
    human_condition,
    with_and_without_text,
    with_text,
)
from aesop.models.weights import model_sizes
from aesop.text.encoder import TextFeatures
from aesop.training.recipes import StepsSettings

WORDS = 14
# The journey of one command, timed from inside.
PHASES = """
import json, sys, time
marks = [("start", time.perf_counter())]
def mark(name): marks.append((name, time.perf_counter()))
from pathlib import Path
import torch
mark("import torch")
from aesop.director.director import load_director
from aesop.export.export_files import write_export
from aesop.files.motion_files import read_motion
mark("import aesop")
clip = read_motion(Path(sys.argv[1]))
mark("read motion")
director = load_director(Path(sys.argv[2]))
director.parts.camera_flow
mark("load weights")
director.parts.encoder.encode_each(["the camera pushes in"])
mark("load encoder, read words")
shot = director.film(clip, "the camera pushes in")
mark("film")
director.film(clip, "the camera pushes in")
mark("film again")
print(json.dumps({b[0]: round(b[1] - a[1], 3) for a, b in zip(marks, marks[1:])}))
"""
GUIDANCE = 1.5
SHORT_RUN = 4  # steps
# Frames at the 0th, 10th, … 100th percentile of PulpMotion's clips.
QUANTILES = (9, 37, 43, 50, 60, 70, 88, 107, 138, 184, 300)
DENSE_BF16_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}


def awake(network: nn.Module) -> None:
    """Random values where training starts from zero, small enough to stay calm."""
    dice = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for values in network.parameters():
            if not bool(values.any()):
                values.copy_(torch.randn(values.shape, generator=dice) * 0.02)
    network.eval().requires_grad_(False)


def flows_of(size: str, device: str) -> tuple[FlowTransformer, FlowTransformer]:
    """Human and camera flow."""
    shapes = model_sizes(size, 512 if size == "paper" else 384)  # pyright: ignore[reportArgumentType]
    flows = FlowTransformer(shapes.human_flow), FlowTransformer(shapes.camera_flow)
    for flow in flows:
        awake(flow)
    return flows[0].to(device), flows[1].to(device)


def context_of(flow: FlowTransformer, rows: int, tokens: int) -> FlowContext:
    """A batch of equally long clips with random words and people."""
    dice = torch.Generator().manual_seed(2)
    shape, device = flow.shape, flow.positions.device
    text = TextFeatures(
        torch.randn(rows, WORDS, shape.text, generator=dice),
        torch.ones(rows, WORDS, dtype=torch.bool),
        torch.randn(rows, shape.text, generator=dice),
    )
    mask = torch.ones(rows, tokens, dtype=torch.bool, device=device)
    if not shape.human:
        return with_text(mask, text.to(device))
    human = torch.randn(rows, tokens, shape.human_read, generator=dice).to(device)
    return with_text(mask, text.to(device), human, torch.ones(rows, device=device))


def straightforward(
    flow: FlowTransformer, context: FlowContext, noise: Tensor, steps: int
) -> Tensor:
    """The paper's sampler as one would write it first; only the first `steps` of its fifty."""
    silent = replace(context, drop_text=torch.ones_like(context.drop_text))
    times = sampling_times(50).to(noise)
    latents = noise
    for step in range(steps):
        now = times[step].expand(len(noise))
        with_words, without = flow(latents, now, context), flow(latents, now, silent)
        velocity = without + GUIDANCE * (with_words - without)
        latents = latents + (times[step + 1] - times[step]) * velocity
    return latents


def few_steps() -> FittedSteps:
    """As many as the recipe fits; which weights they have changes no time."""
    settings = StepsSettings()
    return FittedSteps(StepsShape(settings.calls, settings.guided_calls))


def best_ms(work: Callable[[], object], rounds: int) -> float:
    """Shortest of several runs, after one to warm up."""
    times: list[float] = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times[1:])


def measure(flow: FlowTransformer, frames: int, rows: int, rounds: int) -> dict[str, float | int]:
    """Milliseconds of whole samplings, in interleaved rounds."""
    tokens = tokens_of(frames)
    context = context_of(flow, rows, tokens)
    noise = torch.randn(rows, tokens, flow.shape.latent, generator=torch.Generator().manual_seed(3))
    steps = 50 if rows * tokens <= 80 else SHORT_RUN

    def plainly() -> None:
        with torch_alone():
            straightforward(flow, context, noise, steps)

    def few_cached() -> None:
        both = Stepper(flow, with_and_without_text(context), sampling_times(50))
        SOLVERS["euler"](guided(both, GUIDANCE), noise, sampling_times(50)[: steps + 1])

    def setting_up() -> None:
        Stepper(flow, with_and_without_text(context), sampling_times(50))

    instant, followed = few_steps(), torch.full((rows,), GUIDANCE)
    works: dict[str, Callable[[], object]] = {
        "plain": plainly,
        "cached": few_cached,
        "setting_up": setting_up,
        "instant": lambda: sample_latents(flow, context, noise, instant, followed),
    }
    shortest = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            shortest[name] = min(shortest[name], best_ms(work, 1))
    plain = shortest["plain"] * 50 / steps
    step = (shortest["cached"] - shortest["setting_up"]) / steps
    cached = shortest["setting_up"] + 50 * step
    fast = shortest["setting_up"] + PRESETS["fast"].calls * step
    return {
        "frames": frames,
        "batch": rows,
        "timed_steps": steps,
        "straightforward_ms": round(plain, 1),
        "reference_ms": round(cached, 1),
        "fast_ms": round(fast, 1),
        "instant_ms": round(shortest["instant"], 1),
        "reference_speedup": round(plain / cached, 2),
        "fast_speedup": round(plain / fast, 2),
        "instant_speedup": round(plain / shortest["instant"], 2),
    }


def largest_difference(flow: FlowTransformer) -> float:
    """Cached against straightforward after all fifty steps."""
    context = context_of(flow, 2, 19)
    noise = torch.randn(2, 19, flow.shape.latent, generator=torch.Generator().manual_seed(3))
    plain = straightforward(flow, context, noise, 50)
    ours = sample_latents(flow, context, noise, PRESETS["reference"], torch.full((2,), GUIDANCE))
    return float((plain - ours).abs().max())


def throughput(args: argparse.Namespace) -> dict[str, object]:
    """Clips per second for a whole test set on one GPU in bfloat16, both tasks, decoded."""
    device = torch.device(args.device)
    shapes = model_sizes(args.size, 512 if args.size == "paper" else 384)
    human_flow, camera_flow = (flow.bfloat16() for flow in flows_of(args.size, args.device))
    unit = [Statistics(torch.zeros(it.width), torch.ones(it.width)) for it in (HUMAN, CAMERA)]
    human_codec = HumanCodec(shapes.human_codec, unit[0]).to(device).eval()
    camera_codec = CameraCodec(shapes.camera_codec, unit[1]).to(device).eval()
    places = np.random.default_rng(0).random(args.clips) * (len(QUANTILES) - 1)
    lengths = np.interp(places, np.arange(len(QUANTILES)), QUANTILES).round().astype(int).tolist()
    features = [torch.randn(frames, HUMAN.width) for frames in lengths]
    preset = PRESETS[args.preset]

    def run(task: str) -> None:
        for batch in in_batches(lengths, args.rows):
            mask = frame_mask([lengths[row] for row in batch], device)
            tokens = token_mask(mask)
            text = context_of(human_flow, len(batch), 1).text
            if task == "film":
                seen = stacked([features[row] for row in batch], device)
                human = human_codec.to_latents(seen, mask)
            else:
                drawn = torch.randn(*tokens.shape, human_flow.shape.latent, device=device)
                human = sample_latents(human_flow, with_text(tokens, text), drawn, preset)
                human_codec.from_latents(human, mask)
            ones = torch.ones(len(batch), device=device)
            context = with_text(tokens, text, human, ones)
            noise = torch.randn(*tokens.shape, camera_flow.shape.latent, device=device)
            latents = sample_latents(camera_flow, context, noise, preset, GUIDANCE * ones)
            raw = human_codec.whitening.inverse(human, tokens)
            camera_codec.from_latents(latents, raw, mask)
        torch.cuda.synchronize()

    found: dict[str, object] = {}
    name = torch.cuda.get_device_name(device)
    rate = next((flops for card, flops in DENSE_BF16_FLOPS.items() if card in name), None)
    for task in ("film", "shoot"):
        run(task)
        start = time.perf_counter()
        run(task)
        seconds = time.perf_counter() - start
        done = _useful_flops((human_flow, camera_flow), lengths, preset, task)
        found[task] = {
            "seconds": round(seconds, 3),
            "clips_per_second": round(args.clips / seconds, 1),
            "tflops": round(done / seconds / 1e12, 1),
            "share_of_bf16_rate": None if rate is None else round(done / seconds / rate, 3),
        }
    return {"gpu": name, "size": args.size, "clips": args.clips, "preset": args.preset, **found}


def _useful_flops(
    flows: tuple[FlowTransformer, FlowTransformer], lengths: list[int], preset: Preset, task: str
) -> float:
    """Products of the blocks on valid tokens; attention, padding and setting up not counted."""
    tokens = sum(tokens_of(frames) for frames in lengths)
    total = 0.0
    for flow, passes, counts in zip(flows, (1, 2), (task == "shoot", True), strict=True):
        weights = sum(it.numel() for it in flow.blocks.parameters() if it.ndim == 2)
        total += counts * 2.0 * weights * tokens * passes * preset.calls
    return total


def solver_study(args: argparse.Namespace) -> dict[str, object]:
    """Distance of solvers to the converged answer, in spreads of the latents, per task."""
    from aesop.data.store import decode, open_store
    from aesop.features.human_features import human_to_features, stand_from_features

    parts, store = Parts(args.weights), open_store(args.store)
    rows = store.split("validation")
    rows = rows[:: max(len(rows) // args.clips, 1)]
    shots = [store.shot(int(row)) for row in rows[: args.clips]]
    features = [human_to_features(decode(shot)[0]).float() for shot in shots]
    mask = frame_mask([len(it) for it in features], torch.device("cpu"))
    tokens = token_mask(mask)
    seen = stacked(features, mask.device)
    latents = parts.human_codec.network.to_latents(seen, mask)
    camera_flow = parts.camera_flow.network
    human = human_condition(camera_flow.shape, latents, stand_from_features(seen)[:, ::STRIDE])
    said = [[(its or ("",))[0] for its in (it.camera_captions, it.human_captions)] for it in shots]
    words = [parts.encoder.encode([both[which] for both in said]) for which in (0, 1)]
    tasks: dict[str, tuple[FlowTransformer, FlowContext, float]] = {
        "camera": (
            camera_flow,
            with_text(tokens, words[0], human, torch.ones(len(shots))),
            GUIDANCE,
        ),
        "human": (parts.human_flow.network, with_text(tokens, words[1]), 1.0),
    }
    found: dict[str, object] = {"clips": len(shots)}
    for task, (flow, context, guidance) in tasks.items():
        shape = (tokens.shape[1], flow.shape.latent)
        drawn = [noise_for(1, row, shape, stream="camera") for row in range(len(shots))]
        noise = torch.stack(drawn) * tokens[..., None]
        found[task] = _distances(_velocity(flow, context, guidance), noise, tokens)
    return found


def end_to_end(args: argparse.Namespace) -> dict[str, object]:
    """Ten seconds of motion from process start to written shot, and where the time goes."""
    from aesop.fables.synthetic import synthetic_motion
    from aesop.files.motion_files import write_motion

    program = str(Path(sys.executable).with_name("aesop"))
    with tempfile.TemporaryDirectory() as folder:
        motion, shot = Path(folder) / "walk.bvh", Path(folder) / "walk.shot"
        write_motion(synthetic_motion("walk", 250, np.random.default_rng(2)).clip, motion)
        words = ["film", str(motion), "the camera pushes in", "-o", str(shot)]
        words += ["--weights", str(args.weights)]
        seconds: list[float] = []
        for _ in range(args.rounds):
            start = time.perf_counter()
            subprocess.run([program, *words], check=True, capture_output=True)
            seconds.append(time.perf_counter() - start)
        peak_mb = children_peak_mb()
        phases = subprocess.run(
            [sys.executable, "-c", PHASES, str(motion), str(args.weights)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
            encoding="utf-8",
        )
    return {
        "clip_seconds": 10,
        "wall_seconds": [round(it, 2) for it in seconds],
        "peak_memory_mb": peak_mb,
        "phases_seconds": json.loads(phases.stdout),
        "load_average": load_average(),
    }


def _velocity(flow: FlowTransformer, context: FlowContext, guidance: float) -> Velocity:
    if guidance == 1.0:
        return flow.field(flow.prepare(context))
    return guided(flow.field(flow.prepare(with_and_without_text(context))), guidance)


def _distances(velocity: Velocity, noise: Tensor, tokens: Tensor) -> dict[str, dict[str, float]]:
    """To the end of the equation, and to where the paper's sampler ends: those are not the same."""
    converged = SOLVERS["runge_kutta4"](velocity, noise, sampling_times(40, 2.0))
    reference = PRESETS["reference"].solver(velocity, noise, PRESETS["reference"].times)
    spread = float(converged[tokens].std())

    def apart(answer: Tensor, other: Tensor) -> float:
        return round(float((answer - other)[tokens].square().mean().sqrt()) / spread, 4)

    tried = [Preset("runge_kutta4", 30, 1.0), PRESETS["reference"]]
    for method in ("adams_bashforth2", "adams_moulton2", "shadowing"):
        for calls in (12, 13):
            tried += [Preset(method, calls, shift, is_eased=True) for shift in (2.0, 3.0, 3.5, 4.0)]
            tried += [Preset(method, calls, shift) for shift in (2.0, 3.0, 4.0, 5.0)]
    tried += [Preset("adams_bashforth2", 20, shift) for shift in (2.0, 5.0)]
    found: dict[str, dict[str, float]] = {}
    for preset in tried:
        answer = preset.solver(velocity, noise, preset.times)
        found[_named(preset)] = {
            "to_converged": apart(answer, converged),
            "to_reference": apart(answer, reference),
        }
    return found


def _named(preset: Preset) -> str:
    eased = "eased" if preset.is_eased else "even"
    return f"{preset.method}, {preset.calls} calls, {eased}, shift {preset.shift:g}"


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", default="base", choices=["paper", "base", "tiny"])
    parser.add_argument("--frames", type=int, nargs="+", default=[75, 150, 250, 300])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clips", type=int, default=4053)
    parser.add_argument("--rows", type=int, default=512, help="clips in a batch on a GPU")
    parser.add_argument("--preset", default="fast", choices=["fast", "reference"])
    parser.add_argument("--solvers", action="store_true")
    parser.add_argument("--film", action="store_true")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--store", type=Path)
    args = parser.parse_args()
    if args.solvers:
        figures = solver_study(args)
        name = "sampling_solvers"
    elif args.film:
        figures, name = end_to_end(args), "sampling_film"
    elif args.device == "cpu":
        _, flow = flows_of(args.size, "cpu")
        difference = largest_difference(flow)
        rows = [measure(flow, f, b, args.rounds) for b in args.batches for f in args.frames]
        figures = {"threads": torch.get_num_threads(), "fast_calls": PRESETS["fast"].calls}
        figures["instant_evaluations"] = few_steps().shape.evaluations
        products = "oneDNN" if onednn_is_quicker() else "torch alone"
        figures |= {"products_by": products, "largest_difference": difference, "samplings": rows}
        name = f"sampling_cpu_{args.size}"
    else:
        figures, name = throughput(args), f"sampling_gpu_{args.size}"
    print(json.dumps({"commit": commit(), "machine": machine(), **figures}, indent=2))
    write_result(name, f"python benchmarks/sampling.py {_told(args)}", dict(figures))


def _told(args: argparse.Namespace) -> str:
    if args.solvers:
        return "--solvers --weights WEIGHTS --store STORE"
    if args.film:
        return "--film --weights WEIGHTS"
    return f"--device {args.device} --size {args.size}"


if __name__ == "__main__":
    main()
