"""What the camera of a take has to meet: views that somebody set, and parts of earlier takes that
stay. As the project keeps it, and as a command line names it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from aesop.core.whole_files import atomic_path
from aesop.director.requests import RequestError
from aesop.files.camera_files import FORMAT, VERSION
from aesop.files.shot_file import read_shot
from aesop.scene.human import NATIVE_FPS
from aesop.server.job_requests import record_from_json
from aesop.server.key_jobs import KeptPartJob, KeyJob, kept_job


@dataclass(frozen=True)
class KeptOf:
    """A part of another take's camera that a take keeps: which file it is from, and frames."""

    shot: str  # below the project's folder
    start: int
    stop: int


@dataclass(frozen=True)
class TakeKeys:
    """What the camera of a take has to meet."""

    keys: tuple[KeyJob, ...] = ()
    kept: tuple[KeptPartJob, ...] = ()
    parts: tuple[KeptOf, ...] = ()  # where each of the kept parts came from


NO_KEYS = TakeKeys()


def keys_texts(keys: TakeKeys) -> tuple[str, str, str]:
    """As the database has them."""
    keyed, kept, parts = (
        json.dumps([asdict(one) for one in some]) for some in (keys.keys, keys.kept, keys.parts)
    )
    return keyed, kept, parts


def keys_from_texts(keys: str, kept: str, parts: str) -> TakeKeys:
    """Inverse of `keys_texts`."""
    return TakeKeys(
        tuple(record_from_json(KeyJob, "keys", one) for one in json.loads(keys)),
        tuple(record_from_json(KeptPartJob, "kept", one) for one in json.loads(kept)),
        tuple(KeptOf(**one) for one in json.loads(parts)),
    )


def kept_of(path: Path, folder: Path, start_s: float, stop_s: float) -> tuple[KeptOf, KeptPartJob]:
    """A part of the camera in a shot's file below a project's folder."""
    shot = read_shot(path)
    start, stop = (min(max(round(one * shot.fps), 0), shot.frames) for one in (start_s, stop_s))
    if stop <= start:
        raise RequestError("The part to keep is empty.", "Keep a frame or more.")
    of = KeptOf(path.relative_to(folder).as_posix(), start, stop)
    return of, kept_job(shot.camera, range(start, stop))


def key_flags(keys: TakeKeys, aspect: float, folder: Path) -> list[str]:
    """Flags of `aesop film` for the same keys; each is a file in this folder, made if need be."""
    flags: list[str] = []
    for number, key in enumerate(keys.keys, start=1):
        path = folder / f"key_{number}.json"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _write_key(key, aspect, path)
        flags += ["--at", f"{key.seconds:g}:{path.resolve()}"]
    for part in keys.parts:
        last = part.stop - 1  # commands count the frame at the end in
        flags += ["--keep", f"{part.start / NATIVE_FPS:g}-{last / NATIVE_FPS:g}"]
    return flags


def _write_key(key: KeyJob, aspect: float, path: Path) -> None:
    """One camera as AESOP's camera table, which commands read."""
    frame = {
        "centre_m": key.centre_m,
        "world_from_camera": key.world_from_camera,
        "fov_vertical_deg": key.fov_vertical_deg,
    }
    table = {"format": FORMAT, "version": VERSION, "fps": NATIVE_FPS}
    text = json.dumps({**table, "aspect": aspect, "frames": [frame]}, indent=1)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
