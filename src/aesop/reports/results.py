"""Results as they are published: numbers with everything needed to repeat them."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import torch

from aesop.errors import FileError
from aesop.files.atomic import atomic_path
from aesop.metrics.book import METRICS
from aesop.metrics.judging import Unmeasured, Verdict
from aesop.metrics.spread import Interval, SeedKind, over_seeds
from aesop.training.record import Code, Machine, code_state, this_command, this_machine


@dataclass(frozen=True)
class MetricResult:
    """One metric over all seeds. The interval is over clips, averaged over seeds."""

    metric: str
    unit: str
    better: str
    mean: float
    sd: float | None
    values: tuple[float, ...]
    interval: Interval | None
    count: int


@dataclass(frozen=True)
class Setting:
    """What was measured on what. `identities` name weights and evaluators by their hashes."""

    method: str
    task: str
    dataset: str
    data_sha256: str
    split: str
    clips: int
    windows: int
    left_out: int
    seeds: tuple[int, ...]
    seed_kind: SeedKind
    identities: tuple[tuple[str, str], ...]
    note: str = ""  # what else a reader should know, such as rounding on the way


@dataclass(frozen=True)
class Result:
    """A published result. `impossible` counts, for every run, the answers whose cameras could not
    exist; a camera that films the sky stands in for each."""

    setting: Setting
    metrics: tuple[MetricResult, ...]
    unmeasured: tuple[Unmeasured, ...]
    code: Code
    machine: Machine
    repeat: str
    impossible: tuple[int, ...] = ()

    def of(self, metric: str) -> MetricResult | None:
        """A metric, if it was measured."""
        return next((it for it in self.metrics if it.metric == metric), None)


def origin_of_result() -> tuple[Code, Machine, str]:
    """The code, the machine and the command that a number comes from."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return code_state(Path(__file__).parent), this_machine(device), " ".join(this_command())


def gather(setting: Setting, verdicts: Sequence[Verdict]) -> Result:
    """Mean and deviation over the verdicts of all seeds."""
    code, machine, repeat = origin_of_result()
    return Result(
        setting=setting,
        metrics=over_verdicts(verdicts, setting.seed_kind),
        unmeasured=verdicts[0].unmeasured,
        code=code,
        machine=machine,
        repeat=repeat,
        impossible=tuple(it.impossible for it in verdicts),
    )


def over_verdicts(verdicts: Sequence[Verdict], kind: SeedKind) -> tuple[MetricResult, ...]:
    """Every metric that all seeds have."""
    found: list[MetricResult] = []
    for first in verdicts[0].measured:
        same = [
            next((it for it in v.measured if it.metric == first.metric), None) for v in verdicts
        ]
        measured = [it for it in same if it is not None]
        if len(measured) < len(verdicts):
            continue
        values = [it.value for it in measured]
        spread = over_seeds(values, kind)
        intervals = [it.interval for it in measured if it.interval is not None]
        metric = METRICS[first.metric]
        found.append(
            MetricResult(
                metric=metric.name,
                unit=metric.unit,
                better=metric.better,
                mean=spread.mean,
                sd=spread.sd,
                values=tuple(values),
                interval=_mean_interval(intervals),
                count=first.count,
            )
        )
    return tuple(found)


def _mean_interval(intervals: Sequence[Interval]) -> Interval | None:
    if not intervals:
        return None
    count = len(intervals)
    return Interval(
        math.fsum(it.low for it in intervals) / count,
        math.fsum(it.high for it in intervals) / count,
    )


def write_json(path: Path, record: object) -> None:
    """A record as JSON, whole or not at all. Numbers that no clip supports (NaN) become null."""
    assert is_dataclass(record) and not isinstance(record, type)
    text = json.dumps(_without_nan(asdict(record)), indent=1, allow_nan=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(it) for it in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def read_result(path: Path) -> Result:
    """A result that `write_json` wrote."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        setting = said["setting"]
        setting["identities"] = tuple(tuple(it) for it in setting["identities"])
        setting["seeds"] = tuple(setting["seeds"])
        machine = said["machine"]
        machine["versions"] = tuple(tuple(it) for it in machine["versions"])
        return Result(
            setting=Setting(**setting),
            metrics=tuple(_metric(it) for it in said["metrics"]),
            unmeasured=tuple(Unmeasured(**it) for it in said["unmeasured"]),
            code=Code(**said["code"]),
            machine=Machine(**machine),
            repeat=said["repeat"],
            impossible=tuple(said.get("impossible", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"{path} is no result of `aesop measure` ({error}).", "Measure again."
        ) from error


def _metric(said: dict[str, object]) -> MetricResult:
    interval = said["interval"]
    kept = None if not isinstance(interval, dict) else Interval(**interval)
    values = said["values"]
    assert isinstance(values, list)
    return MetricResult(**{**said, "interval": kept, "values": tuple(values)})  # pyright: ignore[reportArgumentType]
