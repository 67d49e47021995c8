// The camera on the stage: its way as a ribbon, its shadow on the ground, frusta along it, and the
// camera itself where it stands now.

import * as THREE from "three";
import { cameraAt, ROW, type CameraRows } from "./turning";

const MOST_POINTS = 240;
const HALF_WIDTH = 0.045; // of the ribbon
const FRUSTA = 7;
const UPWARDS = new THREE.Vector3(0, 0, 1);
const SMALL = 0.34; // metres: how far a frustum reaches
const LARGE = 0.9;
const HIDDEN_M = 1.0;

// Bands through the same points, two vertices each at every point: across, and upright if wanted.
function strip(points: number, bands: number): THREE.BufferGeometry {
  const made = new THREE.BufferGeometry();
  const floats = (size: number) => {
    const attribute = new THREE.BufferAttribute(new Float32Array(2 * bands * points * size), size);
    return attribute.setUsage(THREE.DynamicDrawUsage);
  };
  made.setAttribute("position", floats(3));
  made.setAttribute("color", floats(3));
  const index: number[] = [];
  for (let band = 0; band < bands; band += 1) {
    for (let at = 0; at + 1 < points; at += 1) {
      const a = 2 * (band * points + at);
      index.push(a, a + 1, a + 3, a, a + 3, a + 2);
    }
  }
  made.setIndex(index);
  return made;
}

export class CameraTrack {
  readonly group = new THREE.Group();
  readonly row = new Float32Array(ROW);
  private readonly ribbon: THREE.Mesh;
  private readonly onGround: THREE.Mesh;
  private readonly frusta: THREE.LineSegments;
  private readonly now = new THREE.Group();
  private readonly nowLines: THREE.LineSegments;
  private readonly glass: THREE.Mesh;
  private readonly plumb: THREE.Line;
  private readonly bodyMaterial = new THREE.MeshStandardMaterial({ roughness: 0.5 });
  private readonly early = new THREE.Color();
  private readonly late = new THREE.Color();
  private camera: CameraRows | null = null;

