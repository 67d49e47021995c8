"""Every choice between a request and a shot in one record, by name. The paper's protocol is one of
them; whatever the Director learns to do later gets a field here, and the paper's value for it."""

from dataclasses import dataclass, replace
from typing import Literal

from aesop.director.best_take import TAKES
from aesop.director.finish import FINISHINGS, Finish
from aesop.director.requests import GUIDANCE, HUMAN_GUIDANCE, PAPER_HUMAN_GUIDANCE
from aesop.director.sampling import USUAL_PEOPLE, PeopleSampling
from aesop.flow.guided_sampling import Restraint
from aesop.flow.solvers import PRESETS, PresetName

ProtocolName = Literal["paper"]
Choices = tuple[tuple[str, str], ...]  # what was chosen, in the words of a table


@dataclass(frozen=True)
class SamplingProtocol:
    """How people and cameras are sampled, decoded and finished.

    `human_latents` are those that the camera of a new person reads; `aspect` is the median of the
    decoded tangents, or what users get who ask for no picture (`finish.usual_picture`).
    """

    name: str
    people: PeopleSampling = USUAL_PEOPLE
    human_guidance: float = HUMAN_GUIDANCE
    human_latents: Literal["sampled"] = "sampled"
    camera_preset: PresetName = "fast"
    camera_guidance: float = GUIDANCE
    finish: Finish = "hand"
    aspect: Literal["decoded", "16:9"] = "decoded"

    @property
    def camera_choices(self) -> Choices:
        """Every choice that the camera of a given person depends on."""
        how = FINISHINGS[self.finish]
        return (
            ("camera sampling", _sampled(self.camera_preset)),
            ("camera guidance", f"{self.camera_guidance:g}"),
            ("camera decoding", "as in the paper" if how.decoding == "paper" else how.decoding),
            ("camera take", f"best of {TAKES}" if how.chooses_take else "first"),
            ("operator's hand", "yes" if how.is_steadied else "no"),
            ("held at rest, above the floor", "yes" if how.is_held else "no"),
            ("aspect", self.aspect),
        )

    @property
    def human_choices(self) -> Choices:
        """Every choice that a new person depends on."""
        rescale = self.people.restraint.rescale
        return (
            ("human sampling", _sampled(self.people.preset)),
            ("human guidance", f"{self.human_guidance:g}"),
            ("human guidance rescaled", f"{rescale:g}" if rescale else "no"),
            ("people", "posed, on the ground" if self.people.is_posed else "as decoded"),
        )

    @property
    def choices(self) -> Choices:
        """Every choice that a new person and its camera depend on."""
        return (
            *self.human_choices,
            ("human latents for the camera", self.human_latents),
            *self.camera_choices,
        )


def _sampled(preset: PresetName) -> str:
    return f"{PRESETS[preset].method}, {PRESETS[preset].steps} steps"


# What users get.
SHIPPED = SamplingProtocol("shipped", aspect="16:9")
# What rows are measured with where nothing else is asked for: the paper's sampler and decoding of
# cameras, for people as users get them.
MEASURED = replace(
    SHIPPED, name="measured", camera_preset="reference", finish="held", aspect="decoded"
)
# Section 4.1 of the paper and its supplement.
PAPER = SamplingProtocol(
    name="paper",
    people=PeopleSampling(preset="reference", restraint=Restraint(), is_posed=False),
    human_guidance=PAPER_HUMAN_GUIDANCE,
    human_latents="sampled",
    camera_preset="reference",
    camera_guidance=1.5,
    finish="as-sampled",
    aspect="decoded",
)
PROTOCOLS: dict[ProtocolName, SamplingProtocol] = {"paper": PAPER}
