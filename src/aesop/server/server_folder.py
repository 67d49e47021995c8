"""What a server keeps: uploaded motions, accepted jobs and their answers, each in a folder of its
own. A job is written down before it is begun, so that a killed server goes on with it."""

import json
import logging
import os
import re
import secrets
import shutil
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from aesop.core.claims import Claim, claim_piece
from aesop.core.errors import AesopError, FileError
from aesop.core.hashing import file_sha256, text_sha256
from aesop.core.whole_files import atomic_path, write_errors
from aesop.files.motion_files import READERS, ReadOptions, read_motion
from aesop.scene.human import Clip
from aesop.scene.shot import require_filmable, told_survey
from aesop.server.job_requests import HttpError, JobRequest, job_as_json, job_from_json

log = logging.getLogger(__name__)

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED: frozenset[State] = frozenset({"done", "failed", "cancelled"})
MOST_MOTIONS, MOST_JOBS = 256, 1024
MOST_BYTES = 8 * 2**30
LONGEST_NAME = 100
# Motions that stay parsed: a person films the same one again and again.
CLIPS_IN_MEMORY = 4
_ID = re.compile(r"[0-9a-f]{16}")
_JOB, _MOTION = "job.json", "motion.json"


@dataclass(frozen=True)
class KeptMotion:
    """A motion that was uploaded, and what was understood of it."""

    id: str
    name: str  # as the sender calls it; no file is called that
    suffix: str
    options: ReadOptions
    understood: Mapping[str, Any]
    number: int


@dataclass(frozen=True)
class KeptJob:
    """An accepted request and how far it is. Answers say what happened in each, as `--json` does
    on the command line."""

    id: str
    number: int
    request: JobRequest
    state: State = "waiting"
    done: int = 0
    total: int = 0
    error: Mapping[str, str] | None = None
    answers: tuple[Mapping[str, Any], ...] = ()

    @property
    def ended(self) -> bool:
        return self.state in ENDED


def new_id() -> str:
    return secrets.token_hex(8)


def error_json(error: AesopError) -> dict[str, str]:
    """A user's mistake as programs read it."""
    return {"fact": error.fact, "remedy": error.remedy, "text": str(error)}


