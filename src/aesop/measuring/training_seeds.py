"""Results of several trainings of one method as one result: mean and sample deviation over training
seeds, as the paper reports them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aesop.measuring.runs import MetricResult, Result, read_result
from aesop.metrics.metric_book import MetricError, mean_and_sd


def joined_trainings(results: Sequence[Result], method: str) -> Result:
    """Every training counts once, whatever number of noises it was measured with. What all of them
    have is joined; intervals over clips are averaged."""
    if len(results) < 2:
        raise MetricError(
            f"{method} has {len(results)} trainings.", "Join the results of two or more."
        )
    first = results[0]
    for other in results[1:]:
        if _measured_on(other) != _measured_on(first):
            raise MetricError(
                f"{other.setting.method} and {first.setting.method} were measured on other clips, "
                "tasks or settings.",
                "Measure all trainings alike.",
            )
    joined = tuple(
        _joined([it for result in results if (it := result.of(metric.metric)) is not None])
        for metric in first.metrics
        if all(result.of(metric.metric) is not None for result in results)
    )
    identities = tuple(
        (f"training {number}, {name}", identity)
        for number, result in enumerate(results)
        for name, identity in result.setting.identities
    )
    return replace(
        first,
        setting=replace(
            first.setting,
            method=method,
            seeds=tuple(range(len(results))),
            seed_kind="training",
            identities=identities,
        ),
        metrics=joined,
        impossible=tuple(sum(result.impossible) for result in results),
    )


def read_trainings(paths: Sequence[Path], method: str) -> Result:
    """The same, from files that `aesop measure` wrote."""
    return joined_trainings([read_result(path) for path in paths], method)


def _measured_on(result: Result) -> tuple[object, ...]:
    setting = result.setting
    return (
        setting.task,
        setting.dataset,
        setting.data_sha256,
        setting.split,
        setting.clips,
        setting.choices,
    )


def _joined(metrics: Sequence[MetricResult]) -> MetricResult:
    values = tuple(metric.mean for metric in metrics)
    mean, sd = mean_and_sd(values)
    intervals = [metric.interval for metric in metrics if metric.interval is not None]
    interval = None
    if len(intervals) == len(metrics):
        low, high = (
            math.fsum(ends) / len(ends)
            for ends in ([it.low for it in intervals], [it.high for it in intervals])
        )
        interval = replace(intervals[0], low=low, high=high)
    return replace(metrics[0], mean=mean, sd=sd, values=values, interval=interval)
