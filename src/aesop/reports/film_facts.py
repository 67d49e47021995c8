"""What one camera did, in numbers that a person reads beside its words."""

from collections import Counter
from dataclasses import dataclass

from aesop.data.fables.outline import dominant_tag, outline_of
from aesop.metrics.framing import framing_of
from aesop.scene.movement import TAG_NAMES, tag_path
from aesop.scene.shot import Shot


@dataclass(frozen=True)
class FilmFacts:
    """One film: its words, and what its camera does."""

    camera_words: str
    human_words: str
    intensity: float
    frames: int
    dominant: str  # the movement that holds most of the time
    tag_shares: tuple[tuple[str, float], ...]  # of the time, the largest first
    out_share: float  # of the frames, with nobody in the picture
    travel_m: float


def dominant_movement(shot: Shot) -> int:
    """The class that holds most of the time."""
    return dominant_tag(outline_of(tag_path(shot.camera, shot.fps)))


def film_facts(shot: Shot) -> FilmFacts:
    """Tag, framing and travel of one film."""
    tags = tag_path(shot.camera, shot.fps)
    counts = Counter(tags.tolist()).most_common()
    return FilmFacts(
        camera_words=shot.camera_words,
        human_words=shot.human_words,
        intensity=shot.intensity,
        frames=shot.frames,
        dominant=TAG_NAMES[dominant_movement(shot)],
        tag_shares=tuple((TAG_NAMES[tag], count / len(tags)) for tag, count in counts),
        out_share=float(framing_of(shot).is_out.mean()),
        travel_m=float(shot.camera.travel),
    )


def facts_line(facts: FilmFacts) -> str:
    """ "push in 84 %, static 16 %; travel 1.32 m"; says so if the person leaves the picture."""
    shares = ", ".join(f"{plain_name(name)} {share:.0%}" for name, share in facts.tag_shares[:3])
    out = f"; nobody in frame {facts.out_share:.0%}" if facts.out_share > 0 else ""
    return f"{shares}; travel {facts.travel_m:.2f} m{out}"


def plain_name(tag_name: str) -> str:
    """A tag's name as one would say it: "truck left + push in"."""
    spoken = tag_name.replace("trucking", "truck").replace("boom_top", "boom up")
    return spoken.replace("boom_bottom", "boom down").replace("_", " ").replace("+", " + ")
