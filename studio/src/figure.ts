// The user's own: the skeleton of the motion's file, and the mesh that it carries where the file has
// one that can be read. Bones turn and move; scales lie in where the mesh is bound.

import * as THREE from "three";
import type { Packed } from "./api";
import { mixTurn } from "./turning";

const THICKEST = 0.06; // metres: half the width of a bone, and of a joint's ball
const SHARE = 0.13; // of a bone's length
const WAIST = 0.16; // of a bone's length: where it is widest

export class FileFigure {
  readonly group = new THREE.Group();
  readonly hasMesh: boolean;
  readonly whyNoMesh: string | null;
  private readonly fps: number;
  private readonly frames: number;
  private readonly count: number;
  private readonly places: Float32Array;
  private readonly turns: Float32Array;
  private readonly sticks: Uint16Array;
  private readonly bones: THREE.InstancedMesh;
  private readonly boneMaterial = new THREE.MeshStandardMaterial({ roughness: 0.7, flatShading: true });
  private readonly mesh: THREE.SkinnedMesh | null = null;
  private readonly slotBone: Uint16Array = new Uint16Array();
  private readonly now: THREE.Matrix4[];
  private worn = "";

  constructor(came: Packed) {
    const { places, turns, sticks } = came.arrays;
    this.fps = came.facts.fps as number;
    this.frames = came.facts.frames as number;
    this.whyNoMesh = came.facts.why_no_mesh as string | null;
    this.count = places.shape[1];
    this.places = places.data as Float32Array;
    this.turns = turns.data as Float32Array;
    this.sticks = sticks.data as Uint16Array;
    this.now = Array.from({ length: this.count }, () => new THREE.Matrix4());
    this.bones = new THREE.InstancedMesh(boneShape(), this.boneMaterial, this.sticks.length / 2);
    this.bones.frustumCulled = false;
    this.bones.castShadow = true;
    this.group.add(this.bones);
    this.hasMesh = !!came.arrays.points;
    if (this.hasMesh) {
      this.slotBone = came.arrays.slot_bone.data as Uint16Array;
      this.mesh = skinned(came);
      this.group.add(this.mesh);
    }
    this.pose(0);
  }

  // As a body of its own, or as lines through a mannequin that stands in the same place.
  wear(isAlone: boolean, layer: number, colour: string): void {
    const worn = `${isAlone} ${layer} ${colour}`;
    if (worn === this.worn) return;
    this.worn = worn;
    if (this.mesh) this.mesh.visible = isAlone;
    this.bones.visible = !isAlone || !this.mesh;
    this.bones.layers.set(layer);
    this.bones.renderOrder = isAlone ? 0 : 2;
    this.bones.castShadow = isAlone;
    this.boneMaterial.depthTest = isAlone;
    this.boneMaterial.transparent = !isAlone;
    this.boneMaterial.opacity = isAlone ? 1 : 0.85;
    this.boneMaterial.color.set(colour);
    this.boneMaterial.needsUpdate = true;
  }

  pose(seconds: number): void {
    const at = Math.max(0, Math.min(seconds * this.fps, this.frames - 1));
    const low = Math.min(Math.floor(at), this.frames - 1);
    const high = Math.min(low + 1, this.frames - 1);
    for (let bone = 0; bone < this.count; bone += 1) this.place(bone, low, high, at - low);
    this.layBones();
    if (this.mesh) {
      const { bones } = this.mesh.skeleton;
      this.slotBone.forEach((bone, slot) => bones[slot].matrixWorld.copy(this.now[bone]));
    }
  }

  private place(bone: number, low: number, high: number, share: number): void {
    const { places } = this;
    const [a, b] = [3 * (low * this.count + bone), 3 * (high * this.count + bone)];
    for (let axis = 0; axis < 3; axis += 1) {
      PLACE.setComponent(axis, places[a + axis] + share * (places[b + axis] - places[a + axis]));
    }
    const [c, d] = [4 * (low * this.count + bone), 4 * (high * this.count + bone)];
    mixTurn(this.turns, c, this.turns, d, share, TURN, 0);
    this.now[bone].compose(PLACE, QUATERNION.fromArray(TURN), ONE);
  }

