"""The phases of training, each one value in one table, and the methods that AESOP is compared with,
which are trained in one phase each.

Imports nothing heavy: the command line lists them. Stands among the models because whoever loads a
part of a run looks for the last phase that trained it.
"""

from dataclasses import dataclass
from typing import Literal, get_args

PartName = Literal[
    "human-codec", "camera-codec", "human-flow", "camera-flow", "human-steps", "camera-steps"
]
PhaseName = Literal[
    "human-codec",
    "human-decoder",
    "camera-codec",
    "camera-decoder",
    "human-flow",
    "human-steps",
    "camera-flow",
    "camera-flow-dpa",
    "camera-flow-ipa",
    "camera-flow-self-distilled",
    "camera-steps",
]
# The baselines of the paper's tables (`aesop.baselines`): a phase and a part of one name each.
MethodName = Literal[
    "director-c",
    "dancecamera3d",
    "ccd",
    "ccd-h",
    "pulpmotion-ae",
    "pulpmotion-dit",
    "pulpmotion-mar",
]
METHOD_NAMES: tuple[MethodName, ...] = get_args(MethodName)
TrainingName = PhaseName | MethodName  # whatever has a folder of its own in a run


@dataclass(frozen=True)
class Phase:
    """One training, in a folder of its name. What it does is its recipe's kind
    (`training.recipes`), and a kind of recipe has one function (`training.phases`)."""

    name: PhaseName
    trains: PartName
    needs: tuple[PhaseName, ...] = ()  # whose weights it reads; what it continues comes last
    is_ours: bool = False  # the paper does not have it
    wants_pairs: bool = False  # left out of `all` where there are no pairs
    former_name: str | None = None  # in folders, headers and hashes of earlier versions

    @property
    def continues(self) -> PhaseName | None:
        """The phase from whose weights it starts; None where it starts anew."""
        last = self.needs[-1] if self.needs else None
        return last if last is not None and PHASES[last].trains == self.trains else None


_CODECS: tuple[PhaseName, ...] = ("human-codec", "camera-codec")

# In the order in which `all` runs them.
PHASES: dict[PhaseName, Phase] = {
    phase.name: phase
    for phase in (
        Phase("human-codec", "human-codec"),
        Phase("human-decoder", "human-codec", ("human-codec",), is_ours=True),
        Phase("camera-codec", "camera-codec", ("human-codec",)),
        Phase("camera-decoder", "camera-codec", _CODECS, is_ours=True),
        Phase("human-flow", "human-flow", ("human-codec",)),
        Phase("human-steps", "human-steps", ("human-codec", "human-flow"), is_ours=True),
        Phase("camera-flow", "camera-flow", _CODECS),
        Phase("camera-flow-dpa", "camera-flow", (*_CODECS, "camera-flow"), wants_pairs=True),
        Phase("camera-flow-ipa", "camera-flow", (*_CODECS, "camera-flow-dpa"), wants_pairs=True),
        Phase(
            "camera-flow-self-distilled",
            "camera-flow",
            (*_CODECS, "camera-flow-ipa"),
            is_ours=True,
            wants_pairs=True,
            former_name="camera-flow-echo",
        ),
        # Fitted to the last camera flow that is there, whose intensity must have been learnt.
        Phase(
            "camera-steps",
            "camera-steps",
            (*_CODECS, "camera-flow"),
            is_ours=True,
            wants_pairs=True,
        ),
    )
}
PAPER_PHASES: tuple[PhaseName, ...] = tuple(
    phase.name for phase in PHASES.values() if not phase.is_ours
)
# Whose weights a baseline reads beside its own.
METHOD_NEEDS: dict[MethodName, tuple[MethodName, ...]] = {
    "director-c": (),
    "dancecamera3d": (),
    "ccd": (),
    "ccd-h": (),
    "pulpmotion-ae": (),
    "pulpmotion-dit": ("pulpmotion-ae",),
    "pulpmotion-mar": ("pulpmotion-ae",),
}


def phase_of(name: str) -> Phase | None:
    """A phase of our own; None where the name is a baseline's, or nobody's."""
    return next((phase for phase in PHASES.values() if phase.name == name), None)


def method_of(name: str) -> MethodName | None:
    """A baseline's name as such; None where it is a phase's, or nobody's."""
    return next((method for method in METHOD_NAMES if method == name), None)


# Those that make person and camera together, from words.
JOINT_METHODS: tuple[MethodName, ...] = ("pulpmotion-dit", "pulpmotion-mar")
METHOD = "AESOP"
# What the paper's tables call the camera phases.
PHASE_METHODS: dict[PhaseName, str] = {
    "camera-flow": "AESOP (no aug.)",
    "camera-flow-dpa": "AESOP (+ DPA)",
    "camera-flow-ipa": METHOD,
    "camera-flow-self-distilled": "AESOP (self-distilled)",
}
FACTUAL_METHOD = "AESOP (factual pairs)"  # the control arm of direction pairs
