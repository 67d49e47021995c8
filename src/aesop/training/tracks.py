"""Smooth curves in few bytes: quantised, twice differenced, compressed. Bounded error, no drift."""

import lzma

import numpy as np
from jaxtyping import Float64, Int64

Starts = Int64[np.ndarray, " clips_and_one"]

# Clips cut from one take repeat each other's frames, far apart: a dictionary that reaches back.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 27}]


def pack_tracks(
    values: Float64[np.ndarray, "frames channels"],
    starts: Starts,
    steps: Float64[np.ndarray, " channels"],
) -> bytes:
    """Every number is kept to half of its channel's step. Clips stand one after the other."""
    whole = np.rint(values / steps).astype(np.int64)
    small = _differences(_differences(whole, starts), starts)
    # Channel by channel within each clip, so that what repeats, repeats in one stretch.
    clips = [small[first:stop].T.reshape(-1) for first, stop in _spans(starts)]
    flat = np.concatenate(clips) if clips else np.empty(0, np.int64)
    # Sign in the lowest bit; then bytes of equal weight side by side.
    unsigned = ((flat << 1) ^ (flat >> 63)).astype("<u4")
    assert bool((unsigned >> 1 == np.abs(flat + (flat < 0))).all()), "a track leaves 32 bits"
    planes = unsigned.view(np.uint8).reshape(-1, 4).T
    return lzma.compress(planes.tobytes(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def unpack_tracks(
    content: bytes, starts: Starts, steps: Float64[np.ndarray, " channels"]
) -> Float64[np.ndarray, "frames channels"]:
    """Inverse of `pack_tracks`, up to the rounding."""
    planes = np.frombuffer(lzma.decompress(content), np.uint8).reshape(4, -1)
    unsigned = np.ascontiguousarray(planes.T).view("<u4").reshape(-1).astype(np.int64)
    flat = (unsigned >> 1) ^ -(unsigned & 1)
    channels = len(steps)
    small = np.empty((int(starts[-1]), channels), np.int64)
    for first, stop in _spans(starts):
        small[first:stop] = flat[first * channels : stop * channels].reshape(channels, -1).T
    return _sums(_sums(small, starts), starts) * steps


def _spans(starts: Starts) -> list[tuple[int, int]]:
    return list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))


def _differences(
    values: Int64[np.ndarray, "frames channels"], starts: Starts
) -> Int64[np.ndarray, "frames channels"]:
    """Change since the frame before; the first frame of a clip as it is."""
    changes = np.diff(values, axis=0, prepend=np.zeros_like(values[:1]))
    changes[starts[:-1]] = values[starts[:-1]]
    return changes


def _sums(
    changes: Int64[np.ndarray, "frames channels"], starts: Starts
) -> Int64[np.ndarray, "frames channels"]:
    """Inverse of `_differences`."""
    total = np.cumsum(changes, axis=0)
    before = np.concatenate([np.zeros_like(total[:1]), total])[starts[:-1]]
    return total - np.repeat(before, np.diff(starts), axis=0)
