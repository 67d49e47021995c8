"""How long work tells how far it is; who listens decides what to show."""

from collections.abc import Callable

Progress = Callable[[int, int], None]  # how many are done, of how many