  private layBones(): void {
    for (let at = 0; at < this.sticks.length / 2; at += 1) {
      FROM.setFromMatrixPosition(this.now[this.sticks[2 * at]]);
      TO.setFromMatrixPosition(this.now[this.sticks[2 * at + 1]]).sub(FROM);
      const length = TO.length();
      const radius = length < 1e-4 ? 0 : Math.min(SHARE * length, THICKEST);
      if (length > 0) QUATERNION.setFromUnitVectors(UPWARDS, TO.divideScalar(length));
      MATRIX.compose(FROM, QUATERNION, SIZE.set(radius, radius, length));
      this.bones.setMatrixAt(at, MATRIX);
    }
    this.bones.instanceMatrix.needsUpdate = true;
  }

  // The bones of one instant, as one shape that does not move.
  baked(seconds: number): THREE.BufferGeometry {
    this.pose(seconds);
    const shape = this.bones.geometry.getAttribute("position");
    const normal = this.bones.geometry.getAttribute("normal");
    const count = this.bones.count * shape.count;
    const [places, outward] = [new Float32Array(3 * count), new Float32Array(3 * count)];
    for (let at = 0; at < this.bones.count; at += 1) {
      this.bones.getMatrixAt(at, MATRIX);
      for (let corner = 0; corner < shape.count; corner += 1) {
        const into = 3 * (at * shape.count + corner);
        PLACE.fromBufferAttribute(shape, corner).applyMatrix4(MATRIX).toArray(places, into);
        PLACE.fromBufferAttribute(normal, corner).transformDirection(MATRIX).toArray(outward, into);
      }
    }
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(places, 3));
    made.setAttribute("normal", new THREE.BufferAttribute(outward, 3));
    return made;
  }

  dispose(): void {
    this.bones.geometry.dispose();
    this.boneMaterial.dispose();
    this.bones.dispose();
    this.mesh?.geometry.dispose();
    this.mesh?.skeleton.dispose();
  }
}

const PLACE = new THREE.Vector3();
const FROM = new THREE.Vector3();
const TO = new THREE.Vector3();
const SIZE = new THREE.Vector3();
const ONE = new THREE.Vector3(1, 1, 1);
const UPWARDS = new THREE.Vector3(0, 0, 1);
const QUATERNION = new THREE.Quaternion();
const MATRIX = new THREE.Matrix4();
const TURN = new Float32Array(4);

// From 0 to 1 along z, thin at both ends.
function boneShape(): THREE.BufferGeometry {
  const ring = [0, 1, 2, 3].map((at) => {
    const angle = (at * Math.PI) / 2;
    return [Math.cos(angle), Math.sin(angle), WAIST];
  });
  const corners: number[][] = [];
  for (let at = 0; at < 4; at += 1) {
    const [a, b] = [ring[at], ring[(at + 1) % 4]];
    corners.push([0, 0, 0], b, a, [0, 0, 1], a, b);
  }
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(new Float32Array(corners.flat()), 3));
  made.computeVertexNormals();
  return made;
}

function skinned(came: Packed): THREE.SkinnedMesh {
  const { arrays } = came;
  const shape = new THREE.BufferGeometry();
  const set = (name: string, from: string, size: number) =>
    shape.setAttribute(name, new THREE.BufferAttribute(arrays[from].data, size));
  set("position", "points", 3);
  set("normal", "normals", 3);
  set("color", "colours", 3);
  set("skinIndex", "slots", 4);
  set("skinWeight", "weights", 4);
  shape.setIndex(new THREE.BufferAttribute(arrays.triangles.data, 1));
  const inside = arrays.bone_from_mesh;
  const slots = inside.shape[0];
  const bound = Array.from({ length: slots }, (_, slot) =>
    new THREE.Matrix4().fromArray(inside.data as Float32Array, 16 * slot),
  );
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true,
    roughness: 0.8,
    side: THREE.DoubleSide,
  });
  const mesh = new THREE.SkinnedMesh(shape, material);
  mesh.bindMode = "detached";
  const bones = Array.from({ length: slots }, () => new THREE.Bone());
  mesh.bind(new THREE.Skeleton(bones, bound), new THREE.Matrix4());
  mesh.frustumCulled = false;
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  return mesh;
}
