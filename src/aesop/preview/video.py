"""A shot as H.264 video, drawn on all cores and written at exactly the shot's rate."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av

from aesop.core.errors import FileError, Progress
from aesop.core.pool import in_order
from aesop.core.whole_files import atomic_path, refuse_target
from aesop.preview.canvas import Picture
from aesop.preview.drawing import FILM, PAGE_WIDTH_PX, build_side_by_side, page_picture
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

QUALITY = {"crf": "18", "preset": "veryfast", "tune": "animation"}
BROADCAST_TOLERANCE = 0.004  # fps within which 29.97 means 30000/1001


def write_video(
    subject: Shot | Clip, path: Path, progress: Progress | None = None, width: int = PAGE_WIDTH_PX
) -> None:
    """Outside and lens side by side (a clip: outside only), frame by frame, as MP4."""
    if path.suffix.lower() != ".mp4":
        raise FileError(f"{path.name} does not end like a video.", "End it in .mp4.")
    refuse_target(path)
    page = build_side_by_side(subject, width + width % 2)

    def draw(frame: int) -> Picture:
        return page_picture(page, frame, FILM)

    encode(path, in_order(draw, subject.frames), subject.fps, subject.frames, progress)


def exact_rate(fps: float) -> Fraction:
    """The rate as a fraction; 23.976, 29.97 and their kin are the broadcast rates they mean."""
    broadcast = Fraction(round(fps * 1.001) * 1000, 1001)
    if fps != round(fps) and abs(fps - broadcast) < BROADCAST_TOLERANCE:
        return broadcast
    return Fraction(fps).limit_denominator(1000)


def encode(
    path: Path,
    pictures: Iterator[Picture],
    fps: float,
    count: int,
    progress: Progress | None,
) -> None:
    """Write so many pictures of one even size as MP4, completely or not at all."""
    rate, options = exact_rate(fps), {"movflags": "+faststart"}
    with (
        atomic_path(path) as temporary,
        av.open(str(temporary), "w", format="mp4", options=options) as container,
    ):
        stream = container.add_stream("libx264", rate=rate, options=QUALITY)
        stream.pix_fmt, stream.codec_context.time_base = "yuv420p", 1 / rate
        for number, picture in enumerate(pictures):
            if number == 0:
                stream.height, stream.width = picture.shape[:2]
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, 1 / rate
            container.mux(stream.encode(frame))
            if progress is not None:
                progress(number + 1, count)
        container.mux(stream.encode(None))
