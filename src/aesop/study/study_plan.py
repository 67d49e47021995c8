"""What a study is to be, read strictly from a TOML file: tasks, methods, clips, and how many
comparisons everybody makes."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

from aesop.baselines.baseline_table import METHODS, in_steps
from aesop.core.errors import AesopError
from aesop.measuring.method_table import (
    NAMED_METHODS,
    WAYS,
    AskedTask,
    MethodSetting,
    NamedMethod,
    named_method,
)
from aesop.models.phase_table import method_of

TASKS: tuple[AskedTask, ...] = ("film", "shoot")
MOST_PARTICIPANTS, MOST_CLIPS, MOST_METHODS = 10_000, 1_000, 20
PAPER = "paper"
_SHIPPED_PLANS = ("paper", "fables", "baselines")


class StudyError(AesopError):
    """A plan, a folder of a study or its votes that cannot be used as they are."""


@dataclass(frozen=True)
class Criterion:
    """One question of a trial."""

    name: str
    title: str  # in tables
    question: str  # on the page


_CAMERA_TEXT = Criterion(
    "camera_text", "Camera–text alignment", "Which camera does more exactly what its words say?"
)
_CAMERA_MOTION = Criterion(
    "camera_motion", "Camera motion", "Which camera moves better: smoothly and with purpose?"
)
_FRAMING = Criterion("framing", "Framing", "Which camera keeps the person better in the picture?")
_HUMAN_TEXT = Criterion(
    "human_text", "Human–text alignment", "Which person does more exactly what the words say?"
)
_HUMAN_MOTION = Criterion("human_motion", "Human motion", "Which person moves more naturally?")
OVERALL = "overall"
CRITERIA: dict[AskedTask, tuple[Criterion, ...]] = {
    "film": (
        _CAMERA_TEXT,
        _CAMERA_MOTION,
        _FRAMING,
        Criterion(OVERALL, "Overall", "All in all, which camera is better?"),
    ),
    "shoot": (
        _CAMERA_TEXT,
        _CAMERA_MOTION,
        _FRAMING,
        _HUMAN_TEXT,
        _HUMAN_MOTION,
        Criterion(OVERALL, "Overall", "All in all, which one is better, person and camera?"),
    ),
}
TASK_TITLES: dict[AskedTask, str] = {"film": "Given-human", "shoot": "Joint"}


@dataclass(frozen=True)
class MethodPlan:
    """A method of the study: a row of the table of methods, and what it is called in reports."""

    name: str
    method: str
    title: str
    setting: MethodSetting


@dataclass(frozen=True)
class TaskPlan:
    """One task: who is compared, on how many clips (or which), and how often by everybody."""

    task: AskedTask
    methods: tuple[str, ...]
    clips: int
    comparisons: int
    ids: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair of methods once."""
        return tuple(combinations(self.methods, 2))


@dataclass(frozen=True)
class StudyPlan:
    """The whole study. `contact` and `about` stand on the page of consent."""

    title: str
    seed: int
    participants: int
    tasks: tuple[TaskPlan, ...]
    methods: tuple[MethodPlan, ...]
    data: Path | None = None
    split: str = "test/pure"
    noise_seed: int = 0
    contact: str = ""
    about: str = ""

    def method(self, name: str) -> MethodPlan:
        return next(method for method in self.methods if method.name == name)

    def task(self, name: AskedTask) -> TaskPlan:
        return next(task for task in self.tasks if task.task == name)


def shipped_plan(name: str) -> Path:
    """A plan that came with AESOP."""
    return Path(str(files("aesop.study").joinpath("plans", f"{name}.toml")))


def read_plan_file(path: Path, *, needs_methods: bool = True) -> StudyPlan:
    """A plan from its file, or one that came with AESOP (`paper`, `fables`, `baselines`) by its
    name.

    Without methods, those that this AESOP does not have may be named: enough to deal sheets.
    """
    if path.name in _SHIPPED_PLANS and not path.exists():
        path = shipped_plan(path.name)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise StudyError(
            f"The plan {path} cannot be read ({problem.strerror}).", "Name a TOML file."
        ) from None
    except ValueError as problem:  # no TOML, or no UTF-8
        raise StudyError(f"{path} is no TOML ({problem}).", "Mend that line.") from None
    return plan_from_values(values, path.parent, needs_methods=needs_methods)


