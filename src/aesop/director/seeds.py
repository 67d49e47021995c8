"""The seed of a request that names none: it belongs to the motion and the words.

One seed for everybody would be one noise for everybody, and an unlucky one would meet every user
first. The same request gets the same seed on every machine, and so does the same motion elsewhere
in the world. How a camera is sampled (intensity, guidance, preset, take) has no say: it must not
change the noise.
"""

import hashlib

from aesop.scene.human import Clip, HumanMotion
from aesop.scene.placement import canonical
from aesop.scene.skeleton import JOINT

# Seeds that a person can read from a shot's notes and type again.
OWN_SEEDS = 1_000_000
# Few numbers, coarsely rounded: arithmetic that differs in its last digits, or a motion that was
# turned and moved, meets an edge between two roundings once in thousands of motions.
_STEP_M = 0.1
_JOINTS = (JOINT["pelvis"], JOINT["left_wrist"], JOINT["right_wrist"])


def seed_of_words(*words: str | int) -> int:
    """A seed for words (and lengths), the same everywhere."""
    text = "\n".join(str(word) for word in words)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % OWN_SEEDS


def seed_of_motion(clip: Clip, words: str) -> int:
    """A seed for words about a motion, wherever it stands and whichever way it faces."""
    motion = HumanMotion(clip.motion.rotations.double(), clip.motion.joints.double())
    joints = canonical(Clip(motion, clip.fps, clip.name, clip.provenance))[0].motion.joints
    joints[..., 2] -= joints[..., 2].min()
    instants = [clip.frames // 2, clip.frames - 1]
    places = (joints[instants][:, list(_JOINTS)] / _STEP_M).round().long()
    return seed_of_words(words, clip.frames, *places.flatten().tolist())
