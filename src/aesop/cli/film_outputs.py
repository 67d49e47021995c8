"""What film, shoot, act and sweep write: flags of the picture and of the world in which exports
stand, names of takes, checks before any work, and what is said of what was made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from aesop.cli.terminal import advise, missing, progress_bar, refuse_flag, remark, report, wrote
from aesop.core.errors import FileError
from aesop.export.delivery import USUAL_DELIVERY, Delivery, World

if TYPE_CHECKING:
    from aesop.director.film_report import TakeRank
    from aesop.director.finish import Finish
    from aesop.scene.picture_format import PictureFormat
    from aesop.scene.shot import Shot


@dataclass(frozen=True)
class DeliveryOptions:
    """The picture that is delivered, and the world in which exports are written."""

    aspect: Annotated[
        str | None, arg(metavar="W:H", help="16:9 if not given; 2.39, 9:16 or any W:H.")
    ] = None
    resolution: Annotated[
        str | None,
        arg(
            metavar="WxH",
            help="Pixels, such as 1920x1080: of control passes, and for programs that render.",
        ),
    ] = None
    fps: Annotated[
        float | None, arg(help="Frame rate of what is written; the motion's own if not given.")
    ] = None
    lens: Annotated[
        float | None, arg(metavar="MM", help="A fixed focal length instead of the model's lens.")
    ] = None
    sensor: Annotated[
        float | None, arg(metavar="MM", help="Width of the sensor; 36 if not given.")
    ] = None

    world: Annotated[
        World | None,
        arg(
            help="Exports in the units, axes and frames of the motion's file, with its skeleton "
            "(source, if not given), or in AESOP's own."
        ),
    ] = None

    def picture(self, finish: "Finish") -> "PictureFormat":
        """What was asked for; what was not is as usual."""
        from aesop.director.finish import usual_picture
        from aesop.scene.picture_format import aspect_from_text, resolution_from_text

        return usual_picture(finish).asked(
            None if self.aspect is None else aspect_from_text(self.aspect),
            None if self.resolution is None else resolution_from_text(self.resolution),
            self.sensor,
            self.lens,
        )

    def target(self, keys: bool) -> Delivery:
        """Where and how fast exports are written."""
        return Delivery(self.world or "source", self.fps, keys)

    def refuse_unused(self, outputs: Sequence[Path]) -> None:
        """A .shot holds the shot as it was filmed, whatever else is made of it; what we draw has no
        world but ours; and video has even sides."""
        from aesop.export.export_files import LENS_SUFFIXES, shot_writer_for, suffix_of

        if self.resolution is not None and any(suffix_of(it) in LENS_SUFFIXES for it in outputs):
            from aesop.preview.control_passes import refuse_odd
            from aesop.scene.picture_format import resolution_from_text

            refuse_odd(resolution_from_text(self.resolution))
        if all(path.suffix.lower() == ".shot" for path in outputs):
            refuse_flag("--fps", self.fps, "for .shot files", "Leave it away, or write another.")
        if not any(shot_writer_for(path).is_placed for path in outputs):
            where = "for what is not exported to another program's scene"
            refuse_flag("--world", self.world, where, "Leave it away.")


@dataclass(frozen=True)
class BatchPicture:
    """How the shots of all rows look, and how they are written."""

    picture: "PictureFormat"
    delivery: Delivery
    as_json: bool
    refuse_unused: Callable[[Sequence[Path]], None]

    @property
    def settings(self) -> tuple[str, ...]:
        return (repr(self.picture), repr(self.delivery))

    def check_all(self, paths: Sequence[Path]) -> None:
        """What none of the files can have is refused; files without keys are told."""
        from aesop.export.export_files import refuse_keys

        if paths:  # else all rows have mistakes of their own
            self.refuse_unused(paths)
            refuse_keys(paths, self.delivery.keys)
        tell_keyless(paths, self.delivery.keys)

    def write(self, shot: "Shot", paths: Sequence[Path]) -> None:
        write_shot_files(shot, paths, as_json=self.as_json, delivery=self.delivery)


DELIVERY_DEFAULTS = DeliveryOptions()


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


def shot_targets(
    outputs: Sequence[Path], takes: int, keys: bool = False, read: Sequence[Path] = ()
) -> list[list[Path]]:
    """The files of every take, after checking that each can be written and none replaces what is
    read."""
    from aesop.core.whole_files import refuse_replacing
    from aesop.export.export_files import refuse_keys, shot_writer_for

    targets = numbered(outputs, takes)
    for path in chain.from_iterable(targets):
        shot_writer_for(path)
    refuse_replacing(chain.from_iterable(targets), read)
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
