"""How a sampled camera is finished: from the bare first take to the operator's hand."""

from dataclasses import dataclass
from typing import Literal, get_args

from aesop.data.fables.wishes import CameraWish
from aesop.director.decoding import Decoding
from aesop.director.hand import aims_elsewhere, steadied
from aesop.director.requests import RequestError
from aesop.director.tidying import tidied
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip

# as-sampled: the first take, decoded as the paper does; what the paper's protocol measures.
# consistent: the first take, decoded so that place and aim agree.
# best-take: the best of several takes, decoded so.
# hand: the best take, and what is still wrong corrected by the operator's hand.
Finish = Literal["as-sampled", "consistent", "best-take", "hand"]


@dataclass(frozen=True)
class Finishing:
    """What a finish consists of."""

    decoding: Decoding
    chooses_take: bool
    is_steadied: bool


FINISHINGS: dict[Finish, Finishing] = {
    "as-sampled": Finishing("paper", chooses_take=False, is_steadied=False),
    "consistent": Finishing("consistent", chooses_take=False, is_steadied=False),
    "best-take": Finishing("consistent", chooses_take=True, is_steadied=False),
    "hand": Finishing("consistent", chooses_take=True, is_steadied=True),
}


def check_finish(finish: str) -> None:
    if finish not in FINISHINGS:
        known = ", ".join(get_args(Finish))
        raise RequestError(f"There is no finish {finish!r}.", f"Choose one of: {known}.")


def finished(
    camera: CameraPath, clip: Clip, words: str, wish: CameraWish | None, how: Finishing
) -> tuple[CameraPath, list[str]]:
    """The camera as it is shown, and what was done to it. `wish` is what its words ask for."""
    camera, notes = tidied(camera, clip)
    if not how.is_steadied:
        return camera, notes
    handled = steadied(camera, clip, wish, is_aim_free=aims_elsewhere(words))
    return handled.camera, [*notes, *handled.notes]
