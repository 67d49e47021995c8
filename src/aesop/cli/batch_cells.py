"""What stands in the cells of one row of a batch, checked before anything is made."""

from pathlib import Path

from aesop.core.errors import FileError

_WHOLE = ("seed", "camera_seed", "take", "takes")
_NUMBERS = ("guidance", "human_guidance", "seconds", *_WHOLE)


def refuse_cells(cells: dict[str, str]) -> None:
    """Say what is wrong with a row."""
    if "" in cells:
        raise FileError("It has more cells than columns.", "Quote cells with commas.")
    for name in _NUMBERS:
        try:
            (int if name in _WHOLE else float)(cells.get(name) or 0)
        except ValueError:
            fact = f"{cells[name]!r} is no number for {name}."
            raise FileError(fact, "Write a number, or leave it empty.") from None
    if cells.get("intensity"):
        from aesop.scene.intensity_curve import intensity_from_text

        intensity_from_text(cells["intensity"])
    if cells.get("take") and cells.get("takes"):
        raise FileError("It has a take and takes.", "Name one take, or how many.")
    if "motion" in cells and not Path(cells["motion"]).is_file():
        raise FileError(f"There is no motion {cells['motion']}.", "Check the path.")
