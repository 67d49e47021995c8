"""A shot: a clip, the camera path that films it, the words that asked for both, and its origin."""

from dataclasses import dataclass

from aesop.errors import CameraError
from aesop.scene.camera import CameraPath
from aesop.scene.framing import Projection, project_joints
from aesop.scene.human import Clip, Provenance


@dataclass(frozen=True, eq=False)
class Shot:
    """What `film` and `shoot` return, what previews draw, what metrics judge."""

    clip: Clip
    camera: CameraPath
    provenance: Provenance
    camera_words: str = ""
    human_words: str = ""
    intensity: float = 1.0

    def __post_init__(self) -> None:
        if self.clip.frames != self.camera.frames:
            raise CameraError(
                f"The clip has {self.clip.frames} frames but the camera path has "
                f"{self.camera.frames}.",
                "Cut both to the same frames.",
            )

    @property
    def frames(self) -> int:
        return self.clip.frames

    @property
    def fps(self) -> float:
        return self.clip.fps

    @property
    def projection(self) -> Projection:
        """The clip's joints through the lens."""
        return project_joints(self.camera, self.clip.motion.joints)
