"""Pairs on the footage that is trained on: targets are made from its own shots."""

from aesop.features.human import root_from_features
from aesop.pairs.plan import PairPlan
from aesop.pairs.records import PairSet
from aesop.pairs.targets import SourceShot, training_pairs
from aesop.training.footage import Footage
from aesop.training.halting import TrainingError


def pairs_on_footage(plan: PairPlan, footage: Footage) -> PairSet:
    """All pairs of a plan, on footage of the store they were built from or of a parcel of it."""
    if plan.direction.origin.store_sha256 != (footage.store_sha256 or footage.sha256):
        raise TrainingError(
            "The pairs were built from another store than the one that is trained on.",
            "Build them with `aesop pairs build` from the same store.",
        )
    place = {name: at for at, name in enumerate(footage.shot_names)}

    def shot_of(name: str) -> SourceShot:
        at = place.get(name)
        if at is None:
            raise TrainingError(
                f"The pairs have {name} as a source, which the training split does not hold.",
                "Build the pairs from the same store.",
            )
        window = int(footage.human_of_shot[at])
        human = footage.humans.clip(window).double()
        return SourceShot(
            camera=footage.cameras.clip(at).numpy(),
            root=root_from_features(human).numpy(),
            captions=footage.camera_captions[at],
        )

    return training_pairs(plan, shot_of)