  constructor() {
    const seen = { vertexColors: true, side: THREE.DoubleSide };
    this.ribbon = new THREE.Mesh(strip(MOST_POINTS, 2), new THREE.MeshBasicMaterial(seen));
    const faint = { ...seen, transparent: true, opacity: 0.28, depthWrite: false };
    this.onGround = new THREE.Mesh(strip(MOST_POINTS, 1), new THREE.MeshBasicMaterial(faint));
    this.frusta = new THREE.LineSegments(
      lines(FRUSTA * 8),
      new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 }),
    );
    this.nowLines = new THREE.LineSegments(lines(8), new THREE.LineBasicMaterial());
    this.plumb = new THREE.Line(
      new THREE.BufferGeometry().setAttribute(
        "position",
        new THREE.BufferAttribute(new Float32Array(6), 3),
      ),
      new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4 }),
    );
    const pane = new THREE.BufferGeometry();
    pane.setAttribute("position", new THREE.BufferAttribute(new Float32Array(12), 3));
    pane.setIndex([0, 1, 2, 0, 2, 3]);
    this.glass = new THREE.Mesh(
      pane,
      new THREE.MeshBasicMaterial({
        transparent: true,
        opacity: 0.14,
        side: THREE.DoubleSide,
        depthWrite: false,
      }),
    );
    const box = new THREE.Mesh(new THREE.BoxGeometry(0.15, 0.17, 0.24), this.bodyMaterial);
    box.position.z = 0.12;
    const barrel = new THREE.Mesh(
      new THREE.CylinderGeometry(0.055, 0.065, 0.12, 24),
      this.bodyMaterial,
    );
    barrel.rotation.x = Math.PI / 2;
    barrel.position.z = -0.04;
    this.now.add(box, barrel);
    const all = [this.ribbon, this.onGround, this.frusta, this.nowLines, this.glass, this.plumb];
    for (const one of all) one.frustumCulled = false;
    this.group.add(...all, this.now);
  }

  setLayer(layer: number): void {
    this.group.traverse((one) => one.layers.set(layer));
  }

  dress(early: string, late: string): void {
    this.early.set(early);
    this.late.set(late);
    for (const one of [this.frusta, this.nowLines, this.glass, this.plumb]) {
      (one.material as THREE.LineBasicMaterial).color.set(late);
    }
    this.bodyMaterial.color.set(late).multiplyScalar(0.55);
    if (this.camera) this.follow(this.camera);
  }

  // Lay the way of a camera; called for every turn of the intensity.
  follow(camera: CameraRows): void {
    this.camera = camera;
    const place = this.ribbon.geometry.getAttribute("position") as THREE.BufferAttribute;
    const below = this.onGround.geometry.getAttribute("position") as THREE.BufferAttribute;
    const tint = this.ribbon.geometry.getAttribute("color") as THREE.BufferAttribute;
    const tintBelow = this.onGround.geometry.getAttribute("color") as THREE.BufferAttribute;
    const colour = new THREE.Color();
    const along = new THREE.Vector3();
    const right = new THREE.Vector3();
    const up = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const step = (camera.frames - 1) / (MOST_POINTS - 1);
    for (let at = 0; at < MOST_POINTS; at += 1) {
      const share = at / (MOST_POINTS - 1);
      // One band lies flat along the way, the other stands: from wherever, one of them is seen.
      const before = cameraAt(camera, Math.max(0, at - 1) * step);
      along.set(-before[0], -before[1], -before[2]);
      const after = cameraAt(camera, Math.min(MOST_POINTS - 1, at + 1) * step);
      along.add(right.set(after[0], after[1], after[2]));
      const row = cameraAt(camera, at * step);
      turn.set(row[3], row[4], row[5], row[6]);
      right.crossVectors(along, UPWARDS);
      if (right.lengthSq() < 1e-10) right.set(1, 0, 0).applyQuaternion(turn);
      right.normalize();
      up.crossVectors(right, along);
      if (up.lengthSq() < 1e-14) up.copy(UPWARDS);
      up.setLength(HALF_WIDTH / 2);
      right.multiplyScalar(HALF_WIDTH);
      colour.lerpColors(this.early, this.late, share);
      for (const side of [0, 1]) {
        const sign = side ? 1 : -1;
        const [x, y] = [row[0] + sign * right.x, row[1] + sign * right.y];
        place.setXYZ(2 * at + side, x, y, row[2] + sign * right.z);
        below.setXYZ(2 * at + side, x, y, 0.006);
        tint.setXYZ(2 * at + side, colour.r, colour.g, colour.b);
        const upright = 2 * (MOST_POINTS + at) + side;
        place.setXYZ(upright, row[0] + sign * up.x, row[1] + sign * up.y, row[2] + sign * up.z);
        tint.setXYZ(upright, colour.r, colour.g, colour.b);
        tintBelow.setXYZ(2 * at + side, colour.r, colour.g, colour.b);
      }
    }
    for (const one of [place, below, tint, tintBelow]) one.needsUpdate = true;
    const corners = this.frusta.geometry.getAttribute("position") as THREE.BufferAttribute;
    for (let at = 0; at < FRUSTA; at += 1) {
      const row = cameraAt(camera, (at / (FRUSTA - 1)) * (camera.frames - 1));
      frustum(corners, 16 * at, row, camera.aspect, SMALL);
    }
    corners.needsUpdate = true;
  }

  // From within, a camera would hide what there is to see.
  hideNear(eye: THREE.Vector3): void {
    const isSeen = eye.distanceTo(this.now.position) > HIDDEN_M;
    for (const one of [this.now, this.nowLines, this.glass]) one.visible = isSeen;
  }

  stand(row: Float32Array, aspect: number): void {
    this.row.set(row);
    this.now.position.set(row[0], row[1], row[2]);
    this.now.quaternion.set(row[3], row[4], row[5], row[6]);
    const corners = this.nowLines.geometry.getAttribute("position") as THREE.BufferAttribute;
    const ends = frustum(corners, 0, row, aspect, LARGE);
    corners.needsUpdate = true;
    const pane = this.glass.geometry.getAttribute("position") as THREE.BufferAttribute;
    ends.forEach((end, at) => pane.setXYZ(at, end.x, end.y, end.z));
    pane.needsUpdate = true;
    const line = this.plumb.geometry.getAttribute("position") as THREE.BufferAttribute;
    line.setXYZ(0, row[0], row[1], row[2]);
    line.setXYZ(1, row[0], row[1], 0.006);
    line.needsUpdate = true;
  }
}

function lines(count: number): THREE.BufferGeometry {
  const attribute = new THREE.BufferAttribute(new Float32Array(count * 6), 3);
  return new THREE.BufferGeometry().setAttribute(
    "position",
    attribute.setUsage(THREE.DynamicDrawUsage),
  );
}

// Eight edges, written as sixteen ends; the corners of the picture come back.
function frustum(
  into: THREE.BufferAttribute,
  first: number,
  row: Float32Array,
  aspect: number,
  reach: number,
): THREE.Vector3[] {
  const tall = Math.tan(row[7] / 2);
  const scale = reach / Math.hypot(1, tall, tall * aspect);
  const turn = new THREE.Quaternion(row[3], row[4], row[5], row[6]);
  const from = new THREE.Vector3(row[0], row[1], row[2]);
  const ends = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([x, y]) =>
    new THREE.Vector3(x * tall * aspect, y * tall, -1)
      .multiplyScalar(scale)
      .applyQuaternion(turn)
      .add(from),
  );
  ends.forEach((end, at) => {
    const next = ends[(at + 1) % 4];
    into.setXYZ(first + 4 * at, from.x, from.y, from.z);
    into.setXYZ(first + 4 * at + 1, end.x, end.y, end.z);
    into.setXYZ(first + 4 * at + 2, end.x, end.y, end.z);
    into.setXYZ(first + 4 * at + 3, next.x, next.y, next.z);
  });
  return ends;
}
