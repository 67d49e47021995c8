"""From the folder of a training run to the flat folder that ships, in half the size."""

from pathlib import Path

from aesop.director.parts import Parts
from aesop.models.places import flat_name
from aesop.models.weights import Storage, save_part


def ship(parts: Parts, folder: Path, storage: Storage = "float16") -> list[Path]:
    """Write all four parts of a run; they keep their identities, and so know each other."""
    folder.mkdir(parents=True, exist_ok=True)
    save_part(parts.human_codec, folder / flat_name("human-codec"), storage)
    save_part(parts.camera_codec, folder / flat_name("camera-codec"), storage)
    save_part(parts.human_flow, folder / flat_name("human-flow"), storage)
    save_part(parts.camera_flow, folder / flat_name("camera-flow"), storage)
    return sorted(folder.glob("*.safetensors"))
