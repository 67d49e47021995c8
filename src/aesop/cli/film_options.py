"""What film, shoot, act and sweep can be asked, and what they write: names of takes, checks before
any work, and mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, UseAppendAction, arg

from aesop.cli.person_options import HumanGuidance, Switch, asked_takes, people_way
from aesop.cli.terminal import advise, missing, progress_bar, refuse_flag, remark, report, wrote
from aesop.cli.terminal import refuse_both as refuse_both
from aesop.core.errors import FileError, Progress
from aesop.export.delivery import USUAL_DELIVERY, Delivery

if TYPE_CHECKING:
    from aesop.cli.batch import BatchManner
    from aesop.director.director import Director
    from aesop.director.film_report import TakeRank
    from aesop.director.finish import Finish
    from aesop.director.protocols import SamplingProtocol
    from aesop.director.requests import FilmRequest, ShootRequest
    from aesop.director.sampling import PeopleSampling
    from aesop.files.motion_files import ReadOptions
    from aesop.flow.solvers import PresetName
    from aesop.scene.human import Clip
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
            camera_preset=self.preset or SHIPPED.camera_preset,
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
    def sampler(self) -> "PresetName":
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
        from aesop.director.rule_based import film_by

        return film_by(
            self.method, director, requests, self.sampler, progress, self.finish, picture
        )

    def refuse_unused(self, weights: "WeightOptions | None" = None) -> None:
        """The rule-based operator samples nothing, and films without weights; what a protocol sets
        is refused beside it."""
        _ = self.way
        if self.method != "operator":
            return
        given = self._unused_by_operator
        if weights is not None:
            given |= {"--weights": weights.weights, "--encoder": weights.encoder}
        for flag, value in given.items():
            refuse_flag(flag, value, "for the rule-based operator", "Leave it away.")


@dataclass(frozen=True)
class FilmOptions(CameraOptions):
    """How one request is met."""

    intensity: Annotated[float | None, arg(help="How far the camera travels; 1 is usual.")] = None
    takes: Annotated[int, arg(help="Several cameras, numbered in the file names.")] = 1

    keys: Annotated[
        Switch,
        arg(help="Few Bézier keys within 1 cm and 0.1° instead of one a frame: .py and .glb."),
    ] = False

    def intensity_for(self, words: str) -> float:
        """The flag's, or what the words of the camera mean."""
        from aesop.director.intensity_words import intensity_of

        return intensity_of(words, self.intensity)

    @property
    def asked_takes(self) -> list[int | None]:
        """All that were asked for, or the one that is kept."""
        return asked_takes(self.takes, self.take)


@dataclass(frozen=True)
class ShootOptions(FilmOptions):
    """How person and camera are made."""

    human_guidance: HumanGuidance = None
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
                self.intensity_for(camera),
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
        intensity = self.intensity_for(camera)
        return [
            FilmRequest(clip, camera, intensity, seed, take, self.camera_guidance) for take in takes
        ]

    def _actor_clip(self, words: str, reading: "ReadOptions") -> "Clip":
        """The person whom the actor plays; what was noted on the way is for the terminal."""
        from aesop.files.actor import actor_clip, check_actor

        assert self.actor is not None
        refuse_flag("--human-guidance", self.human_guidance, "with --actor", "Leave it away.")
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
        return {**super()._set_by_protocol, "--human-guidance": self.human_guidance}

    @property
    def _unused_by_operator(self) -> dict[str, object]:
        """Whoever films, the person is the model's."""
        of_person = () if self.actor is not None else ("--first-take", "--as-sampled")
        given = super()._unused_by_operator.items()
        return {flag: value for flag, value in given if flag not in of_person}

    @property
    def way(self) -> "SamplingProtocol":
        way, guidance = super().way, self.human_guidance
        return way if guidance is None else replace(way, human_guidance=guidance)

    def shoot(
        self,
        director: "Director",
        requests: Sequence["ShootRequest"],
        progress: Progress | None = None,
        picture: "PictureFormat | None" = None,
    ) -> list["Shot"]:
        from aesop.director.finish import usual_picture

        picture = picture or usual_picture(self.finish)
        if self.method == "model":
            return director.shoot_many(
                requests, self.sampler, progress, finish=self.finish, picture=picture
            )
        from aesop.director.rule_based import shoot_by

        return shoot_by(
            self.method, director, requests, self.sampler, progress, self.finish, picture
        )


