"""Methods by name: whoever can be asked for shots has a row here, with the tasks that it can do."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from aesop.baselines.baseline_table import METHODS
from aesop.core.errors import AesopError
from aesop.director.baseline_films import DEFAULT_FOLDER, PLAIN_FINISHES
from aesop.director.director import load_director
from aesop.director.protocols import MEASURED, PROTOCOLS, SHIPPED, SamplingProtocol
from aesop.measuring.baseline_method import trained_baseline
from aesop.measuring.methods import DirectorMethod, Method, OperatorMethod, ReferenceMethod
from aesop.models.phase_table import MethodName
from aesop.text.encoders import default_cache_folder, text_encoder

AskedTask = Literal["film", "shoot"]
WAYS: dict[str, SamplingProtocol] = {"shipped": SHIPPED, "measured": MEASURED, **PROTOCOLS}


@dataclass(frozen=True)
class MethodSetting:
    """What a method is made from, where it has weights; others are refused to have any."""

    weights: Path | None = None
    encoder: str | None = None
    protocol: str | None = None


@dataclass(frozen=True)
class NamedMethod:
    """A row of the table."""

    title: str
    tasks: tuple[AskedTask, ...]
    make: Callable[[MethodSetting, str], Method]  # from its setting and a device
    has_weights: bool = False


def _aesop(setting: MethodSetting, device: str) -> Method:
    encoder = text_encoder(setting.encoder or "minilm", default_cache_folder())
    director = load_director(setting.weights, device, encoder)
    return DirectorMethod(director, WAYS[setting.protocol or SHIPPED.name])


def _baseline(name: MethodName, setting: MethodSetting, device: str) -> Method:
    encoder = text_encoder(setting.encoder or "minilm", default_cache_folder())
    way = WAYS[setting.protocol or SHIPPED.name]
    finish = way.finish if way.finish in PLAIN_FINISHES else MEASURED.finish
    folder = setting.weights or DEFAULT_FOLDER
    return trained_baseline(folder, name, encoder, device, (), finish)


_BASELINES = {
    name: NamedMethod(method.paper_name, (method.task,), partial(_baseline, name), has_weights=True)
    for name, method in METHODS.items()
    if method.task != "codec"
}
NAMED_METHODS: dict[str, NamedMethod] = {
    "aesop": NamedMethod("AESOP", ("film", "shoot"), _aesop, has_weights=True),
    **_BASELINES,
    "operator": NamedMethod("Rule-based operator", ("film",), lambda *_: OperatorMethod()),
    "reference": NamedMethod("Reference", ("film", "shoot"), lambda *_: ReferenceMethod()),
}


def named_method(name: str) -> NamedMethod:
    """The row of a name; an unknown one is refused."""
    if name not in NAMED_METHODS:
        raise AesopError(
            f"There is no method {name!r}.", f"Choose among: {', '.join(NAMED_METHODS)}."
        )
    return NAMED_METHODS[name]
