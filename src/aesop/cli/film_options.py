"""What film, shoot, act and sweep can be asked, and mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, UseAppendAction, arg

from aesop.cli.person_options import HumanGuidance, HumanPreset, Switch, asked_takes, people_way
from aesop.cli.terminal import refuse_both as refuse_both
from aesop.cli.terminal import refuse_flag, remark
from aesop.core.errors import AesopError, FileError, Progress
from aesop.models.phase_table import JOINT_METHODS, METHOD_NAMES, MethodName, method_of

if TYPE_CHECKING:
    from aesop.cli.batch import BatchManner
    from aesop.director.director import Director
    from aesop.director.finish import Finish
    from aesop.director.protocols import SamplingProtocol
    from aesop.director.requests import FilmRequest, ShootRequest
    from aesop.director.rule_based import Method
    from aesop.director.sampling import PeopleSampling
    from aesop.director.travel import Goal
    from aesop.files.motion_files import ReadOptions
    from aesop.flow.solvers import PresetName
    from aesop.scene.human import Clip
    from aesop.scene.intensity_curve import Intensity
    from aesop.scene.picture_format import PictureFormat
    from aesop.scene.shot import Shot

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
# The sizes of the vocabulary, written out: help must not wait for what it imports.
EndSize = Literal["extreme-wide", "wide", "full", "medium", "close-up", "extreme-close-up"]
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

    def director(self, people: "PeopleSampling | None" = None) -> "Director":
        """With people made as given, or as usual."""
        from aesop.director.director import load_director
        from aesop.director.sampling import USUAL_PEOPLE
        from aesop.text.encoders import text_encoder

        encoder = text_encoder(self.encoder or "minilm")
        return load_director(self.weights, encoder=encoder, people=people or USUAL_PEOPLE)


@dataclass(frozen=True)
class JobOptions(WeightOptions):
    """Where requests and weights come from."""

    batch: Annotated[
        Path | None,
        arg(
            help="Requests from a CSV file (docs/director.md); other flags are for rows that do "
            "not say. Started again, or on another machine that shares the folder, it goes on."
        ),
    ] = None
    keep_going: Annotated[
        Switch, arg(help="In a batch: make all rows that can be made, then tell of the others.")
    ] = False
    no_clobber: Annotated[Switch, arg(help="Never replace a file that is there.")] = False

    @property
    def manner(self) -> "BatchManner":
        from aesop.cli.batch import BatchManner

        return BatchManner(self.keep_going, self.no_clobber)

    def check_single(self, targets: Sequence[Sequence[Path]]) -> None:
        """What a single request may not be asked, and may not replace."""
        refuse_flag("--keep-going", self.keep_going, "without --batch", "Leave it away.")
        there = [path for path in chain.from_iterable(targets) if path.exists()]
        if self.no_clobber and there:
            raise FileError(
                f"{there[0]} is there already.", "Choose another name, or leave --no-clobber away."
            )


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
        Literal["instant", "fast", "reference"] | None,
        arg(
            help="`reference` is the paper's sampler, `fast` ends nearly there in a third of its "
            "time, `instant` in a tenth: few steps that were fitted to the model, usual where the "
            "weights have them."
        ),
    ] = None
    method: Annotated[
        Literal["model", "operator", "auto", MethodName],
        arg(
            help="Who films: the model, the rule-based operator, or the operator where the model "
            "loses the person, or disobeys and the operator obeys more. The others are the methods "
            "that AESOP is compared with; their weights are not shipped (docs/baselines.md)."
        ),
    ] = "model"
    first_take: Annotated[
        Switch, arg(help="Keep the first take instead of the best of several.")
    ] = False
    as_sampled: Annotated[
        Switch,
        arg(
            help="The first take as the paper decodes it: not corrected, nor held at rest or above "
            "the floor. A person made from words is not corrected either."
        ),
    ] = False
    protocol: Annotated[
        Literal["paper"] | None,
        arg(help="All choices of sampling at once: `paper` is the paper's (docs/director.md)."),
    ] = None

    @property
    def way(self) -> "SamplingProtocol":
        """How people and cameras are sampled, decoded and finished."""
        from aesop.director.protocols import PROTOCOLS, SHIPPED

        if self.protocol is not None:
            for flag, value in self._set_by_protocol.items():
                where = f"beside --protocol {self.protocol}, which sets it"
                refuse_flag(flag, value, where, "Leave one of them away.")
            return PROTOCOLS[self.protocol]
        guidance = SHIPPED.camera_guidance if self.guidance is None else self.guidance
        return replace(
            SHIPPED,
            people=people_way(self.first_take, self.as_sampled),
            camera_guidance=guidance,
            camera_preset=self.preset,
            finish="as-sampled" if self.as_sampled else SHIPPED.finish,
            aspect="decoded" if self.as_sampled else SHIPPED.aspect,
        )

    @property
    def _set_by_protocol(self) -> dict[str, object]:
        return self._of_camera

    @property
    def _of_camera(self) -> dict[str, object]:
        return {
            "--guidance": self.guidance,
            "--preset": self.preset,
            "--first-take": self.first_take,
            "--as-sampled": self.as_sampled,
        }

    @property
    def _unused_by_operator(self) -> dict[str, object]:
        return {**self._of_camera, "--protocol": self.protocol}

    @property
    def take(self) -> int | None:
        """The take of a request that says nothing of takes; None where the best is chosen."""
        return 0 if self.first_take else None

    @property
    def finish(self) -> "Finish":
        return self.way.finish

    @property
    def sampler(self) -> "PresetName | None":
        return self.way.camera_preset

    @property
    def camera_guidance(self) -> float:
        return self.way.camera_guidance

    def film(
        self,
        director: "Director",
        requests: Sequence["FilmRequest"],
        progress: Progress | None = None,
        picture: "PictureFormat | None" = None,
    ) -> list["Shot"]:
        """Whoever is asked to films. What the operator needs is read only for him."""
        from aesop.director.finish import usual_picture

        picture = picture or usual_picture(self.finish)
        if self.method == "model":
            return director.film_many(
                requests, self.sampler, progress, finish=self.finish, picture=picture
            )
        baseline = method_of(self.method)
        if baseline is not None:
            from aesop.director.baseline_films import film_by_baseline

            return film_by_baseline(
                baseline, director, requests, self.guidance, progress, self.plain_finish, picture
            )
        from aesop.director.rule_based import film_by

        return film_by(
            self.usual_method, director, requests, self.sampler, progress, self.finish, picture
        )

    def refuse_unused(self, weights: "WeightOptions | None" = None) -> None:
        """The rule-based operator samples nothing, and films without weights; what a protocol sets
        is refused beside it."""
        _ = self.way
        if self.method in METHOD_NAMES:
            self._refuse_unused_by_baseline()
        if self.method != "operator":
            return
        given = self._unused_by_operator
        if weights is not None:
            given |= {"--weights": weights.weights, "--encoder": weights.encoder}
        for flag, value in given.items():
            refuse_flag(flag, value, "for the rule-based operator", "Leave it away.")

    def _refuse_unused_by_baseline(self) -> None:
        """What is AESOP's own, and commands that such a method cannot carry out."""
        if self.method == "pulpmotion-ae":
            raise AesopError(
                "pulpmotion-ae makes nothing new.",
                "Measure it with `aesop measure run --task codec`.",
            )
        is_joint = self.method in JOINT_METHODS
        if not isinstance(self, FilmOptions) or is_joint != isinstance(self, ShootOptions):
            does = "makes person and camera together" if is_joint else "films given people"
            raise AesopError(
                f"{self.method} {does} at intensity 1.",
                f"Use it with `aesop {'shoot' if is_joint else 'film'}`.",
            )
        ours = ("preset", "first_take", "protocol", "intensity", "travel")
        flags = {f"--{name.replace('_', '-')}": getattr(self, name) for name in ours}
        if isinstance(self, ShootOptions):
            flags |= {"--actor": self.actor, **self.person_flags}
        for flag, value in flags.items():
            refuse_flag(flag, value, f"for {self.method}", "Leave it away.")

    @property
    def usual_method(self) -> "Method":
        """Who films, where it is not a method of others: those were refused or asked before."""
        assert self.method in ("model", "operator", "auto")
        return self.method

    @property
    def plain_finish(self) -> "Finish":
        """What is done to a camera of a method that is not ours."""
        return "as-sampled" if self.as_sampled else "held"


