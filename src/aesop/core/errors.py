"""Mistakes a user can mend (each states one fact and one remedy), and what long work calls to tell
how far it is."""

from collections.abc import Callable


class AesopError(Exception):
    """Base of every error that a user can act on; anything else that escapes is our own bug."""

    def __init__(self, fact: str, remedy: str) -> None:
        super().__init__(fact, remedy)  # as given: an error travels between processes by pickling
        self.fact = fact
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.fact} {self.remedy}"


class ClipError(AesopError):
    """A motion that AESOP cannot use as it is."""


class CameraError(AesopError):
    """A camera path that cannot exist."""


class FileError(AesopError):
    """A file that cannot be read or written."""


class StoreError(AesopError):
    """A dataset on disk that is missing, incomplete or inconsistent."""


class WeightsError(AesopError):
    """Trained weights that are missing, damaged, or do not belong together."""


Progress = Callable[[int, int], None]  # how many are done, of how many