def plan_from_values(
    values: Mapping[str, Any], folder: Path, *, needs_methods: bool = True
) -> StudyPlan:
    """A plan from what TOML or JSON holds; paths are meant from `folder` on."""
    table = _PlanTable("the plan", values)
    tasks = tuple(_task(_PlanTable("[[tasks]]", it)) for it in table.list("tasks", dict))
    settings = table.table("methods")
    names = dict.fromkeys(name for task in tasks for name in task.methods)
    for name in settings:
        if name not in names:
            raise StudyError(
                f"[methods.{name}] is in no task.",
                "Name it in the methods of a task, or remove it.",
            )
    methods = tuple(
        _method(
            name, _PlanTable(f"[methods.{name}]", settings.get(name, {})), folder, needs_methods
        )
        for name in names
    )
    data = table.text("data", "")
    plan = StudyPlan(
        title=table.text("title"),
        seed=table.number("seed"),
        participants=table.number("participants"),
        tasks=tasks,
        methods=methods,
        data=(folder / data) if data else None,
        split=table.text("split", "test/pure"),
        noise_seed=table.number("noise_seed", 0),
        contact=table.text("contact", ""),
        about=table.text("about", ""),
    )
    table.refuse_rest()
    _check(plan, needs_methods)
    return plan


class _PlanTable:
    """A table of the file, read field by field; what nobody asked for is refused at the end."""

    def __init__(self, name: str, values: Any) -> None:
        if not isinstance(values, dict):
            raise StudyError(f"{name} is no table.", "Write it as in docs/study.md.")
        self._name, self._values, self._known = name, values, set[str]()

    def text(self, field: str, usual: str | None = None) -> str:
        return self._value(field, str, "a text", usual)

    def number(self, field: str, usual: int | None = None) -> int:
        return self._value(field, int, "a whole number", usual)

    def table(self, field: str) -> dict[str, Any]:
        return self._value(field, dict, "a table", {})

    def _value(self, field: str, kind: type, shown: str, usual: Any) -> Any:
        """Without a usual value the field is needed."""
        self._known.add(field)
        if field not in self._values and usual is None:
            raise StudyError(f"{self._name} lacks `{field}`.", "docs/study.md has an example.")
        value = self._values.get(field, usual)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise StudyError(f"`{field}` of {self._name} is {value!r:.60}.", f"Give {shown}.")
        return value

    def list(self, field: str, kind: type) -> "list[Any]":
        self._known.add(field)
        value = self._values.get(field)
        if not isinstance(value, list | tuple) or not all(isinstance(it, kind) for it in value):
            raise StudyError(f"`{field}` of {self._name} is no such list.", "See docs/study.md.")
        return [*value]

    def is_list(self, field: str) -> bool:
        return isinstance(self._values.get(field), list | tuple)

    def refuse_rest(self) -> None:
        rest = sorted(self._values.keys() - self._known)
        if rest:
            raise StudyError(
                f"{self._name} knows no `{rest[0]}`.",
                f"It knows: {', '.join(sorted(self._known))}.",
            )


def _task(table: _PlanTable) -> TaskPlan:
    name = table.text("task")
    task: AskedTask | None = next((it for it in TASKS if it == name), None)
    if task is None:
        raise StudyError(f"There is no task {name!r}.", f"Choose among: {', '.join(TASKS)}.")
    ids = tuple(table.list("clips", str)) if table.is_list("clips") else ()
    clips = len(ids) if ids else table.number("clips")
    methods = tuple(table.list("methods", str))
    made = TaskPlan(task, methods, clips, table.number("comparisons"), ids)
    table.refuse_rest()
    return made


