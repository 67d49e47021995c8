// A shot at any intensity: the camera between the two nearest that the server has filmed. All of
// them share their noise, so what lies between is the same shot, turned.

import type { Packed, ShotFacts } from "./api";

export const ROW = 8; // x, y, z, qx, qy, qz, qw, vertical field of view

// Intensity over time: second and value, eased between them; beyond its ends it is held.
export type Curve = [number, number][];
export type Intensity = number | Curve;

export interface Fan {
  take: string;
  fps: number;
  frames: number;
  aspect: number;
  intensities: number[];
  cameras: Float32Array;
  facts: ShotFacts[];
  curve: string | null; // the curve that `overTime` was filmed at, as JSON
  overTime: Float32Array | null;
}

export interface CameraRows {
  fps: number;
  frames: number;
  aspect: number;
  rows: Float32Array;
}

export function fanOf(came: Packed): Fan {
  const { data, shape } = came.arrays.cameras;
  return {
    take: came.facts.take as string,
    fps: came.facts.fps as number,
    aspect: came.facts.aspect as number,
    facts: came.facts.facts as ShotFacts[],
    intensities: came.facts.intensities as number[],
    frames: shape[1],
    cameras: data as Float32Array,
    curve: came.facts.curve ? JSON.stringify(came.facts.curve) : null,
    overTime: (came.arrays.over_time?.data as Float32Array | undefined) ?? null,
  };
}

// Where an intensity lies among those filmed: the one below, and the share of the one above.
export function between(intensities: number[], asked: number): { low: number; share: number } {
  const last = intensities.length - 1;
  if (asked <= intensities[0]) return { low: 0, share: 0 };
  if (asked >= intensities[last]) return { low: last, share: 0 };
  let low = 0;
  while (intensities[low + 1] <= asked) low += 1;
  const gap = intensities[low + 1] - intensities[low];
  return { low, share: (asked - intensities[low]) / gap };
}

export function turned(fan: Fan, intensity: number, into?: Float32Array): CameraRows {
  const size = fan.frames * ROW;
  const rows = into && into.length === size ? into : new Float32Array(size);
  const { low, share } = between(fan.intensities, intensity);
  const a = fan.cameras.subarray(low * size, (low + 1) * size);
  if (share === 0) {
    rows.set(a);
  } else {
    const b = fan.cameras.subarray((low + 1) * size, (low + 2) * size);
    for (let at = 0; at < size; at += ROW) mix(a, at, b, at, share, rows, at);
  }
  return { fps: fan.fps, frames: fan.frames, aspect: fan.aspect, rows };
}

export function mix(
  a: Float32Array,
  atA: number,
  b: Float32Array,
  atB: number,
  share: number,
  out: Float32Array,
  at: number,
): void {
  // Written out: for every frame of a long motion and every move of the finger, nothing is left for
  // the collector.
  const keep = 1 - share;
  out[at] = keep * a[atA] + share * b[atB];
  out[at + 1] = keep * a[atA + 1] + share * b[atB + 1];
  out[at + 2] = keep * a[atA + 2] + share * b[atB + 2];
  out[at + 7] = keep * a[atA + 7] + share * b[atB + 7];
  mixTurn(a, atA + 3, b, atB + 3, share, out, at + 3);
}

// The shortest way between two near turns, straight and brought back to unit length.
export function mixTurn(
  a: Float32Array,
  atA: number,
  b: Float32Array,
  atB: number,
  share: number,
  out: Float32Array,
  at: number,
): void {
  let dot = 0;
  for (let one = 0; one < 4; one += 1) dot += a[atA + one] * b[atB + one];
  const sign = dot < 0 ? -share : share;
  let square = 0;
  for (let one = 0; one < 4; one += 1) {
    out[at + one] = (1 - share) * a[atA + one] + sign * b[atB + one];
    square += out[at + one] ** 2;
  }
  const length = Math.sqrt(square) || 1;
  for (let one = 0; one < 4; one += 1) out[at + one] /= length;
}

const SCRATCH = new Float32Array(ROW);

export function cameraAt(camera: CameraRows, frame: number): Float32Array {
  const last = camera.frames - 1;
  const low = Math.max(0, Math.min(Math.floor(frame), last));
  const high = Math.min(low + 1, last);
  const share = Math.max(0, Math.min(frame - low, 1));
  mix(camera.rows, low * ROW, camera.rows, high * ROW, share, SCRATCH, 0);
  return SCRATCH;
}