def checked_name(name: str) -> tuple[str, str]:
    """A file name that a sender gave, and the suffix of ours that it ends in."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        remedy = f"Give a name of 1 to {LONGEST_NAME} characters, such as walk.bvh."
        raise HttpError(400, "The name of the file is empty, long or unprintable.", remedy)
    if "/" in name or "\\" in name or name.startswith("."):
        raise HttpError(400, f"The name {name!r} names a folder.", "Give a name such as walk.bvh.")
    known = sorted({reader.suffix for reader in READERS})
    for suffix in known:
        if name.lower().endswith(suffix):
            return name, suffix
    listed = ", ".join(known)
    raise HttpError(400, f"{name} cannot be read as a motion.", f"Known suffixes: {listed}.")


def understood_of(clip: Clip) -> dict[str, Any]:
    """What `aesop check` says of a motion, for programs."""
    why_not: str | None = None
    try:
        require_filmable(clip)
    except AesopError as problem:
        why_not = str(problem)
    return {
        "source": clip.provenance.source,
        "rotations": clip.provenance.rotations,
        "notes": list(clip.provenance.notes),
        **asdict(told_survey(clip)),
        "is_filmable": why_not is None,
        "why_not": why_not,
    }


class ServerFolder:
    """Motions and jobs on disk, never more than so many and so large: the oldest go first. Ids are
    looked up here, so nothing that a request says ever becomes a path."""

    def __init__(
        self, path: Path, most_bytes: int = MOST_BYTES, most_motions: int = MOST_MOTIONS
    ) -> None:
        self.path, self._most_bytes, self._most_motions = path, most_bytes, most_motions
        self._lock = RLock()
        self._claim: Claim | None = None
        self._motions: dict[str, KeptMotion] = {}
        self._jobs: dict[str, KeptJob] = {}
        self._bytes: dict[Path, int] = {}
        self._clips: OrderedDict[str, Clip] = OrderedDict()
        self._number = 0

    def take(self) -> list[KeptJob]:
        """Take the folder, and give back the jobs that an earlier server left unfinished."""
        with write_errors(self.path):
            for name in ("motions", "jobs", "incoming"):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            self._claim = claim_piece(self.path / "serving")
        if self._claim is None:
            raise FileError(
                f"Another server uses the folder {self.path}.", "Stop it, or name another folder."
            )
        shutil.rmtree(self.path / "incoming", ignore_errors=True)
        (self.path / "incoming").mkdir()
        for folder in sorted((self.path / "motions").iterdir()):
            self._load(folder, _MOTION, self._load_motion)
        for folder in sorted((self.path / "jobs").iterdir()):
            self._load(folder, _JOB, self._load_job)
        left = sorted((job for job in self._jobs.values() if not job.ended), key=lambda j: j.number)
        return left

    def close(self) -> None:
        if self._claim is not None:
            self._claim.release()

    def _load(self, folder: Path, name: str, load: Any) -> None:
        try:
            load(folder.name, json.loads((folder / name).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, AesopError) as problem:
            log.warning("%s was left by another AESOP or is damaged: %s", folder, problem)
        else:
            self._bytes[folder] = _size(folder)

    def _load_motion(self, motion: str, values: dict[str, Any]) -> None:
        name, suffix = checked_name(values["name"])
        options, number = ReadOptions(**values["options"]), int(values["number"])
        kept = KeptMotion(motion, name, suffix, options, values["understood"], number)
        self._motions[motion] = kept
        self._number = max(self._number, number)

    def _load_job(self, name: str, values: dict[str, Any]) -> None:
        request = job_from_json(values["verb"], values["request"])
        number, state = int(values["number"]), values["state"]
        ended = state in ENDED
        self._jobs[name] = KeptJob(
            name,
            number,
            request,
            state if ended else "waiting",
            error=values["error"],
            answers=tuple(values["answers"]),
        )
        self._number = max(self._number, number)

    def incoming(self, suffix: str) -> Path:
        """A new file for a body to be received into."""
        folder = self.path / "incoming" / new_id()
        folder.mkdir()
        return folder / f"motion{suffix}"

    def add_motion(self, received: Path, name: str, options: ReadOptions) -> KeptMotion:
        """Read what was received; it is kept under an id that belongs to its bytes."""
        _, suffix = checked_name(name)
        facts = (file_sha256(received), name, str(options))
        motion = text_sha256(*facts)[:16]
        try:
            clip = _read(received, name, options)
            with self._lock:
                self._number += 1
                kept = KeptMotion(motion, name, suffix, options, understood_of(clip), self._number)
                folder = self._folder("motions", motion)
                if motion not in self._motions:
                    _write_json(received.parent / _MOTION, asdict(kept))
                    shutil.rmtree(folder, ignore_errors=True)  # what nobody could load
                    received.parent.rename(folder)
                self._motions[motion] = kept
                self._bytes[folder] = _size(folder)
                self._make_room()
            return kept
        finally:
            shutil.rmtree(received.parent, ignore_errors=True)

    def motion(self, motion: str) -> KeptMotion:
        with self._lock:
            if _ID.fullmatch(motion) and motion in self._motions:
                return self._motions[motion]
        raise HttpError(404, f"There is no motion {motion[:40]!r}.", "Upload it (again).")

    def motions(self) -> list[KeptMotion]:
        """The newest first."""
        with self._lock:
            return sorted(self._motions.values(), key=lambda kept: -kept.number)

    def clip(self, motion: str) -> Clip:
        """The motion, parsed; the last few stay in memory."""
        kept = self.motion(motion)
        with self._lock:
            if motion in self._clips:
                self._clips.move_to_end(motion)
                return self._clips[motion]
        path = self._folder("motions", motion) / f"motion{kept.suffix}"
        clip = _read(path, kept.name, kept.options)
        with self._lock:
            self._clips[motion] = clip
            while len(self._clips) > CLIPS_IN_MEMORY:
                self._clips.popitem(last=False)
        return clip

    def remove_motion(self, motion: str) -> None:
        kept = self.motion(motion)
        with self._lock:
            if any(self._uses(job, kept.id) for job in self._jobs.values()):
                raise HttpError(
                    409, "A job that waits or runs needs this motion.", "Cancel it first."
                )
            self._remove(self._motions, "motions", kept.id)
            self._clips.pop(kept.id, None)

    def new_job(self, request: JobRequest) -> KeptJob:
        """A job that is written down and waits."""
        with self._lock:
            self._number += 1
            job = KeptJob(new_id(), self._number, request)
            self._folder("jobs", job.id).mkdir()
            self.save(job)
            self._make_room()
        return job

    def save(self, job: KeptJob) -> None:
        """The job as it is now. How far it is is not written to disk."""
        with self._lock:
            before = self._jobs.get(job.id)
            self._jobs[job.id] = job
            if before is not None and before.state == job.state:
                return
            values = {
                "number": job.number,
                "verb": job.request.verb,
                "request": job_as_json(job.request),
                "state": job.state,
                "error": job.error,
                "answers": job.answers,
            }
            _write_json(self._folder("jobs", job.id) / _JOB, values)

    def job(self, job: str) -> KeptJob:
        with self._lock:
            if _ID.fullmatch(job) and job in self._jobs:
                return self._jobs[job]
        raise HttpError(404, f"There is no job {job[:40]!r}.", "Old jobs are removed; ask again.")

    def jobs(self) -> list[KeptJob]:
        """The newest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.number)

    def remove_job(self, job: str) -> None:
        kept = self.job(job)
        with self._lock:
            self._remove(self._jobs, "jobs", kept.id)

    def answer_file(self, job: KeptJob, name: str) -> Path:
        """A file of a job; `name` is ours, never a request's."""
        return self._folder("jobs", job.id) / name

    def motion_file(self, kept: KeptMotion, name: str) -> Path:
        return self._folder("motions", kept.id) / name

    def grew(self, path: Path) -> None:
        """A file was written: make room for it."""
        with self._lock:
            self._bytes[path.parent] = _size(path.parent)
            self._make_room(keep=path.parent)

    @property
    def bytes(self) -> int:
        with self._lock:
            return sum(self._bytes.values())

    def _folder(self, kind: str, name: str) -> Path:
        return self.path / kind / name

    def _uses(self, job: KeptJob, motion: str) -> bool:
        return not job.ended and getattr(job.request, "motion", None) == motion

    def _make_room(self, keep: Path | None = None) -> None:
        """Remove the oldest that nobody waits for, until all fits."""
        busy = {getattr(j.request, "motion", None) for j in self._jobs.values() if not j.ended}
        jobs = [job for job in self._jobs.values() if job.ended]
        motions = [kept for kept in self._motions.values() if kept.id not in busy]
        for old in sorted([*jobs, *motions], key=lambda one: one.number):
            is_job = isinstance(old, KeptJob)
            too_many = (
                len(self._jobs) > MOST_JOBS if is_job else len(self._motions) > self._most_motions
            )
            kind = "jobs" if is_job else "motions"
            if self._folder(kind, old.id) == keep or old.number == self._number:
                continue
            if too_many or self.bytes > self._most_bytes:
                self._remove(self._jobs if is_job else self._motions, kind, old.id)

    def _remove(self, table: dict[str, Any], kind: str, name: str) -> None:
        del table[name]
        folder = self._folder(kind, name)
        self._bytes.pop(folder, None)
        shutil.rmtree(folder, ignore_errors=True)


def _read(path: Path, name: str, options: ReadOptions) -> Clip:
    """A motion under the name that its sender gave it; errors too speak of that name."""
    try:
        clip = read_motion(path, options)
    except AesopError as problem:
        texts = [text.replace(str(path), name) for text in (problem.fact, problem.remedy)]
        # A glTF may name files beside it, which did not come along.
        shown = [text.replace(f"{path.parent}{os.sep}", "") for text in texts]
        raise HttpError(400, *shown) from None
    origin = replace(clip.provenance, source=clip.provenance.source.replace(path.name, name))
    source = None if clip.source is None else replace(clip.source, file=name)
    return replace(clip, name=Path(name).stem, provenance=origin, source=source)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write_json(path: Path, values: object) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(values) + "\n", encoding="utf-8", newline="\n")