@dataclass(frozen=True)
class FilmOptions(CameraOptions):
    """How one request is met."""

    intensity: Annotated[
        str | None,
        arg(
            metavar="NUMBER_OR_CURVE",
            help="How far the camera travels; 1 is usual. Over time as seconds:value, eased "
            'between: "0:0.6 2.5:1.5 4:1" (docs/intensity.md).',
        ),
    ] = None
    travel: Annotated[
        float | None,
        arg(
            metavar="METRES",
            help="How far the camera travels in metres of the file; the intensity for that is "
            "found by filming, 0.5 to 1.5.",
        ),
    ] = None
    end_size: Annotated[
        EndSize | None,
        arg(help="On which size the shot ends; the intensity for that is found as for --travel."),
    ] = None
    takes: Annotated[int, arg(help="Several cameras, numbered in the file names.")] = 1

    keys: Annotated[
        Switch,
        arg(help="Few Bézier keys within 1 cm and 0.1° instead of one a frame: .py and .glb."),
    ] = False

    def refuse_unused(self, weights: "WeightOptions | None" = None) -> None:
        super().refuse_unused(weights)
        _ = self.asked_intensity  # refuses what is none
        for flag, value in (("--travel", self.travel), ("--end-size", self.end_size)):
            if value is not None:
                where = f"beside {flag}, which finds it"
                refuse_flag("--intensity", self.intensity, where, "Choose one.")
        _ = self.goal  # refuses what no camera can do

    def film(
        self,
        director: "Director",
        requests: Sequence["FilmRequest"],
        progress: Progress | None = None,
        picture: "PictureFormat | None" = None,
    ) -> list["Shot"]:
        answer = partial(super().film, director, progress=progress, picture=picture)
        goal = self.goal
        if goal is None:
            return answer(requests)
        from aesop.director.travel import film_for

        return film_for(answer, requests, goal)

    @property
    def goal(self) -> "Goal | None":
        """The way or the size that an intensity is to be found for."""
        if self.travel is None and self.end_size is None:
            return None
        from aesop.director.travel import goal_of

        return goal_of(self.travel, self.end_size)

    def refuse_goal(self) -> None:
        """Rows of a batch have intensities of their own."""
        for flag, value in (("--travel", self.travel), ("--end-size", self.end_size)):
            refuse_flag(flag, value, "for a batch", "Give intensities in its rows.")

    @property
    def asked_intensity(self) -> "Intensity | None":
        """The flag's: a number or a curve."""
        from aesop.scene.intensity_curve import intensity_from_text

        return None if self.intensity is None else intensity_from_text(self.intensity)

    def intensity_for(self, words: str, seconds: float) -> "Intensity":
        """The flag's, or what the words of the camera mean for a shot of this length."""
        from aesop.director.intensity_words import intensity_over

        return intensity_over(words, self.asked_intensity, seconds)

    @property
    def asked_takes(self) -> list[int | None]:
        """All that were asked for, or the one that is kept."""
        return asked_takes(self.takes, self.take)


