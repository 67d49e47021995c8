"""How often the operator does what: the one place where the look of Fables is set."""

from dataclasses import dataclass, field

from aesop.data.fables.lens import ShotSize


def _shot_sizes() -> dict[ShotSize, float]:
    return {
        "close_up": 0.2,
        "medium_close": 0.24,
        "medium": 0.24,
        "cowboy": 0.13,
        "full": 0.12,
        "wide": 0.07,
    }


@dataclass(frozen=True)
class Style:
    """Shares between 0 and 1, and the span of speeds; every field may be replaced."""

    one_run: float = 0.3  # shots with one movement; the others have two or three
    three_moves: float = 0.35  # of the shots with several, where there is time
    static: float = 0.42  # of movements; the rest is single-axis or compound
    single_axis: float = 0.34
    three_axes: float = 0.3  # of the compound ones
    arc: float = 0.4  # of trucks: around the person and not along a line
    follow: float = 0.26  # of shots of a person who goes somewhere
    clean: float = 0.3  # of shots that could serve direction pairs: made so that they can
    cut_in: float = 0.4  # shots that begin (or end) while the camera is already moving
    # Speed along each moving axis, m/s. The lower end is what the tagger surely calls movement.
    slowest_mps: float = 0.023
    fastest_mps: float = 3.6
    longest_m: float = 9.0
    arc_m: tuple[float, float] = (0.3, 2.0)
    shot_sizes: dict[ShotSize, float] = field(default_factory=_shot_sizes)
