"""Why a training does not start or does not go on."""

from collections.abc import Sequence

from aesop.errors import AesopError

_SHOWN = 8  # clip names in a message


class TrainingError(AesopError):
    """A training that cannot be run as asked."""


class TrainingHalted(AesopError):  # noqa: N818 — it is the training that is halted
    """A loss or gradient is not a finite number; the update it would have made was not made."""

    def __init__(self, step: int, names: Sequence[str]) -> None:
        shown = ", ".join(names[:_SHOWN])
        rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        super().__init__(
            f"The loss of step {step} is not a finite number. Its clips: {shown}{rest}.",
            "Look at these clips with `aesop data show`; to go on from the last checkpoint with a "
            "lower learning rate, change the recipe and use --resume.",
        )
        self.step = step
        self.names = tuple(names)