@dataclass(frozen=True)
class ShootOptions(FilmOptions):
    """How person and camera are made."""

    human_guidance: HumanGuidance = None
    human_preset: HumanPreset = None
    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    camera_seed: Annotated[int | None, arg(help="Another camera for the same person.")] = None
    actor: Annotated[
        str | None,
        arg(
            metavar="FILE_OR_COMMAND",
            help="The person from elsewhere: a motion file, or a command that writes one, with "
            "{words} {seconds} {seed} and {output} in it.",
        ),
    ] = None

    def requests(self, human: str, camera: str) -> list["ShootRequest"]:
        """What person and camera are asked for, a request a take."""
        from aesop.director.requests import ShootRequest

        return [
            ShootRequest(
                human,
                camera,
                self.seconds,
                self.intensity_for(camera, self.seconds),
                self.seed,
                self.camera_seed,
                take,
                self.camera_guidance,
                self.way.human_guidance,
            )
            for take in self.asked_takes
        ]

    def actor_requests(
        self, human: str, camera: str, reading: "ReadOptions"
    ) -> list["FilmRequest"]:
        """What the camera is asked for where the person comes from elsewhere."""
        from aesop.director.requests import FilmRequest

        takes, clip = self.asked_takes, self._actor_clip(human, reading)
        seed = self.seed if self.camera_seed is None else self.camera_seed
        intensity = self.intensity_for(camera, clip.seconds)
        return [
            FilmRequest(clip, camera, intensity, seed, take, self.camera_guidance) for take in takes
        ]

    def _actor_clip(self, words: str, reading: "ReadOptions") -> "Clip":
        """The person whom the actor plays; what was noted on the way is for the terminal."""
        from aesop.files.actor import actor_clip, check_actor

        assert self.actor is not None
        for flag, value in self.person_flags.items():
            refuse_flag(flag, value, "with --actor", "Leave it away.")
        if Path(self.actor).exists():
            asked = None if self.seconds == SHOOT_DEFAULTS.seconds else self.seconds
            refuse_flag("--seconds", asked, "with a file as --actor", "Leave it away.")
        check_actor(self.actor)
        clip = actor_clip(self.actor, words, self.seconds, self.seed, reading)
        for note in clip.provenance.notes:
            remark(note)
        return clip

    @property
    def _set_by_protocol(self) -> dict[str, object]:
        return {**super()._set_by_protocol, **self.person_flags}

    @property
    def person_flags(self) -> dict[str, object]:
        return {"--human-guidance": self.human_guidance, "--human-preset": self.human_preset}

    @property
    def _unused_by_operator(self) -> dict[str, object]:
        """Whoever films, the person is the model's."""
        of_person = () if self.actor is not None else ("--first-take", "--as-sampled")
        given = super()._unused_by_operator.items()
        return {flag: value for flag, value in given if flag not in of_person}

    @property
    def way(self) -> "SamplingProtocol":
        way, guidance, preset = super().way, self.human_guidance, self.human_preset
        if preset is not None:
            way = replace(way, people=replace(way.people, preset=preset))
        return way if guidance is None else replace(way, human_guidance=guidance)

    def shoot(
        self,
        director: "Director",
        requests: Sequence["ShootRequest"],
        progress: Progress | None = None,
        picture: "PictureFormat | None" = None,
    ) -> list["Shot"]:
        answer = partial(self._shoot, director, progress=progress, picture=picture)
        goal = self.goal
        if goal is None:
            return answer(requests)
        from aesop.director.travel import film_for

        return film_for(answer, requests, goal)

    def _shoot(
        self,
        director: "Director",
        requests: Sequence["ShootRequest"],
        progress: Progress | None,
        picture: "PictureFormat | None",
    ) -> list["Shot"]:
        from aesop.director.finish import usual_picture

        picture = picture or usual_picture(self.finish)
        if self.method == "model":
            return director.shoot_many(
                requests, self.sampler, progress, finish=self.finish, picture=picture
            )
        baseline = method_of(self.method)
        if baseline is not None:
            from aesop.director.baseline_scenes import shoot_by_baseline

            return shoot_by_baseline(
                baseline, director, requests, self.guidance, progress, self.plain_finish, picture
            )
        from aesop.director.rule_based import shoot_by

        return shoot_by(
            self.usual_method, director, requests, self.sampler, progress, self.finish, picture
        )


SWEEP_DEFAULTS, FILM_DEFAULTS = CameraOptions(), FilmOptions()
SHOOT_DEFAULTS = ShootOptions()
JOB_DEFAULTS, WEIGHT_DEFAULTS = JobOptions(), WeightOptions()
