"""Fit the shake of Fables to real operated cameras, and show both spectra side by side.

    python benchmarks/real_camera_shake.py REAL_CAMERAS [--takes BVH_FOLDER]

REAL_CAMERAS holds one text file per path (HumanVid's layout: time, place, quaternion xyzw, …).
Writes results/benchmarks/real_camera_shake.json and docs/pictures/fables_shake_spectra.png. The
fitted numbers are copied by hand into src/aesop/fables/cinematographer/grip.py; a test compares
them with the results file.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import tyro
from jaxtyping import Float
from operator_people import people
from PIL import Image
from scipy.optimize import least_squares
from shake_chart import Panel, draw_panels

from aesop.fables.cinematographer.filming import film
from aesop.fables.cinematographer.grip import JITTER_FROM_HZ
from aesop.scene.human import NATIVE_FPS

ROOT = Path(__file__).resolve().parents[1]
# The files carry no rate. HumanVid's sources are 24 to 30 fps; ours is taken for all of them.
FPS = NATIVE_FPS
WINDOW = 128  # frames of one spectrum, half overlapping
# A jump that no operator makes: larger than this and than so many times the path's median.
GLITCH_DEG_PER_FRAME2, GLITCH_TIMES_MEDIAN = 2.0, 20.0
FIT_HZ = (0.5, 12.0)


@dataclass(frozen=True, eq=False)
class Turning:
    """Turn from frame to frame about the camera's own axes, degrees."""

    name: str
    steps_deg: Float[np.ndarray, "transitions 3"]

    @property
    def speed_deg_s(self) -> Float[np.ndarray, " transitions"]:
        return np.linalg.norm(self.steps_deg, axis=1) * FPS

    @property
    def has_glitch(self) -> bool:
        jump = np.linalg.norm(np.diff(self.steps_deg, axis=0), axis=1)
        return bool(
            jump.max() > GLITCH_DEG_PER_FRAME2
            and jump.max() > GLITCH_TIMES_MEDIAN * np.median(jump)
        )


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Power of the turn angle, degrees² per Hz, for the three axes."""

    hz: Float[np.ndarray, " frequencies"]
    power: Float[np.ndarray, "frequencies 3"]


def read_turning(path: Path) -> Turning:
    """Body-fixed turns of a path of quaternions."""
    x, y, z, w = np.loadtxt(path)[:, 4:8].T
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return Turning(path.name, steps_of(matrix.transpose(2, 0, 1)))


def steps_of(
    world_from_camera: Float[np.ndarray, "frames 3 3"],
) -> Float[np.ndarray, "transitions 3"]:
    """Small turns between neighbours as axis times angle, degrees."""
    step = np.einsum("tji,tjk->tik", world_from_camera[:-1], world_from_camera[1:])
    sine = np.stack(
        [
            step[:, 2, 1] - step[:, 1, 2],
            step[:, 0, 2] - step[:, 2, 0],
            step[:, 1, 0] - step[:, 0, 1],
        ],
        axis=-1,
    )
    length = np.linalg.norm(sine, axis=-1, keepdims=True)
    angle = np.arctan2(length, np.trace(step, axis1=1, axis2=2)[:, None] - 1)
    return np.degrees(sine / np.maximum(length, 1e-300) * angle)


def spectrum_of(turning: Turning) -> Spectrum:
    """Welch's mean of windowed spectra of the turn speed, divided by the difference's response."""
    speed = turning.steps_deg * FPS
    length = min(WINDOW, len(speed))
    window = np.hanning(length)
    line = np.stack([np.arange(length), np.ones(length)], axis=1)
    pieces: list[np.ndarray] = []
    for start in range(0, len(speed) - length + 1, length // 2):
        piece = speed[start : start + length]
        piece = piece - line @ np.linalg.lstsq(line, piece, rcond=None)[0]
        pieces.append(np.abs(np.fft.rfft(piece * window[:, None], axis=0)) ** 2)
    hz = np.fft.rfftfreq(length, 1 / FPS)[1:]
    power = np.mean(pieces, axis=0)[1:] * 2 / (FPS * (window**2).sum())
    return Spectrum(hz, power / (2 * FPS * np.sin(np.pi * hz / FPS))[:, None] ** 2)


@dataclass(frozen=True)
class Fit:
    """power(f) = gain · f^−slope + floor; the floor is what the camera estimator adds."""

    gain: float
    slope: float
    floor: float

    def jitter_deg(self, hz: Float[np.ndarray, " frequencies"]) -> float:
        """Rms over one axis above `JITTER_FROM_HZ`, without the floor."""
        fast = hz[hz >= JITTER_FROM_HZ]
        return float(np.sqrt((self.gain * fast**-self.slope).sum() * (hz[1] - hz[0])))


def fit_of(spectrum: Spectrum) -> Fit:
    """Least squares in the logarithm of the power."""
    inside = (spectrum.hz >= FIT_HZ[0]) & (spectrum.hz <= FIT_HZ[1])
    hz, power = spectrum.hz[inside], spectrum.power[inside].mean(axis=1)

    def misfit(numbers: Float[np.ndarray, "3"]) -> Float[np.ndarray, " frequencies"]:
        log_gain, slope, log_floor = numbers
        return np.log(np.exp(log_gain) * hz**-slope + np.exp(log_floor)) - np.log(power)

    start = [np.log(power[0] * hz[0] ** 3), 3.0, np.log(power.min()) - 1]
    found = least_squares(misfit, start, bounds=([-40, 1, -60], [10, 7, 10])).x
    return Fit(float(np.exp(found[0])), float(found[1]), float(np.exp(found[2])))


def quantiles(values: Float[np.ndarray, " values"]) -> dict[str, float]:
    at = (5, 25, 50, 75, 95)
    return {f"p{p}": round(float(v), 5) for p, v in zip(at, np.percentile(values, at), strict=True)}


@dataclass(frozen=True)
class Measured:
    """What one collection of cameras does when it turns."""

    paths: int
    jitter_deg: dict[str, float]  # rms over all axes above 2 Hz
    jitter_log_spread: float
    slope: dict[str, float]
    slope_spread: float
    axis_shares: list[float]
    turn_deg_s: dict[str, float]


def measure(turnings: list[Turning]) -> Measured:
    spectra = [spectrum_of(turning) for turning in turnings]
    fits = [fit_of(spectrum) for spectrum in spectra]
    jitter = np.array(
        [fit.jitter_deg(spectrum.hz) for fit, spectrum in zip(fits, spectra, strict=True)]
    ) * np.sqrt(3)
    slopes = np.array([fit.slope for fit in fits])
    fast = [
        np.sqrt(spectrum.power[spectrum.hz >= JITTER_FROM_HZ].sum(axis=0)) for spectrum in spectra
    ]
    shares = np.median([axis / np.sqrt((axis**2).mean()) for axis in fast], axis=0)
    low, high = np.percentile(np.log(jitter), [16, 84])
    slope_low, slope_high = np.percentile(slopes, [16, 84])
    return Measured(
        paths=len(turnings),
        jitter_deg=quantiles(jitter),
        jitter_log_spread=round(float(high - low) / 2, 3),
        slope=quantiles(slopes),
        slope_spread=round(float(slope_high - slope_low) / 2, 3),
        axis_shares=[round(float(share), 3) for share in shares],
        turn_deg_s=quantiles(np.concatenate([turning.speed_deg_s for turning in turnings])),
    )


def our_turnings(count: int, takes: Path | None) -> list[Turning]:
    """Shots of Fables long enough for a spectrum, all grips as they come."""
    turnings: list[Turning] = []
    for at, person in enumerate(people(takes, frames=(WINDOW + 1, 220))):
        shot = film(person.joints, person.yaw, np.random.default_rng([11, at]))
        rotation = shot.camera.world_from_camera.double().numpy()
        turnings.append(Turning(shot.intent.grip, steps_of(rotation)))
        if len(turnings) == count:
            break
    return turnings


def panel(title: str, turnings: list[Turning]) -> Panel:
    long = [spectrum_of(turning) for turning in turnings if len(turning.steps_deg) >= WINDOW]
    curves = np.array([spectrum.power.mean(axis=1) for spectrum in long])
    return Panel(title, long[0].hz, curves, np.concatenate([t.speed_deg_s for t in turnings]))


def main(
    real_cameras: tyro.conf.Positional[Path], takes: Path | None = None, shots: int = 400
) -> None:
    """Fit, compare, write."""
    everything = [read_turning(path) for path in sorted(real_cameras.glob("*.txt"))]
    kept = [turning for turning in everything if not turning.has_glitch]
    real, ours = measure(kept), our_turnings(shots, takes)
    record = {
        "source": "HumanVid test cameras (CC BY 4.0), 25 fps assumed",
        "screened_out": [turning.name for turning in everything if turning.has_glitch],
        "screen": f"a jump over {GLITCH_DEG_PER_FRAME2} deg/frame^2 and over "
        f"{GLITCH_TIMES_MEDIAN} times the path's median jump",
        "real": asdict(real),
        "ours": asdict(measure(ours)),
        "ours_people": "captured takes" if takes else "made-up motions",
        "repeat": "python benchmarks/real_camera_shake.py REAL_CAMERAS [--takes BVH_FOLDER]",
    }
    (ROOT / "results" / "benchmarks" / "real_camera_shake.json").write_text(
        json.dumps(record, indent=1) + "\n", encoding="utf-8"
    )
    picture = draw_panels(
        panel(f"real cameras, {len(kept)} paths", kept), panel(f"Fables, {len(ours)} shots", ours)
    )
    target = ROOT / "docs" / "pictures" / "fables_shake_spectra.png"
    target.parent.mkdir(exist_ok=True)
    Image.fromarray(picture).save(target, optimize=True)
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    tyro.cli(main)
