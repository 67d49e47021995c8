"""Which windows the cinematographer films where cameras are learnt from: those that travelled, and
windows of captioned segments of all sets, cut there from takes that travelled (`--people`).

The fourth camera flow is the third one, trained on so:

    python3 lab/base_h200.py draw --parcel WORDS --people-parcel PEOPLE \\
        --people 15000 --cameras 6 --movements 4
    python3 lab/base_h200.py train camera-flow:32000 --drawn --start THIRD --rate 2.5e-4 \\
        --people 15000 --cameras 6 --movements 4 --compiled --out "$OUT"
    python3 lab/base_h200.py train camera-flow-self-distilled:3000 --teacher camera-flow --drawn \\
        --people 15000 --cameras 6 --movements 4 --out "$OUT"

WORDS holds the text encoder and the windows of the validation split, PEOPLE is what
`lab/people_h200.py pack` wrote.
"""

import argparse
from typing import TYPE_CHECKING

import base_h200 as lent

if TYPE_CHECKING:
    import torch

    from aesop.fables.takes import SplitName
    from aesop.training.footage import Footage


def windows_to_film(
    split: "SplitName", args: argparse.Namespace, device: "torch.device"
) -> "Footage":
    """Those that travelled; of the training split with as many windows of captioned segments, of
    all sets, as were asked for (whose takes have travelled too), or these alone."""
    from drawn_cameras import with_more_people
    from parcel import read_parcel

    travelled = lent.STATE / "parcel" / split
    if split != "train" or not args.people:
        return lent.first_windows(read_parcel(travelled, device), args.windows)
    people = people_windows(args, device)
    if not travelled.exists():
        return people
    return with_more_people(
        lent.first_windows(read_parcel(travelled, device), args.windows), people
    )


def people_windows(args: argparse.Namespace, device: "torch.device") -> "Footage":
    from aesop.fables.people_windows import PeopleRecipe
    from drawn_cameras import long_enough
    from people_footage import Arrived, WindowDrawing

    # Nobody's words are needed here, so every action may come nearly as often as it does.
    recipe = PeopleRecipe(windows=args.people, rarity=0.2, everyday=1.0, seed=args.people_seed)
    drawn = WindowDrawing(recipe, copies=0, copied_windows=0, workers=args.workers)
    people, _ = Arrived(args.people_parcel, device).footage("train", drawn)
    return long_enough(people)
