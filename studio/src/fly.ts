// Flying the camera by hand: the lens looks where the hand turns it, until its view is set as a key
// of the shot or let go.

import * as THREE from "three";
import type { KeyView } from "./api";
import { ROW } from "./turning";

const LOOK = 0.0032; // radians a pixel
const SLIDE = 0.0045; // metres a pixel
const STEP = 0.08; // metres, degrees and shares a key press
const TURN = 0.03;
const LOWEST_M = 0.05;
const LENSES: [number, number] = [0.12, 2.1]; // vertical fields of view, radians

export class Flight {
  readonly row = new Float32Array(ROW);
  isOn = false;
  onMove: () => void = () => {};
  private readonly turn = new THREE.Quaternion();
  private readonly step = new THREE.Vector3();

  constructor(private readonly pane: HTMLElement) {
    pane.addEventListener("pointerdown", (event) => this.grab(event));
    pane.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    pane.addEventListener("contextmenu", (event) => this.isOn && event.preventDefault());
  }

  begin(row: Float32Array): void {
    this.row.set(row);
    this.isOn = true;
    this.onMove();
  }

  end(): void {
    this.isOn = false;
    this.onMove();
  }

  // The view as the server wants it: columns are right, down and forward.
  key(seconds: number): KeyView {
    const turn = new THREE.Matrix4().makeRotationFromQuaternion(this.read());
    const e = turn.elements;
    const rows = [0, 1, 2].map((axis) => [e[axis], -e[4 + axis], -e[8 + axis]]);
    return {
      seconds,
      centre_m: [this.row[0], this.row[1], this.row[2]],
      world_from_camera: rows as KeyView["world_from_camera"],
      fov_vertical_deg: THREE.MathUtils.radToDeg(this.row[7]),
    };
  }

  // Whether a key flew the camera.
  onKey(event: KeyboardEvent): boolean {
    if (!this.isOn || event.ctrlKey || event.metaKey || event.altKey) return false;
    const fast = event.shiftKey ? 4 : 1;
    const moves: Record<string, () => void> = {
      w: () => this.go(0, 0, -STEP * fast),
      s: () => this.go(0, 0, STEP * fast),
      a: () => this.go(-STEP * fast, 0, 0),
      d: () => this.go(STEP * fast, 0, 0),
      q: () => this.lift(-STEP * fast),
      e: () => this.lift(STEP * fast),
      arrowleft: () => this.look(TURN * fast, 0),
      arrowright: () => this.look(-TURN * fast, 0),
      arrowup: () => this.look(0, TURN * fast),
      arrowdown: () => this.look(0, -TURN * fast),
      "+": () => this.zoom(1 - TURN * fast),
      "=": () => this.zoom(1 - TURN * fast),
      "-": () => this.zoom(1 + TURN * fast),
    };
    const move = moves[event.key.toLowerCase()];
    move?.();
    return !!move;
  }

  private read(): THREE.Quaternion {
    return this.turn.set(this.row[3], this.row[4], this.row[5], this.row[6]);
  }

  private go(right: number, up: number, back: number): void {
    this.step.set(right, up, back).applyQuaternion(this.read());
    this.row[0] += this.step.x;
    this.row[1] += this.step.y;
    this.lift(this.step.z);
  }

  private lift(by: number): void {
    this.row[2] = Math.max(LOWEST_M, this.row[2] + by);
    this.onMove();
  }

  private look(left: number, up: number): void {
    const turn = this.read();
    turn.premultiply(new THREE.Quaternion().setFromAxisAngle(UPWARDS, left));
    const tilted = turn.clone().multiply(new THREE.Quaternion().setFromAxisAngle(RIGHT, up));
    // Not over the top, where left and right change sides.
    const steep = Math.abs(this.step.set(0, 0, -1).applyQuaternion(tilted).z) > 0.995;
    (steep ? turn : tilted).toArray(this.row, 3);
    this.onMove();
  }

  private zoom(share: number): void {
    this.row[7] = Math.max(LENSES[0], Math.min(this.row[7] * share, LENSES[1]));
    this.onMove();
  }

  private grab(event: PointerEvent): void {
    if (!this.isOn || (event.target as HTMLElement).closest("button")) return;
    event.preventDefault();
    this.pane.setPointerCapture(event.pointerId);
    const slides = event.button === 2 || event.shiftKey;
    let [x, y] = [event.clientX, event.clientY];
    const drag = (now: PointerEvent) => {
      const [right, down] = [now.clientX - x, now.clientY - y];
      [x, y] = [now.clientX, now.clientY];
      if (slides) this.go(-right * SLIDE, down * SLIDE, 0);
      else this.look(right * LOOK, down * LOOK);
    };
    const end = () => {
      this.pane.removeEventListener("pointermove", drag);
      this.pane.removeEventListener("pointerup", end);
      this.pane.removeEventListener("pointercancel", end);
    };
    this.pane.addEventListener("pointermove", drag);
    this.pane.addEventListener("pointerup", end);
    this.pane.addEventListener("pointercancel", end);
  }

  private onWheel(event: WheelEvent): void {
    if (!this.isOn) return;
    event.preventDefault();
    const by = Math.sign(event.deltaY);
    if (event.ctrlKey || event.altKey) this.zoom(1 + TURN * by);
    else this.go(0, 0, 2 * STEP * by);
  }
}

const UPWARDS = new THREE.Vector3(0, 0, 1);
const RIGHT = new THREE.Vector3(1, 0, 0);
