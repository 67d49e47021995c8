"""How large Fables is and what it is made of: every choice a named field, kept in the manifest."""

from dataclasses import dataclass, field

from aesop.data.fables.splits import SplitName
from aesop.data.fables.style import Style


@dataclass(frozen=True)
class Share:
    """One split: how many windows, and how many cameras of which kind film each."""

    windows: int
    one_run: int  # cameras with a single movement
    several: int  # cameras with two or three; windows too short for that get a single one
    any_run: int  # cameras for which the style decides


@dataclass(frozen=True)
class FablesRecipe:
    """The default set: four cameras a training window, so that words and person come apart."""

    seed: int = 20261115
    train: Share = Share(windows=11_400, one_run=0, several=0, any_run=4)
    validation: Share = Share(windows=500, one_run=2, several=1, any_run=0)
    test: Share = Share(windows=1_500, one_run=2, several=1, any_run=0)
    captions_per_shot: int = 2
    style: Style = field(default_factory=Style)

    def share(self, split: SplitName) -> Share:
        """The share of one split."""
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]


def cameras(share: Share) -> int:
    """Cameras that film each window."""
    return share.one_run + share.several + share.any_run


def recipe_for(clips: int | None, seed: int) -> FablesRecipe:
    """The default set, or one with about `clips` training clips and smaller splits to match."""
    default = FablesRecipe(seed=seed)
    if clips is None:
        return default
    size = clips / (default.train.windows * cameras(default.train))

    def scaled(share: Share) -> Share:
        # A larger training set does not need a larger test; a smaller one should not wait for it.
        windows = round(share.windows * (size if share is default.train else min(1.0, size)))
        return Share(max(8, windows), share.one_run, share.several, share.any_run)

    return FablesRecipe(
        seed=seed,
        train=scaled(default.train),
        validation=scaled(default.validation),
        test=scaled(default.test),
    )
