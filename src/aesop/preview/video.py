"""A shot as H.264 video, drawn on all cores and written at exactly the shot's rate."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.bitstream import BitStreamFilterContext
from av.codec.context import Flags

from aesop.core.errors import FileError, Progress
from aesop.core.pool import in_order
from aesop.core.whole_files import atomic_path, refuse_target
from aesop.preview.canvas import Picture
from aesop.preview.drawing import FILM, PAGE_WIDTH_PX, build_side_by_side, page_picture
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

QUALITY = {"crf": "18", "preset": "veryfast", "tune": "animation"}
# Macroblock trees read memory that nobody wrote where a picture is small: the same pictures then
# give other bytes from time to time. Videos that must tell nothing but their pictures do without.
_SAME_BYTES = {"x264-params": "mbtree=0"}
# H.264's remarks (SEI), in which the encoder writes its name and settings.
_NO_REMARKS = "filter_units=remove_types=6"
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
    *,
    is_anonymous: bool = False,
) -> None:
    """Write so many pictures of one even size as MP4, completely or not at all. An anonymous file
    says nothing of who wrote it: no names, versions or settings of programs, and the same pictures
    give the same bytes."""
    rate, options = exact_rate(fps), {"movflags": "+faststart"}
    options |= {"fflags": "+bitexact"} if is_anonymous else {}
    with (
        atomic_path(path) as temporary,
        av.open(str(temporary), "w", format="mp4", options=options) as container,
    ):
        settings = QUALITY | (_SAME_BYTES if is_anonymous else {})
        stream = container.add_stream("libx264", rate=rate, options=settings)
        stream.pix_fmt, stream.codec_context.time_base = "yuv420p", 1 / rate
        if is_anonymous:
            stream.codec_context.flags |= Flags.bitexact
        clean: BitStreamFilterContext | None = None
        for number, picture in enumerate(pictures):
            if number == 0:
                stream.height, stream.width = picture.shape[:2]
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, 1 / rate
            packets = stream.encode(frame)
            if is_anonymous and clean is None:  # made once the encoder has opened
                clean = BitStreamFilterContext(_NO_REMARKS, stream)
            container.mux(packets if clean is None else _cleaned(clean, packets))
            if progress is not None:
                progress(number + 1, count)
        rest = stream.encode(None)
        container.mux(rest if clean is None else [*_cleaned(clean, rest), *clean.filter(None)])


def _cleaned(clean: BitStreamFilterContext, packets: list[Any]) -> list[Any]:
    return [passed for packet in packets for passed in clean.filter(packet)]
