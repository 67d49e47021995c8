"""What film, shoot, act and sweep write: names of takes, checks before any work, and what is said
of what was made."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from aesop.cli.terminal import advise, missing, progress_bar, remark, report, wrote
from aesop.core.errors import FileError
from aesop.export.delivery import USUAL_DELIVERY, Delivery

if TYPE_CHECKING:
    from aesop.director.film_report import TakeRank
    from aesop.scene.shot import Shot


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
