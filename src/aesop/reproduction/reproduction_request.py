"""What `aesop reproduce` is asked for, where everything lies in its folder, and what must be there
before any work."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from aesop.core.errors import AesopError
from aesop.core.whole_files import atomic_path
from aesop.data.manifest import MANIFEST_FILE
from aesop.data.pulpmotion_clip import HUMAN_FOLDER, LENS_FOLDER, PATH_FOLDER
from aesop.data.store import open_store
from aesop.evaluators.evaluator_weights import FOLDER as EVALUATORS
from aesop.evaluators.published import EvaluatorChoice
from aesop.pages.paper_figures import read_outside_list
from aesop.text.encoder import TextEncoder, mark_of
from aesop.text.encoders import default_cache_folder, fastest_device, text_encoder
from aesop.training.caption_features import TextMode
from aesop.training.recipes import Size

DataKind = Literal["store", "pulpmotion", "takes"]
TAKES = (".bvh", ".zip", ".tgz", ".gz", ".tar")


class ReproductionError(AesopError):
    """A reproduction that cannot begin or go on."""


@dataclass(frozen=True)
class ReproductionRequest:
    """Everything that the tables depend on, beside the code."""

    recipe: Size
    data: Path
    out: Path
    encoder: str = "minilm"
    text: TextMode = "sequence"
    judges: EvaluatorChoice = field(default_factory=EvaluatorChoice)
    own_evaluators: bool = False  # train the evaluators on this data first
    canonicalise: bool = False
    split: str = "test/pure"
    at_most: int | None = None
    trainings: int = 1
    shorten: int = 1  # every phase has this many times fewer updates
    outside: Path | None = None  # a list of motions and sentences from elsewhere
    # How it is carried out; these change no number.
    workers: int | None = None
    is_compiled: bool = False


@dataclass(frozen=True)
class ReproductionFolder:
    """What lies where."""

    path: Path

    @property
    def plan(self) -> Path:
        return self.path / "reproduce.json"

    @property
    def store(self) -> Path:
        return self.path / "store"

    @property
    def pairs(self) -> Path:
        return self.path / "pairs"

    @property
    def evaluators(self) -> Path:
        return self.path / EVALUATORS

    @property
    def factual(self) -> Path:
        """The run of the control arm."""
        return self.path / "factual"

    @property
    def weights(self) -> Path:
        """The trained parts as they ship."""
        return self.path / "weights"

    @property
    def generated(self) -> Path:
        """Generated shots, so that measuring goes on where it stopped."""
        return self.path / "generated"

    @property
    def results(self) -> Path:
        return self.path / "results"

    @property
    def tables(self) -> Path:
        return self.path / "tables"

    @property
    def figures(self) -> Path:
        return self.path / "figures"

    def training(self, number: int) -> Path:
        return self.path / f"training-{number}"


def kind_of_data(path: Path) -> DataKind | None:
    """What `--data` names: a finished store, PulpMotion as published, or takes for Fables."""
    if (path / MANIFEST_FILE).is_file():
        return "store"
    if (path / HUMAN_FOLDER).is_dir():
        return "pulpmotion"
    if path.is_file():
        return "takes" if path.suffix.lower() in TAKES else None
    return "takes" if path.is_dir() and next(path.rglob("*.[bB][vV][hH]"), None) else None


def require_everything(request: ReproductionRequest) -> TextEncoder:
    """The text encoder, if nothing is missing; else one message that names all that is."""
    _refuse_counts(request)
    _refuse_evaluators_twice(request)
    encoder = text_encoder(request.encoder, default_cache_folder(), fastest_device())
    missing = [*_missing_data(request), *_missing_encoder(request, encoder)]
    missing += _missing_judges(request)
    if request.outside is not None:
        missing += _fact_of(lambda: read_outside_list(request.outside or Path()))
    if missing:
        lines = "".join(f"\n  {number}. {it}" for number, it in enumerate(missing, start=1))
        raise ReproductionError(
            f"The recipe {request.recipe} cannot be reproduced; missing or unusable:{lines}\n",
            "Give these and start again (docs/reproduce.md says where each comes from).",
        )
    return encoder


def _refuse_counts(request: ReproductionRequest) -> None:
    counts = {
        "--at-most": request.at_most,
        "--trainings": request.trainings,
        "--shorten": request.shorten,
        "--workers": request.workers,
    }
    for flag, count in counts.items():
        if count is not None and count < 1:
            raise ReproductionError(f"{flag} is {count}.", "Give one or more.")


def _refuse_evaluators_twice(request: ReproductionRequest) -> None:
    judges = request.judges
    if not request.own_evaluators:
        return
    if request.recipe == "paper":
        raise ReproductionError(
            "Evaluators have no recipe called paper.",
            "Give the published ones, or a folder with --evaluators.",
        )
    if judges.folder is not None or (judges.clatr is not None and judges.tmr is not None):
        raise ReproductionError(
            "Evaluators were named, and --own-evaluators trains others.", "Leave one away."
        )


def _missing_data(request: ReproductionRequest) -> list[str]:
    path, kind = request.data, kind_of_data(request.data)
    if kind is None:
        what = "is no data" if path.exists() else "does not exist"
        return [
            f"{path} {what}: --data names a finished store, PulpMotion's folder ({HUMAN_FOLDER}, "
            f"{PATH_FOLDER}, {LENS_FOLDER} …) or the CMU takes as BVH"
        ]
    if kind == "store":
        return _fact_of(lambda: open_store(path))
    return []


def _missing_encoder(request: ReproductionRequest, encoder: TextEncoder) -> list[str]:
    if request.recipe == "paper" and not request.encoder.startswith("clip"):
        return ["CLIP, with which the paper reads words: --encoder clip:FOLDER"]
    return _fact_of(lambda: encoder.fingerprint)


def _missing_judges(request: ReproductionRequest) -> list[str]:
    """Evaluators that the paper needs, and those that were named and cannot be read."""
    judges, missing = request.judges, list[str]()
    if request.recipe == "paper" and judges.folder is None:
        if judges.clatr is None:
            missing.append("the published CLaTr: --clatr FILE --clip FOLDER")
        if judges.tmr is None:
            missing.append("the published TMR: --tmr FILE --distilbert FOLDER")
    if judges.clatr is not None and judges.clip is None:
        missing.append("the CLIP that the published CLaTr reads words with: --clip FOLDER")
    if judges.tmr is not None and judges.distilbert is None:
        missing.append(
            "the DistilBERT that the published TMR reads words with: --distilbert FOLDER"
        )
    for flag, path in (
        ("--clatr", judges.clatr),
        ("--tmr", judges.tmr),
        ("--distilbert", judges.distilbert),
        ("--evaluators", judges.folder),
    ):
        if path is not None and not path.exists():
            missing.append(f"{path}, which {flag} names")
    if missing or (request.own_evaluators and judges == EvaluatorChoice()):
        return missing
    return _fact_of(lambda: judges.load("cpu"))


def _fact_of(attempt: object) -> list[str]:
    """What an attempt says is wrong, or nothing."""
    assert callable(attempt)
    try:
        attempt()
    except AesopError as error:
        return [f"{error.fact} {error.remedy}"]
    return []


def judges_of(request: ReproductionRequest, folder: ReproductionFolder) -> EvaluatorChoice:
    """By whom is judged: those that were named, those that are trained first, or those that came
    with AESOP."""
    if not request.own_evaluators:
        return request.judges
    return replace(request.judges, folder=folder.evaluators)


def keep_plan(request: ReproductionRequest, encoder: TextEncoder) -> None:
    """Note what the folder is for, or refuse to mix two reproductions in it."""
    path = ReproductionFolder(request.out).plan
    facts = _facts(request, encoder)
    if not path.exists():
        if request.out.exists() and any(request.out.iterdir()):
            raise ReproductionError(
                f"{request.out} is not empty and holds no reproduction.", "Choose another folder."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            text = json.dumps(facts, indent=1, sort_keys=True)
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
        return
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReproductionError(f"{path} cannot be read ({error}).", "Start anew.") from error
    other = sorted(name for name in {*facts, *kept} if facts.get(name) != kept.get(name))
    if other:
        raise ReproductionError(
            f"{request.out} holds a reproduction with other settings ({', '.join(other)}).",
            "Start it again as it was first started, or choose another folder.",
        )


def _facts(request: ReproductionRequest, encoder: TextEncoder) -> dict[str, object]:
    """Everything that must stay the same when a reproduction goes on."""
    judges = request.judges
    named = {name: None if it is None else str(it) for name, it in vars(judges).items()}
    kind = kind_of_data(request.data)
    content = open_store(request.data).manifest.content_sha256 if kind == "store" else None
    return {
        "recipe": request.recipe,
        "data": None if kind == "store" else str(request.data.resolve()),
        "store_sha256": content,
        "encoder": str(mark_of(encoder)),
        "text": request.text,
        "own_evaluators": request.own_evaluators,
        "canonicalise": request.canonicalise,
        "split": request.split,
        "at_most": request.at_most,
        "trainings": request.trainings,
        "shorten": request.shorten,
        "outside": None if request.outside is None else str(request.outside),
        **{f"judges_{name}": it for name, it in named.items()},
    }
