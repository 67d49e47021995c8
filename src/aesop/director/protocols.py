"""Every choice between a request and a shot in one record, by name. The paper's protocol is one of
them; whatever the Director learns to do later gets a field here, and the paper's value for it."""

from dataclasses import dataclass, replace
from typing import Literal

from aesop.director.acting import PERSON_TAKES
from aesop.director.best_take import TAKES, TAKES_BY_FACTS
from aesop.director.finish import FINISHINGS, Finish
from aesop.director.requests import GUIDANCE, HUMAN_GUIDANCE, PAPER_HUMAN_GUIDANCE
from aesop.director.sampling import USUAL_PEOPLE, PeopleSampling
from aesop.flow.guided_sampling import Restraint
from aesop.flow.solvers import PRESETS, PresetName

ProtocolName = Literal["paper"]
PAPER_PRESET: PresetName = "reference"
_BEST = (
    f"best of {TAKES}, or of {TAKES_BY_FACTS} where more than a movement is asked for; twice as "
    "many where all miss something"
)
_PLAIN = "half of the takes in plain terms"
Choices = tuple[tuple[str, str], ...]  # what was chosen, in the words of a table


@dataclass(frozen=True)
class SamplingProtocol:
    """How people and cameras are sampled, decoded and finished.

    Cameras without a preset are sampled by the quickest that the weights have
    (`Director.quickest_preset`). `aspect` is the median of the decoded tangents, or what users get
    who ask for no picture (`finish.usual_picture`).
    """

    name: str
    people: PeopleSampling = USUAL_PEOPLE
    human_guidance: float = HUMAN_GUIDANCE
    camera_preset: PresetName | None = None
    camera_guidance: float = GUIDANCE
    finish: Finish = "hand"
    aspect: Literal["decoded", "16:9"] = "decoded"

    @property
    def human_latents(self) -> Literal["sampled", "of the person shown"]:
        """What the camera of a new person reads: the latents that a person who is shown as decoded
        was decoded from, or the person who is shown, encoded."""
        return "sampled" if self.people.finish == "as-decoded" else "of the person shown"

    @property
    def camera_choices(self) -> Choices:
        """Every choice that the camera of a given person depends on."""
        how = FINISHINGS[self.finish]
        return (
            ("camera sampling", _sampled(self.camera_preset)),
            ("camera guidance", f"{self.camera_guidance:g}"),
            ("camera decoding", "as in the paper" if how.decoding == "paper" else how.decoding),
            ("camera words", "in plain terms" if how.hears_plain else "as typed"),
            ("camera take", _BEST if how.chooses_take else "first"),
            ("operator's hand", "yes" if how.is_steadied else "no"),
            ("held at rest, above the floor", "yes" if how.is_held else "no"),
            ("aspect", self.aspect),
        )

    @property
    def with_first_people(self) -> "SamplingProtocol":
        """The same with the first take of every person, where the best would be chosen."""
        if not self.people.finishing.chooses_take:
            return self
        return replace(self, people=replace(self.people, finish="standing"))

    @property
    def human_choices(self) -> Choices:
        """Every choice that a new person depends on."""
        rescale, body = self.people.restraint.rescale, self.people.finishing
        return (
            ("human sampling", _sampled(self.people.preset)),
            ("human guidance", f"{self.human_guidance:g}"),
            ("human guidance rescaled", f"{rescale:g}" if rescale else "no"),
            ("people", self.people.finish.replace("-", " ")),
            ("bones of our skeleton, on the ground", "yes" if body.is_posed else "no"),
            ("feet stand, unrest smoothed", "yes" if body.is_corrected else "no"),
            ("sampled longer, the end cut off", "yes" if body.is_cut else "no"),
            ("turns on the spot as far as asked", "yes" if body.is_corrected else "no"),
            ("person's words", _PLAIN if body.hears_plain else "as typed"),
            ("person's take", f"best of {PERSON_TAKES}" if body.chooses_take else "first"),
        )

    @property
    def choices(self) -> Choices:
        """Every choice that a new person and its camera depend on."""
        return (
            *self.human_choices,
            ("human latents for the camera", self.human_latents),
            *self.camera_choices,
        )


def _sampled(preset: PresetName | None) -> str:
    if preset is None:
        return "the quickest that the weights have"
    if preset == "instant":
        return "fitted, few steps"
    return f"{PRESETS[preset].method}, {PRESETS[preset].steps} steps"


# What users get.
SHIPPED = SamplingProtocol("shipped", aspect="16:9")
# What rows are measured with where nothing else is asked for: the paper's sampler and decoding of
# cameras, for people as they are sampled for users.
MEASURED = replace(
    SHIPPED,
    name="measured",
    people=replace(USUAL_PEOPLE, finish="as-sampled"),
    camera_preset=PAPER_PRESET,
    finish="held",
    aspect="decoded",
)
# Section 4.1 of the paper and its supplement.
PAPER = SamplingProtocol(
    name="paper",
    people=PeopleSampling(preset=PAPER_PRESET, restraint=Restraint(), finish="as-decoded"),
    human_guidance=PAPER_HUMAN_GUIDANCE,
    camera_preset=PAPER_PRESET,
    camera_guidance=1.5,
    finish="as-sampled",
    aspect="decoded",
)
PROTOCOLS: dict[ProtocolName, SamplingProtocol] = {"paper": PAPER}
