"""What `act` can be asked, how people are made, and what is said of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, arg

from aesop.cli.terminal import advise, progress_bar, refuse_flag, remark, report, wrote

if TYPE_CHECKING:
    from aesop.director.sampling import PeopleSampling
    from aesop.flow.solvers import PresetName
    from aesop.scene.human import Clip

PersonAsJson = Annotated[
    bool,
    FlagCreatePairsOff,
    arg(name="json", help="One JSON object a person on stdout: what happened, and its files."),
]
Switch = Annotated[bool, FlagCreatePairsOff]
HumanGuidance = Annotated[
    float | None, arg(help="How hard the person follows the words; the usual if not given.")
]

HumanPreset = Annotated[
    Literal["instant", "fast", "reference"] | None,
    arg(
        help="How the person is sampled: `reference` is the paper's sampler, `fast` ends nearly "
        "there in a third of its time (if not given), `instant` in a sixth, a little less obedient."
    ),
]


@dataclass(frozen=True)
class ActOptions:
    """How a person is made."""

    human_guidance: HumanGuidance = None
    human_preset: HumanPreset = None
    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    seed: Annotated[
        int | None, arg(help="Another seed makes another person; without, it belongs to the words.")
    ] = None
    takes: Annotated[int, arg(help="Several people, numbered in the file names.")] = 1
    first_take: Annotated[
        Switch, arg(help="Keep the first take instead of the best of several.")
    ] = False
    as_sampled: Annotated[
        Switch,
        arg(help="The first take as sampled: feet may slide, and nothing is smoothed."),
    ] = False

    @property
    def people(self) -> "PeopleSampling":
        return people_way(self.first_take, self.as_sampled, self.human_preset)

    @property
    def guidance(self) -> float:
        """What was asked for, or what people are usually guided with."""
        from aesop.director.requests import HUMAN_GUIDANCE

        return HUMAN_GUIDANCE if self.human_guidance is None else self.human_guidance

    @property
    def take(self) -> int | None:
        """The take of a request that says nothing of takes; None where the best is chosen."""
        return 0 if self.first_take else None

    @property
    def asked_takes(self) -> list[int | None]:
        """All that were asked for, or the one that is kept."""
        return asked_takes(self.takes, self.take)


def people_way(
    first_take: bool, as_sampled: bool, preset: "PresetName | None" = None
) -> "PeopleSampling":
    """How people are made, by the flags that change it."""
    from aesop.director.sampling import USUAL_PEOPLE

    way = USUAL_PEOPLE if preset is None else replace(USUAL_PEOPLE, preset=preset)
    if as_sampled:
        return replace(way, finish="as-sampled")
    return replace(way, finish="standing") if first_take else way


def asked_takes(takes: int, kept: int | None) -> list[int | None]:
    """All takes that were asked for, or the one that is kept: a number, or None for the best."""
    from aesop.director.requests import take_numbers

    numbers = take_numbers(takes)
    if len(numbers) == 1:
        return [kept]
    given = None if kept is None else True
    refuse_flag("--first-take", given, "for several takes: all are kept", "Leave it away.")
    return list(numbers)


ACT_DEFAULTS = ActOptions()


def write_clip_files(clip: "Clip", paths: Sequence[Path], *, as_json: bool = False) -> None:
    """Write a person, then say what happened to it."""
    from aesop.director.act_report import act_report
    from aesop.export.export_files import clip_writer_for

    for path in paths:
        writer = clip_writer_for(path)
        with progress_bar(f"writing {path.name}") as progress:
            writer.write(clip, path, progress)
        if not as_json:
            wrote(path)
            advise(path, writer.advice_on(clip))
    facts = act_report(clip)
    assert facts is not None, "only people made from words are written here"
    if as_json:
        report(facts.as_json(files=[str(path) for path in paths]))
    else:
        remark(f"{paths[0].stem}: {facts.text}")