def _method(name: str, table: _PlanTable, folder: Path, is_needed: bool) -> MethodPlan:
    method = table.text("method", name)
    row = _row(method, is_needed)
    weights, encoder, protocol = (table.text(it, "") for it in ("weights", "encoder", "protocol"))
    title = table.text("title", row.title if row and method == name else name)
    steps = table.number("steps", 0)
    table.refuse_rest()
    if row is not None and not row.has_weights and (weights or encoder or protocol or steps):
        raise StudyError(
            f"The method {method} has no weights.",
            "Remove `weights`, `encoder`, `protocol` and `steps`.",
        )
    if steps:
        _check_steps(method, steps)
    if protocol and protocol not in WAYS:
        raise StudyError(f"There is no protocol {protocol!r}.", f"Choose among: {', '.join(WAYS)}.")
    setting = MethodSetting(
        folder / weights if weights else None, encoder or None, protocol or None, steps or None
    )
    return MethodPlan(name, method, title, setting)


def _check_steps(method: str, steps: int) -> None:
    known = method_of(method)
    if known is None:
        raise StudyError(f"The steps of {method} cannot be changed.", "Remove `steps`.")
    in_steps(METHODS[known], steps)


def _row(method: str, is_needed: bool) -> NamedMethod | None:
    return named_method(method) if is_needed or method in NAMED_METHODS else None


def _check(plan: StudyPlan, needs_methods: bool) -> None:
    if not 1 <= plan.participants <= MOST_PARTICIPANTS:
        raise StudyError(
            f"{plan.participants} participants cannot be planned.", f"1 to {MOST_PARTICIPANTS} can."
        )
    if not plan.title.strip():
        raise StudyError("The title is empty.", "It stands on the page: name the study.")
    tasks = [task.task for task in plan.tasks]
    if not tasks or len(set(tasks)) < len(tasks):
        raise StudyError("There is no task, or one twice.", "Plan film, shoot, or each once.")
    for task in plan.tasks:
        _check_task(task)
        for name in task.methods if needs_methods else ():
            row = named_method(plan.method(name).method)
            if task.task not in row.tasks:
                raise StudyError(
                    f"{name} cannot do the task {task.task}.",
                    f"It does: {', '.join(row.tasks)}. Take it out of that task.",
                )


def _check_task(task: TaskPlan) -> None:
    where = f"the task {task.task}"
    if not 2 <= len(task.methods) <= MOST_METHODS or len(set(task.methods)) < len(task.methods):
        raise StudyError(f"{where} does not compare different methods.", "Name two or more, once.")
    if len(set(task.ids)) < len(task.ids):
        raise StudyError(f"{where} names a clip twice.", "Name every clip once.")
    if not 1 <= task.clips <= MOST_CLIPS:
        raise StudyError(f"{where} has {task.clips} clips.", f"Plan 1 to {MOST_CLIPS}.")
    if not 1 <= task.comparisons <= task.clips:
        raise StudyError(
            f"{where} asks everybody for {task.comparisons} comparisons on {task.clips} clips.",
            "Ask for at least one, and at most as many as there are clips: nobody sees one twice.",
        )


def comparisons_of(task: TaskPlan) -> int:
    """Clip–pair comparisons: every pair of methods on every clip."""
    return task.clips * math.comb(len(task.methods), 2)


@cache
def criteria_names(task: AskedTask) -> tuple[str, ...]:
    return tuple(criterion.name for criterion in CRITERIA[task])


def plan_values(plan: StudyPlan) -> dict[str, Any]:
    """The plan as `plan_from_values` reads it: for JSON."""
    methods: dict[str, Any] = {}
    for method in plan.methods:
        setting = {it.name: getattr(method.setting, it.name) for it in fields(MethodSetting)}
        given = {
            name: value if isinstance(value, int) else str(value)
            for name, value in setting.items()
            if value is not None
        }
        methods[method.name] = {"method": method.method, "title": method.title, **given}
    tasks = [
        {
            "task": task.task,
            "methods": list(task.methods),
            "clips": list(task.ids) if task.ids else task.clips,
            "comparisons": task.comparisons,
        }
        for task in plan.tasks
    ]
    values: dict[str, Any] = {
        "title": plan.title,
        "seed": plan.seed,
        "participants": plan.participants,
        "split": plan.split,
        "noise_seed": plan.noise_seed,
        "contact": plan.contact,
        "about": plan.about,
        "tasks": tasks,
        "methods": methods,
    }
    return values | ({} if plan.data is None else {"data": str(plan.data)})