SWEEP_DEFAULTS, FILM_DEFAULTS = CameraOptions(), FilmOptions()
SHOOT_DEFAULTS = ShootOptions()
JOB_DEFAULTS, WEIGHT_DEFAULTS = JobOptions(), WeightOptions()


def numbered(outputs: Sequence[Path], takes: int) -> list[list[Path]]:
    """The files of every take: as named for one, `name_take2.shot` for several."""
    if not outputs:
        raise missing("a file to write", "-o walk.shot")
    if len(set(outputs)) < len(outputs):
        raise FileError("A file is named twice.", "Give every output another name.")
    if takes <= 1:
        return [list(outputs)]
    from aesop.export.export_files import suffix_of

    endings = [suffix_of(path) for path in outputs]
    return [
        [
            path.with_name(f"{path.name.removesuffix(ending)}_take{take + 1}{ending}")
            for path, ending in zip(outputs, endings, strict=True)
        ]
        for take in range(takes)
    ]


def tell_keyless(paths: Sequence[Path], keys: bool) -> None:
    """Keys were asked for, and some of the files are written without."""
    from aesop.export.export_files import keyless

    if keys and (without := keyless(paths)):
        remark(f"no keys, but a value a frame: {', '.join(without)}")


def shot_targets(outputs: Sequence[Path], takes: int, keys: bool = False) -> list[list[Path]]:
    """The files of every take, after checking that each can be written."""
    from aesop.export.export_files import refuse_keys, shot_writer_for

    targets = numbered(outputs, takes)
    for path in chain.from_iterable(targets):
        shot_writer_for(path)
    refuse_keys(outputs, keys)
    tell_keyless(outputs, keys)
    return targets


def write_takes(
    shots: Sequence["Shot"],
    targets: Sequence[Sequence[Path]],
    as_json: bool,
    delivery: Delivery = USUAL_DELIVERY,
) -> None:
    """Write the takes of one request, and say of several which is best."""
    from aesop.director.film_report import ranked_together

    ranking = ranked_together(shots)
    for shot, paths in zip(shots, targets, strict=True):
        write_shot_files(shot, paths, as_json=as_json, ranking=ranking, delivery=delivery)


def write_shot_files(
    shot: "Shot",
    paths: Sequence[Path],
    *,
    as_json: bool = False,
    ranking: "tuple[TakeRank, ...]" = (),
    delivery: Delivery = USUAL_DELIVERY,
) -> None:
    """Write a shot, then say what happened in it."""
    from aesop.export.export_files import shot_writer_for

    for path in paths:
        writer = shot_writer_for(path)
        with progress_bar(f"writing {path.name}") as progress:
            written = writer.write(shot, path, progress, delivery)
        if not as_json:
            wrote(path)
            advise(path, writer.advice_on(written, keys=delivery.keys))
    tell_shot(shot, paths, paths[0].stem, as_json=as_json, ranking=ranking)


def tell_shot(
    shot: "Shot",
    paths: Sequence[Path],
    label: str,
    *,
    as_json: bool,
    ranking: "tuple[TakeRank, ...]" = (),
) -> None:
    """What happened in a shot: a line for people, or an object for programs."""
    from aesop.director.film_report import film_report

    facts = film_report(shot)
    if ranking:
        facts = replace(facts, ranking=ranking)
    if as_json:
        report(facts.as_json(files=[str(path) for path in paths]))
    else:
        remark(f"{label}: {facts.text}")
