"""Few steps of another number of calls, fitted to a flow that ships, as folders of weights for
`aesop measure … --model FOLDER --preset instant`: the rows of docs/instant.md.

    python runs/few_steps.py camera-steps --data FABLES --out FOLDER --calls 1 2 6
    python runs/few_steps.py human-steps --data PEOPLE --out FOLDER --calls 4 6 8

FOLDER/6 is then a run with the shipped parts and steps of six calls beside them.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from aesop.data.store import open_store
from aesop.director.director import load_director
from aesop.director.trained_parts import weights_folder
from aesop.training.camera_steps import fit_camera_steps
from aesop.training.footage import read_footage
from aesop.training.human_steps import fit_human_steps
from aesop.training.loop import Conduct
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import StepsRecipe, StepsSettings
from aesop.training.run_folder import Material, PhaseRun, RunFolder, adopt_parts
from aesop.training.step import ALONE

# How short the first and last steps of cameras are, by the number of calls: chosen among 3 to 7 on
# validation.
SHIFTS = {1: 5.0, 2: 5.0, 6: 7.0}


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    phase: Literal["camera-steps", "human-steps"]
    data: Path
    out: Path
    calls: tuple[int, ...]
    guided: int | None
    shift: float | None
    weights: Path | None

    def settings(self, usual: StepsSettings, calls: int) -> StepsSettings:
        """What differs from the recipe. People's velocities are weighed as guidance makes them."""
        if self.phase == "human-steps":
            return replace(usual, calls=calls, shift=self.shift or usual.shift)
        guided = calls if self.guided is None else self.guided
        shift = self.shift or SHIFTS.get(calls, usual.shift)
        return replace(usual, calls=calls, guided_calls=guided, shift=shift)


def main(args: Sequence[str] | None = None) -> None:
    asked = parsed(args)
    shipped = weights_folder(asked.weights)
    encoder = load_director(shipped).parts.encoder
    recipe = recipe_for(asked.phase, "base", encoder.width)
    assert isinstance(recipe, StepsRecipe)
    footage = read_footage(open_store(asked.data), recipe.watch.validation_clips)
    material = Material(*footage, encoder)
    fit = fit_camera_steps if asked.phase == "camera-steps" else fit_human_steps
    for calls in asked.calls:
        folder = asked.out / str(calls)
        adopt_parts(shipped, folder, asked.phase)
        own = replace(recipe, steps=asked.settings(recipe.steps, calls))
        run = RunFolder(folder, torch.device("cpu"))
        phase = PhaseRun(own, material, run, Conduct(), ALONE)
        phase.out.mkdir(parents=True, exist_ok=True)
        fit(phase)
        sys.stdout.write(f"{folder}\n")


def parsed(args: Sequence[str] | None) -> Asked:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("phase", choices=("camera-steps", "human-steps"))
    parser.add_argument("--data", type=Path, required=True, help="a store of Fables, or of people")
    parser.add_argument("--out", type=Path, required=True, help="a folder for folders of weights")
    parser.add_argument("--calls", type=int, nargs="+", default=(1, 2, 6))
    parser.add_argument("--guided", type=int, help="calls without words, too; all if not given")
    parser.add_argument("--shift", type=float, help="how short the first and last steps are")
    parser.add_argument("--weights", type=Path, help="other weights than those that came")
    told = vars(parser.parse_args(args))
    return Asked(**{**told, "calls": tuple(told["calls"])})


if __name__ == "__main__":
    main()
