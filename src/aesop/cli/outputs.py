"""What film, shoot and act write: names of takes, checks before any work, writing, and mistakes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.errors import AesopError, FileError

if TYPE_CHECKING:
    from aesop.director.film_report import TakeRank
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot


def numbered(outputs: Sequence[Path], takes: int) -> list[list[Path]]:
    """The files of every take: as named for one, `name_take2.shot` for several."""
    if not outputs:
        raise missing("a file to write", "-o walk.shot")
    if len(set(outputs)) < len(outputs):
        raise FileError("A file is named twice.", "Give every output another name.")
    if takes <= 1:
        return [list(outputs)]
    return [
        [path.with_name(f"{path.stem}_take{take + 1}{path.suffix}") for path in outputs]
        for take in range(takes)
    ]


def shot_targets(outputs: Sequence[Path], takes: int) -> list[list[Path]]:
    """The files of every take, after checking that each can be written."""
    from aesop.export.registry import shot_writer_for

    targets = numbered(outputs, takes)
    for path in (path for paths in targets for path in paths):
        shot_writer_for(path)
    return targets


def write_takes(shots: Sequence["Shot"], targets: Sequence[Sequence[Path]], as_json: bool) -> None:
    """Write the takes of one request, and say of several which is best."""
    from aesop.director.film_report import ranked_together

    ranking = ranked_together(shots)
    for shot, paths in zip(shots, targets, strict=True):
        write_shot_files(shot, paths, as_json=as_json, ranking=ranking)


def write_shot_files(
    shot: "Shot",
    paths: Sequence[Path],
    *,
    as_json: bool = False,
    ranking: "tuple[TakeRank, ...]" = (),
) -> None:
    """Write a shot, then say what happened in it."""
    from aesop.export.registry import shot_writer_for

    for path in paths:
        with progress_bar(f"writing {path.name}") as progress:
            shot_writer_for(path).write(shot, path, progress)
        if not as_json:
            wrote(path)
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

    found = film_report(shot)
    if ranking:
        found = replace(found, ranking=ranking)
    if as_json:
        report(found.as_json(files=[str(path) for path in paths]))
    else:
        remark(f"{label}: {found.text}")


def write_clip_files(clip: "Clip", paths: Sequence[Path]) -> None:
    from aesop.export.registry import clip_writer_for

    for path in paths:
        with progress_bar(f"writing {path.name}") as progress:
            clip_writer_for(path).write(clip, path, progress)
        wrote(path)


def missing(what: str, example: str) -> AesopError:
    return AesopError(f"The command needs {what}.", f"Such as: {example}")


def refuse_both(command: str, *given: object) -> None:
    """Motions, words and outputs of a batch stand in its file."""
    if any(item is not None for item in given):
        raise AesopError(
            f"{command} takes motions, words and outputs from its file.",
            "Give either the file or a single request.",
        )


def refuse_flag(flag: str, value: object, where: str, remedy: str) -> None:
    """A flag that was given although it means nothing there."""
    if value is not None and value is not False and value != ():
        raise AesopError(f"{flag} means nothing {where}.", remedy)
