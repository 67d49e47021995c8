"""The queue: one thread that makes what was asked for, one job after the other, and writes it down.

A single worker is enough: a film keeps every core busy. Equal requests get equal answers, to the
bit, because no job shares a batch with another.
"""

import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Condition, Thread
from typing import Protocol, runtime_checkable

from aesop.core.errors import AesopError
from aesop.director.act_report import act_report
from aesop.director.director import Director
from aesop.director.film_report import film_report
from aesop.files.shot_file import write_clip, write_shot
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.server.job_requests import HttpError, JobRequest, checked_job
from aesop.server.server_folder import KeptJob, ServerFolder, error_json

log = logging.getLogger(__name__)

MOST_WAITING = 512


class CancelledJobError(Exception):
    """Raised where a running job says how far it is, once somebody has cancelled it."""


@runtime_checkable
class JobListener(Protocol):
    """Somebody who keeps what jobs make. Told before a job counts as done: of a server that is
    killed in between, the job is made and told of again. Not told once the queue is closed."""

    def answered(self, job: KeptJob, answers: Sequence[Shot | Clip]) -> None: ...

    def ended(self, job: KeptJob) -> None:
        """Done, failed or cancelled, and written down as that."""
        ...


class JobQueue:
    """Accepts jobs, makes them in order, and forgets none that was accepted. What somebody waits
    for comes before what is made in advance."""

    def __init__(
        self, folder: ServerFolder, director: Director, listener: JobListener | None = None
    ) -> None:
        self._folder, self.director, self._listener = folder, director, listener
        self._change = Condition()
        self._waiting: deque[str] = deque()
        self._in_advance: set[str] = set()
        self._cancelled: set[str] = set()
        self._ends = False
        self._thread = Thread(target=self._work, name="films", daemon=True)

    def start(self, left: Sequence[KeptJob]) -> None:
        """Begin with the jobs that an earlier server left."""
        self._waiting.extend(job.id for job in left)
        self._thread.start()

    def close(self) -> None:
        """Make no more. What runs stays written down, and a server on this folder goes on."""
        with self._change:
            self._ends = True
            self._change.notify_all()

    def listen(self, listener: JobListener) -> None:
        """Before the queue is started."""
        self._listener = listener

    def submit(
        self,
        request: JobRequest,
        *,
        in_advance: bool = False,
        noted: Callable[[KeptJob], None] | None = None,
    ) -> KeptJob:
        """Write a job down and let it wait; `noted` sees it before anybody works on it."""
        checked_job(request, self._folder.clip)
        with self._change:
            if len(self._waiting) >= MOST_WAITING:
                raise HttpError(503, f"{MOST_WAITING} jobs wait already.", "Try again in a minute.")
            job = self._folder.new_job(request)
            if noted is not None:
                noted(job)
            if in_advance:
                self._in_advance.add(job.id)
                self._waiting.append(job.id)
            else:
                self._waiting.insert(self._before_what_can_wait(), job.id)
            self._change.notify_all()
        return job

    def _before_what_can_wait(self) -> int:
        for at, job in enumerate(self._waiting):
            if job in self._in_advance:
                return at
        return len(self._waiting)

    def cancel(self, job: str) -> KeptJob:
        """At once if it waits; where it next says how far it is if it runs."""
        with self._change:
            kept = self._folder.job(job)
            if kept.state == "waiting":
                self._waiting.remove(kept.id)
                kept = replace(kept, state="cancelled")
                self._end(kept)
            elif kept.state == "running":
                self._cancelled.add(kept.id)
            return kept

    def place(self, job: str) -> int | None:
        """How many come before it; None once it runs."""
        with self._change:
            return self._waiting.index(job) if job in self._waiting else None

    @property
    def waiting(self) -> int:
        with self._change:
            return len(self._waiting)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                made = self._made(job)
            except CancelledJobError:
                if not self._ends:
                    self._end(replace(self._folder.job(job.id), state="cancelled"))
            except AesopError as problem:
                failed = replace(self._folder.job(job.id), state="failed")
                self._end(replace(failed, error=error_json(problem)))
            except Exception as problem:
                log.exception("a job failed by a mistake of ours")
                fact = f"AESOP made a mistake of its own ({type(problem).__name__})."
                mistake = AesopError(fact, "Report it, with what the server printed.")
                failed = replace(self._folder.job(job.id), state="failed")
                self._end(replace(failed, error=error_json(mistake)))
            else:
                self._end(made)

    def _next(self) -> KeptJob | None:
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._ends)
            if self._ends:
                return None
            job = replace(self._folder.job(self._waiting.popleft()), state="running")
            self._in_advance.discard(job.id)
            self._folder.save(job)
            return job

    def _made(self, job: KeptJob) -> KeptJob:
        def progress(done: int, total: int) -> None:
            if self._ends or job.id in self._cancelled:
                raise CancelledJobError
            self._folder.save(replace(self._folder.job(job.id), done=done, total=total))

        answers = job.request.answer(self.director, self._folder.clip, progress)
        for number, answer in enumerate(answers, start=1):
            self._write(job, number, answer)
        progress(len(answers), len(answers))
        with self._change:  # whoever closes the queue waits until this is kept
            if self._ends:
                raise CancelledJobError
            if self._listener is not None:
                self._listener.answered(job, answers)
        facts = tuple(_facts(answer) for answer in answers)
        return replace(self._folder.job(job.id), state="done", answers=facts)

    def _write(self, job: KeptJob, number: int, answer: Shot | Clip) -> None:
        if isinstance(answer, Shot):
            path = self._folder.answer_file(job, f"{number}.shot")
            write_shot(answer, path)
        else:
            path = self._folder.answer_file(job, f"{number}.clip")
            write_clip(answer, path)
        self._folder.grew(path)

    def _end(self, job: KeptJob) -> None:
        with self._change:
            self._cancelled.discard(job.id)
            self._in_advance.discard(job.id)
            self._folder.save(job)
            if self._listener is not None and not self._ends:
                self._listener.ended(job)


def _facts(answer: Shot | Clip) -> dict[str, object]:
    """What `--json` says of a shot or a person."""
    if isinstance(answer, Shot):
        return json.loads(film_report(answer).as_json())
    facts = act_report(answer)
    assert facts is not None, "a job without a camera makes people from words"
    return {**json.loads(facts.as_json()), "notes": answer.provenance.notes}
