"""What film, shoot, act and sweep can be asked on the command line, besides motions and words."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, UseAppendAction, arg

from aesop.cli.motion import Fps, UnitsOption, UpOption
from aesop.cli.outputs import refuse_flag

if TYPE_CHECKING:
    from aesop.director.finishing import Finish
    from aesop.director.journey import Director
    from aesop.files.registry import ReadOptions
    from aesop.flow.presets import PresetName

Outputs = Annotated[
    tuple[Path, ...],
    UseAppendAction,
    arg(
        aliases=["-o"],
        metavar="FILE",
        help="What to write, by its suffix; may be given several times.",
    ),
]
AsJson = Annotated[
    bool,
    FlagCreatePairsOff,
    arg(name="json", help="One JSON object a shot on stdout: what happened, and its files."),
]
Switch = Annotated[bool, FlagCreatePairsOff]
HumanGuidance = Annotated[
    float | None, arg(help="How hard the person follows the words; the usual if not given.")
]
Motion = Annotated[Path | None, arg(metavar="MOTION")]
Sentence = Annotated[str | None, arg(metavar="WORDS")]


@dataclass(frozen=True)
class WeightOptions:
    """Where weights come from."""

    weights: Annotated[
        Path | None, arg(help="Folder of trained parts; those that came with AESOP if not given.")
    ] = None

    encoder: Annotated[
        str | None,
        arg(help="What the weights read words with: minilm (if not given), clip or clip:FOLDER."),
    ] = None

    def director(self) -> "Director":
        from aesop.director.journey import load_director
        from aesop.text.choice import text_encoder

        return load_director(self.weights, encoder=text_encoder(self.encoder or "minilm"))


@dataclass(frozen=True)
class JobOptions(WeightOptions):
    """Where requests and weights come from."""

    batch: Annotated[
        Path | None,
        arg(
            help="Requests from a CSV file (docs/director.md); other flags are for rows that do "
            "not say. Started again, it goes on."
        ),
    ] = None


@dataclass(frozen=True)
class CameraOptions:
    """How every camera is made."""

    seed: Annotated[
        int | None,
        arg(help="Another seed makes another answer; without, it belongs to motion and words."),
    ] = None
    guidance: Annotated[
        float | None, arg(help="How hard the camera follows the words; 1.5 if not given.")
    ] = None
    preset: Annotated[
        Literal["fast", "reference"] | None,
        arg(help="`reference` is the paper's sampler; `fast` if not given."),
    ] = None
    method: Annotated[
        Literal["model", "operator", "auto"],
        arg(
            help="Who films: the model, the rule-based operator, or the operator where the model "
            "loses the person."
        ),
    ] = "model"
    first_take: Annotated[
        Switch, arg(help="Keep the first take instead of the best of several.")
    ] = False
    as_sampled: Annotated[
        Switch, arg(help="The first take as the paper decodes it, uncorrected.")
    ] = False

    @property
    def take(self) -> int | None:
        """The take of a request that says nothing of takes; None where the best is chosen."""
        return 0 if self.first_take else None

    @property
    def finish(self) -> "Finish":
        return "as-sampled" if self.as_sampled else "hand"

    @property
    def sampler(self) -> "PresetName":
        return self.preset or "fast"

    @property
    def camera_guidance(self) -> float:
        from aesop.director.requests import GUIDANCE

        return GUIDANCE if self.guidance is None else self.guidance

    def refuse_unused(self, weights: "WeightOptions | None" = None) -> None:
        """The rule-based operator samples nothing, and films without weights."""
        if self.method != "operator":
            return
        given = {
            "--guidance": self.guidance,
            "--preset": self.preset,
            "--first-take": self.first_take,
            "--as-sampled": self.as_sampled,
        }
        if weights is not None:
            given |= {"--weights": weights.weights, "--encoder": weights.encoder}
        for flag, value in given.items():
            refuse_flag(flag, value, "for the rule-based operator", "Leave it away.")


@dataclass(frozen=True)
class FilmOptions(CameraOptions):
    """How one request is met."""

    intensity: Annotated[float, arg(help="How far the camera travels; 1 is usual.")] = 1.0
    takes: Annotated[int, arg(help="Several cameras, numbered in the file names.")] = 1

    @property
    def asked_takes(self) -> list[int | None]:
        """All that were asked for, or the one that is kept."""
        from aesop.director.requests import take_numbers

        takes = take_numbers(self.takes)
        if len(takes) == 1:
            return [self.take]
        given = self.first_take or None
        refuse_flag("--first-take", given, "for several takes: all are kept", "Leave it away.")
        return list(takes)


@dataclass(frozen=True)
class ShootOptions(FilmOptions):
    """How person and camera are made."""

    human_guidance: HumanGuidance = None
    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    camera_seed: Annotated[int | None, arg(help="Another camera for the same person.")] = None


@dataclass(frozen=True)
class ActOptions:
    """How a person is made."""

    human_guidance: HumanGuidance = None
    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    seed: Annotated[
        int | None, arg(help="Another seed makes another person; without, it belongs to the words.")
    ] = None
    takes: Annotated[int, arg(help="Several people, numbered in the file names.")] = 1


@dataclass(frozen=True)
class FileOptions:
    """What the motion file does not say."""

    fps: Fps = None
    units: UnitsOption = None
    up: UpOption = None

    def reading(self) -> "ReadOptions":
        from aesop.files.registry import ReadOptions

        return ReadOptions(fps=self.fps, units=self.units, up=self.up)


def person_guidance(options: ShootOptions | ActOptions) -> float:
    """What was asked for, or what people are usually guided with."""
    from aesop.director.requests import HUMAN_GUIDANCE

    return HUMAN_GUIDANCE if options.human_guidance is None else options.human_guidance


SWEEP_DEFAULTS, FILM_DEFAULTS = CameraOptions(), FilmOptions()
SHOOT_DEFAULTS, ACT_DEFAULTS = ShootOptions(), ActOptions()
FILE_DEFAULTS, JOB_DEFAULTS, WEIGHT_DEFAULTS = FileOptions(), JobOptions(), WeightOptions()
