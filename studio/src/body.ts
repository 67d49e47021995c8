// The mannequin that previews and exports draw: one mesh, each vertex bound to one joint.

import * as THREE from "three";
import type { Packed } from "./api";
import { mixTurn } from "./turning";

export interface Motion {
  id: string;
  fps: number;
  frames: number;
  joints: Float32Array; // frames × 22 × 3
  turns: Float32Array; // frames × 22 × 4, world, x y z w
  own: "bones" | "mesh" | null; // what the file has of its own
  events: { name: string; start: number; stop: number }[]; // what the person does when, in frames
}

export const JOINTS = 22;
const NECK = 12;

export function motionOf(came: Packed): Motion {
  return {
    id: came.facts.motion as string,
    fps: came.facts.fps as number,
    frames: came.facts.frames as number,
    joints: came.arrays.joints.data as Float32Array,
    turns: came.arrays.turns.data as Float32Array,
    own: came.facts.own as Motion["own"],
    events: came.facts.events as Motion["events"],
  };
}

// For every bone of every frame that plays: nothing is left for the collector.
const TURN = new Float32Array(4);
const PLACE = new THREE.Vector3();
const QUATERNION = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

function boneAt(motion: Motion, frame: number, joint: number, into: THREE.Matrix4): void {
  const last = motion.frames - 1;
  const low = Math.max(0, Math.min(Math.floor(frame), last));
  const high = Math.min(low + 1, last);
  const share = Math.max(0, Math.min(frame - low, 1));
  const a = (low * JOINTS + joint) * 3;
  const b = (high * JOINTS + joint) * 3;
  const { joints } = motion;
  const place = PLACE.set(
    joints[a] + share * (joints[b] - joints[a]),
    joints[a + 1] + share * (joints[b + 1] - joints[a + 1]),
    joints[a + 2] + share * (joints[b + 2] - joints[a + 2]),
  );
  const turnA = (low * JOINTS + joint) * 4;
  const turnB = (high * JOINTS + joint) * 4;
  mixTurn(motion.turns, turnA, motion.turns, turnB, share, TURN, 0);
  into.compose(place, QUATERNION.fromArray(TURN), ONE);
}

export function rootAt(motion: Motion, frame: number): THREE.Vector3 {
  const at = Math.max(0, Math.min(Math.round(frame), motion.frames - 1)) * JOINTS * 3;
  return new THREE.Vector3(motion.joints[at], motion.joints[at + 1], motion.joints[at + 2]);
}

// The neck, frame by frame.
export function neckPath(motion: Motion): Float32Array {
  let path = NECKS.get(motion);
  if (!path) {
    path = new Float32Array(3 * motion.frames);
    for (let frame = 0; frame < motion.frames; frame += 1) {
      const at = 3 * (frame * JOINTS + NECK);
      for (let axis = 0; axis < 3; axis += 1) path[3 * frame + axis] = motion.joints[at + axis];
    }
    NECKS.set(motion, path);
  }
  return path;
}

const NECKS = new WeakMap<Motion, Float32Array>();

export class BodyShape {
  readonly geometry = new THREE.BufferGeometry();
  private readonly joint: Uint16Array;

  constructor(came: Packed) {
    const { points, normals, colours, joint, triangles } = came.arrays;
    this.joint = joint.data as Uint16Array;
    const vertices = this.joint.length;
    const indices = new Uint16Array(4 * vertices);
    const weights = new Float32Array(4 * vertices);
    for (let at = 0; at < vertices; at += 1) {
      indices[4 * at] = this.joint[at];
      weights[4 * at] = 1;
    }
    const set = (name: string, data: Float32Array | Uint16Array, size: number) =>
      this.geometry.setAttribute(name, new THREE.BufferAttribute(data, size));
    set("position", points.data as Float32Array, 3);
    set("normal", normals.data as Float32Array, 3);
    set("color", colours.data as Float32Array, 3);
    set("skinIndex", indices, 4);
    set("skinWeight", weights, 4);
    this.geometry.setIndex(new THREE.BufferAttribute(triangles.data, 1));
  }

  // A pose that does not move: ghosts are drawn without bones.
  baked(motion: Motion, frame: number): THREE.BufferGeometry {
    const bones = Array.from({ length: JOINTS }, (_, joint) => {
      const bone = new THREE.Matrix4();
      boneAt(motion, frame, joint, bone);
      return bone;
    });
    const points = this.geometry.getAttribute("position");
    const normals = this.geometry.getAttribute("normal");
    const places = new Float32Array(points.count * 3);
    const outward = new Float32Array(points.count * 3);
    const point = new THREE.Vector3();
    for (let at = 0; at < points.count; at += 1) {
      const bone = bones[this.joint[at]];
      point.fromBufferAttribute(points, at).applyMatrix4(bone).toArray(places, 3 * at);
      point.fromBufferAttribute(normals, at).transformDirection(bone).toArray(outward, 3 * at);
    }
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(places, 3));
    made.setAttribute("normal", new THREE.BufferAttribute(outward, 3));
    made.setIndex(this.geometry.getIndex());
    return made;
  }
}

export class Body {
  readonly mesh: THREE.SkinnedMesh;
  private readonly bones: THREE.Bone[];

  constructor(shape: BodyShape, material: THREE.Material) {
    this.bones = Array.from({ length: JOINTS }, () => new THREE.Bone());
    const rest = this.bones.map(() => new THREE.Matrix4());
    this.mesh = new THREE.SkinnedMesh(shape.geometry, material);
    this.mesh.bindMode = "detached";
    this.mesh.bind(new THREE.Skeleton(this.bones, rest), new THREE.Matrix4());
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  pose(motion: Motion, frame: number): void {
    this.bones.forEach((bone, joint) => boneAt(motion, frame, joint, bone.matrixWorld));
  }
}
