// A shot at any intensity: the camera between the two nearest that the server has filmed. All of
// them share their noise, so what lies between is the same shot, turned.

import type { Packed, ShotFacts } from "./api";

export const ROW = 8; // x, y, z, qx, qy, qz, qw, vertical field of view

export interface Fan {
  take: string;
  fps: number;
  frames: number;
  aspect: number;
  intensities: number[];
  cameras: Float32Array;
  facts: ShotFacts[];
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
  const keep = 1 - share;
  for (const one of [0, 1, 2, 7]) out[at + one] = keep * a[atA + one] + share * b[atB + one];
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