export function travel(camera: CameraRows): number {
  let sum = 0;
  const { rows } = camera;
  for (let at = ROW; at < rows.length; at += ROW) {
    sum += Math.hypot(
      rows[at] - rows[at - ROW],
      rows[at + 1] - rows[at + 1 - ROW],
      rows[at + 2] - rows[at + 2 - ROW],
    );
  }
  return sum;
}

export function curveAt(curve: Curve, seconds: number): number {
  let after = curve.findIndex(([at]) => at >= seconds);
  if (after === 0) return curve[0][1];
  if (after < 0) return curve[curve.length - 1][1];
  const [start, low] = curve[after - 1];
  const [stop, high] = curve[after];
  const share = (seconds - start) / (stop - start);
  return low + share * share * (3 - 2 * share) * (high - low);
}

export function meanOf(intensity: Intensity, seconds: number): number {
  if (typeof intensity === "number") return intensity;
  let sum = 0;
  const count = 200;
  for (let at = 0; at < count; at += 1) sum += curveAt(intensity, ((at + 0.5) / count) * seconds);
  return sum / count;
}

// The camera of a curve from those at fixed intensities, until the exact one is filmed: at every
// moment it goes on as the one does whose intensity is asked for then, turned so that the person
// stays where that one has them in the picture. `aim` is the point that stays, frame by frame.
export function overTime(fan: Fan, curve: Curve, aim: Float32Array): CameraRows {
  const size = fan.frames * ROW;
  const rows = new Float32Array(size);
  const nearest = between(fan.intensities, 1);
  const begin = (nearest.low + (nearest.share > 0.5 ? 1 : 0)) * size;
  const place = [fan.cameras[begin], fan.cameras[begin + 1], fan.cameras[begin + 2]];
  const one = new Float32Array(4);
  const two = new Float32Array(4);
  for (let frame = 0; frame < fan.frames; frame += 1) {
    const at = frame * ROW;
    const now = between(fan.intensities, curveAt(curve, frame / fan.fps));
    const a = now.low * size + at;
    const b = now.share > 0 ? a + size : a;
    for (let axis = 0; axis < 3; axis += 1) rows[at + axis] = place[axis];
    rows[at + 7] = (1 - now.share) * fan.cameras[a + 7] + now.share * fan.cameras[b + 7];
    aimed(fan.cameras, a, aim, 3 * frame, place, one);
    aimed(fan.cameras, b, aim, 3 * frame, place, two);
    mixTurn(one, 0, two, 0, now.share, rows, at + 3);
    if (frame + 1 === fan.frames) break;
    const next = between(fan.intensities, curveAt(curve, (frame + 0.5) / fan.fps));
    const c = next.low * size + at;
    const d = next.share > 0 ? c + size : c;
    for (let axis = 0; axis < 3; axis += 1) {
      const low = fan.cameras[c + ROW + axis] - fan.cameras[c + axis];
      const high = fan.cameras[d + ROW + axis] - fan.cameras[d + axis];
      place[axis] += (1 - next.share) * low + next.share * high;
    }
  }
  return { fps: fan.fps, frames: fan.frames, aspect: fan.aspect, rows };
}

// The turn of a camera that has gone elsewhere and still sees a point where it saw it: the smallest
// turn from the one line of sight to the other, after its own.
function aimed(
  cameras: Float32Array,
  at: number,
  aim: Float32Array,
  point: number,
  place: number[],
  out: Float32Array,
): void {
  const fromX = aim[point] - cameras[at];
  const fromY = aim[point + 1] - cameras[at + 1];
  const fromZ = aim[point + 2] - cameras[at + 2];
  const toX = aim[point] - place[0];
  const toY = aim[point + 1] - place[1];
  const toZ = aim[point + 2] - place[2];
  const far = Math.sqrt(fromX * fromX + fromY * fromY + fromZ * fromZ);
  const scale = far * Math.sqrt(toX * toX + toY * toY + toZ * toZ) || 1;
  let x = (fromY * toZ - fromZ * toY) / scale;
  let y = (fromZ * toX - fromX * toZ) / scale;
  let z = (fromX * toY - fromY * toX) / scale;
  let w = 1 + (fromX * toX + fromY * toY + fromZ * toZ) / scale;
  const length = Math.sqrt(x * x + y * y + z * z + w * w) || 1;
  x /= length;
  y /= length;
  z /= length;
  w /= length;
  const qx = cameras[at + 3];
  const qy = cameras[at + 4];
  const qz = cameras[at + 5];
  const qw = cameras[at + 6];
  out[0] = w * qx + x * qw + y * qz - z * qy;
  out[1] = w * qy - x * qz + y * qw + z * qx;
  out[2] = w * qz + x * qy - y * qx + z * qw;
  out[3] = w * qw - x * qx - y * qy - z * qz;
}
