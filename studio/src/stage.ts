// The stage: the person on the ground, the camera's way through the room, and what its lens sees.
// One canvas lies behind the panes of the page; each pane is a window into it.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Body, BodyShape, rootAt, type Motion } from "./body";
import type { FileFigure } from "./figure";
import { CameraTrack } from "./track";
import type { CameraRows } from "./turning";
import { cameraAt } from "./turning";

export type ViewName = "orbit" | "top" | "side" | "front";
// Our mannequin, what the file has of its own, or its bones drawn through the mannequin.
export type BodyName = "mannequin" | "own" | "both";

const GHOSTS = 6;
const LENS_LAYER = 0;
const STAGE_LAYER = 1; // what the lens must not see: paths, frusta, ghosts

export interface Scenery {
  motion: Motion;
  camera: CameraRows | null;
  figure: FileFigure | null;
}

// A pane within the canvas, in pixels from its left and its lower edge.
interface PaneBox {
  left: number;
  bottom: number;
  width: number;
  height: number;
}

const NEAR_M = 3.2; // from which one looks at somebody
const PERSON_M = 0.4; // how near a click must be to the person and to the camera
const CAMERA_M = 0.3;
const ARM_M = 0.5; // around the hips, for framing

interface Side {
  person: THREE.Group; // the mannequin and the file's figure: one of them is seen, or both
  body: Body;
  figure: FileFigure | null;
  track: CameraTrack;
  scenery: Scenery | null;
}

interface Palette {
  sky: string;
  floor: string;
  line: string;
  ghost: string;
  bone: string; // of a file's skeleton, alone and through the mannequin
  boneThrough: string;
  light: number;
  key: number;
  shadow: number;
  tracks: [string, string][];
}

const DARK: Palette = {
  sky: "#1b1e23",
  floor: "#262a30",
  line: "#3b4149",
  ghost: "#8e97a3",
  bone: "#d9cbb4",
  boneThrough: "#7fe0c3",
  light: 1.1,
  key: 2.3,
  shadow: 0.5,
  tracks: [
    ["#9ccbf7", "#3b86d6"],
    ["#ffe2a0", "#e09a1b"],
  ],
};
const LIGHT: Palette = {
  sky: "#e6e8ea",
  floor: "#dcdad5",
  line: "#bdbab2",
  ghost: "#77808c",
  bone: "#c9b48f",
  boneThrough: "#0b7d5e",
  light: 1.5,
  key: 2.2,
  shadow: 0.26,
  tracks: [
    ["#7db8ee", "#144f9e"],
    ["#f0bd4a", "#a86a06"],
  ],
};

const FLOOR_VERTEX = `
varying vec2 place;
varying vec3 seen;
void main() {
  place = position.xy;
  vec4 inView = modelViewMatrix * vec4(position, 1.0);
  seen = inView.xyz;
  gl_Position = projectionMatrix * inView;
}`;
const FLOOR_FRAGMENT = `
uniform vec3 floorColour;
uniform vec3 lineColour;
uniform vec3 skyColour;
varying vec2 place;
varying vec3 seen;
float lines(float every, float width) {
  vec2 at = place / every;
  vec2 step = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(step, vec2(1e-6));
  float found = 1.0 - min(min(near.x, near.y) / width, 1.0);
  return found * (1.0 - smoothstep(0.25, 0.6, max(step.x, step.y)));
}
void main() {
  float grid = max(0.75 * lines(1.0, 1.1), lines(5.0, 1.3));
  vec3 colour = mix(floorColour, lineColour, grid);
  float far = smoothstep(9.0, 34.0, length(seen));
  gl_FragColor = vec4(mix(colour, skyColour, far), 1.0);
  #include <colorspace_fragment>
}`;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly outside = new THREE.PerspectiveCamera(38, 1, 0.05, 200);
  private readonly lens = new THREE.PerspectiveCamera(30, 16 / 9, 0.05, 200);
  private readonly controls: OrbitControls;
  private readonly key = new THREE.DirectionalLight(0xffffff, 2);
  private readonly fillLight = new THREE.HemisphereLight(0xffffff, 0x8a8578, 1);
  private readonly floor: THREE.ShaderMaterial;
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.3 });
  private readonly ghosts = new THREE.Group();
  private readonly ghostMaterial = new THREE.MeshStandardMaterial({
    transparent: true,
    opacity: 0.16,
    roughness: 1,
    depthWrite: false,
  });
  private readonly sides: Side[] = [];
  private palette = DARK;
  private lamp = -0.9; // azimuth
  private shape: BodyShape | null = null;
  private bodyName: BodyName = "mannequin";
  private isLinked = true;
  showsGhosts = true;
  isDirty = true;
  wasMoved = false; // by hand, since a view was chosen
  // Where panes lie, until something is laid out anew: asking for it in every frame would lay out
  // the page in the middle of it.
  private readonly boxes = new Map<HTMLElement, PaneBox>();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly pane: HTMLElement,
    private readonly isFine: boolean,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: isFine });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = isFine ? THREE.PCFShadowMap : THREE.BasicShadowMap;
    this.renderer.setScissorTest(true);
    this.outside.up.set(0, 0, 1);
    this.lens.up.set(0, 0, 1);
    this.outside.layers.enable(STAGE_LAYER);
    this.controls = new OrbitControls(this.outside, pane);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = Math.PI / 2 - 0.01;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 60;
    this.controls.addEventListener("change", () => (this.isDirty = true));
    this.controls.addEventListener("start", () => (this.wasMoved = true));
    this.floor = new THREE.ShaderMaterial({
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
      uniforms: {
        floorColour: { value: new THREE.Color() },
        lineColour: { value: new THREE.Color() },
        skyColour: { value: new THREE.Color() },
      },
    });
    this.build();
    this.place("orbit");
  }

  private build(): void {
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(160, 160), this.floor);
    const shade = new THREE.Mesh(new THREE.PlaneGeometry(160, 160), this.shadow);
    shade.position.z = 0.002;
    shade.receiveShadow = true;
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(this.isFine ? 1024 : 512);
    this.key.shadow.normalBias = 0.02;
    this.key.shadow.radius = 4;
    const box = this.key.shadow.camera;
    [box.left, box.right, box.top, box.bottom] = [-2.2, 2.2, 2.2, -2.2];
    [box.near, box.far] = [0.5, 16];
    this.ghosts.traverse((one) => one.layers.set(STAGE_LAYER));
    this.fillLight.position.set(0, 0, 1);
    this.scene.add(ground, shade, this.key, this.key.target, this.fillLight, this.ghosts);
  }

  dress(isDark: boolean): void {
    this.palette = isDark ? DARK : LIGHT;
    const { palette, floor } = this;
    this.scene.background = new THREE.Color(palette.sky);
    floor.uniforms.floorColour.value.set(palette.floor);
    floor.uniforms.lineColour.value.set(palette.line);
    floor.uniforms.skyColour.value.set(palette.sky);
    this.ghostMaterial.color.set(palette.ghost);
    this.fillLight.intensity = palette.light;
    this.key.intensity = palette.key;
    this.shadow.opacity = palette.shadow;
    this.sides.forEach((side, at) => {
      side.track.dress(...palette.tracks[at]);
      this.wear(side);
    });
    this.isDirty = true;
  }

  setShape(shape: BodyShape): void {
    this.shape = shape;
    for (const at of [0, 1]) {
      const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
      const side: Side = {
        person: new THREE.Group(),
        body: new Body(shape, material),
        figure: null,
        track: new CameraTrack(),
        scenery: null,
      };
      side.person.add(side.body.mesh);
      side.person.visible = false;
      side.track.group.visible = false;
      side.track.setLayer(STAGE_LAYER);
      side.track.dress(...this.palette.tracks[at]);
      this.scene.add(side.person, side.track.group);
      this.sides.push(side);
    }
    this.isLinked = false;
    this.isDirty = true;
  }

  // Draw everything once into one pixel while nobody is there yet. Shaders are linked where they are
  // first used, and the first frame with a camera took a third of a second where processors draw.
  private link(): void {
    this.isLinked = true;
    const ghost = new THREE.Mesh(this.shape!.geometry, this.ghostMaterial);
    ghost.layers.set(STAGE_LAYER);
    this.ghosts.add(ghost);
    const hidden = this.sides.flatMap(({ person, track }) => [person, track.group]);
    for (const one of hidden) one.visible = true;
    this.renderer.setViewport(0, 0, 1, 1);
    this.renderer.setScissor(0, 0, 1, 1);
    this.renderer.compile(this.scene, this.outside); // all of them begin at once
    this.renderer.render(this.scene, this.outside);
    for (const one of hidden) one.visible = false;
    this.ghosts.remove(ghost);
  }

  // What stands on the stage: 0 is the take that is shown, 1 the one beside it.
  show(at: number, scenery: Scenery | null): void {
    const side = this.sides[at];
    if (!side) return;
    const isNewPerson =
      at === 0 &&
      (side.scenery?.motion !== scenery?.motion || side.scenery?.figure !== scenery?.figure);
    side.scenery = scenery;
    this.wear(side);
    const one = this.sides[0].scenery;
    side.person.visible = !!scenery && (at === 0 || scenery.motion.id !== one?.motion.id);
    side.track.group.visible = !!scenery?.camera;
    if (scenery?.camera) side.track.follow(scenery.camera);
    if (isNewPerson) this.haunt();
    if (at === 0 && scenery?.camera) this.lamp = lampAzimuth(scenery.motion, scenery.camera);
    this.isDirty = true;
  }

  setBody(name: BodyName): void {
    if (this.bodyName === name) return;
    this.bodyName = name;
    for (const side of this.sides) this.wear(side);
    this.haunt();
  }

  private wear(side: Side): void {
    const figure = side.scenery?.figure ?? null;
    if (side.figure !== figure) {
      if (side.figure) side.person.remove(side.figure.group);
      if (figure) side.person.add(figure.group);
      side.figure = figure;
    }
    const isAlone = this.bodyName === "own" && !!figure;
    side.body.mesh.visible = !isAlone;
    if (!figure) return;
    figure.group.visible = this.bodyName !== "mannequin";
    const colour = isAlone ? this.palette.bone : this.palette.boneThrough;
    figure.wear(isAlone, isAlone ? LENS_LAYER : STAGE_LAYER, colour);
    this.isDirty = true;
  }

  setGhosts(shown: boolean): void {
    this.showsGhosts = shown;
    this.haunt();
  }

  private haunt(): void {
    for (const old of [...this.ghosts.children]) {
      (old as THREE.Mesh).geometry.dispose();
      this.ghosts.remove(old);
    }
    const motion = this.sides[0]?.scenery?.motion;
    this.isDirty = true;
    if (!motion || !this.shape || !this.showsGhosts) return;
    // Poses in one place would hide each other, and the person with them.
    const frames: number[] = [];
    for (let at = 0; at < GHOSTS; at += 1) {
      const frame = Math.round((at * (motion.frames - 1)) / (GHOSTS - 1));
      const last = frames.length ? rootAt(motion, frames[frames.length - 1]) : null;
      if (!last || rootAt(motion, frame).distanceTo(last) > 0.45) frames.push(frame);
    }
    for (const frame of frames.length > 1 ? frames : []) {
      const own = this.bodyName === "own" ? this.sides[0].figure : null;
      const shape = own ? own.baked(frame / motion.fps) : this.shape.baked(motion, frame);
      const mesh = new THREE.Mesh(shape, this.ghostMaterial);
      mesh.layers.set(STAGE_LAYER);
      this.ghosts.add(mesh);
    }
  }

  // A camera that is flown by hand stands in for the shot's.
  flown: Float32Array | null = null;

  // The row of the shot's camera at an instant, and of the view from outside.
  shotRow(seconds: number): Float32Array | null {
    const first = this.sides[0]?.scenery;
    return first?.camera ? cameraAt(first.camera, seconds * first.motion.fps).slice() : null;
  }

  outsideRow(aspect: number): Float32Array {
    const { position, quaternion } = this.outside;
    const tall = THREE.MathUtils.degToRad(this.outside.fov);
    // The picture of the pane, as wide as it is, in the picture of the shot.
    const wide = Math.tan(tall / 2) * this.outside.aspect;
    const fov = 2 * Math.atan(Math.min(Math.tan(tall / 2), wide / aspect));
    return new Float32Array([...position.toArray(), ...quaternion.toArray(), fov]);
  }

  pose(seconds: number): void {
    for (const side of this.sides) {
      if (!side.scenery) continue;
      const { motion, camera } = side.scenery;
      const frame = seconds * motion.fps;
      if (side.person.visible && side.body.mesh.visible) side.body.pose(motion, frame);
      if (side.person.visible && side.figure?.group.visible) side.figure.pose(seconds);
      const flown = side === this.sides[0] ? this.flown : null;
      if (camera) side.track.stand(flown ?? cameraAt(camera, frame), camera.aspect);
    }
    const first = this.sides[0]?.scenery;
    if (first) {
      const root = rootAt(first.motion, seconds * first.motion.fps);
      this.key.target.position.copy(root);
      this.key.position.set(root.x + 4.2 * Math.cos(this.lamp), root.y + 4.2 * Math.sin(this.lamp), root.z + 5.4);
    }
    this.isDirty = true;
  }

  // Everything that there is to see, for framing.
  private *points(): Generator<THREE.Vector3> {
    for (const { scenery } of this.sides) {
      if (!scenery) continue;
      const { motion, camera } = scenery;
      const step = Math.max(1, Math.floor(motion.frames / 40));
      for (let frame = 0; frame < motion.frames; frame += step) {
        const { x, y } = rootAt(motion, frame);
        yield new THREE.Vector3(x - ARM_M, y - ARM_M, 0);
        yield new THREE.Vector3(x + ARM_M, y + ARM_M, 1.8);
      }
      for (let frame = 0; camera && frame < camera.frames; frame += step) {
        const row = cameraAt(camera, frame);
        yield new THREE.Vector3(row[0], row[1], row[2]);
      }
    }
  }

  // Whether it is all in the pane.
  seesAll(): boolean {
    const { width, height } = this.pane.getBoundingClientRect();
    this.outside.aspect = width / Math.max(height, 1) || 1.5;
    this.outside.updateProjectionMatrix();
    this.outside.updateMatrixWorld();
    for (const point of this.points()) {
      const { x, y, z } = point.project(this.outside);
      if (Math.abs(x) > 1 || Math.abs(y) > 1 || z > 1) return false;
    }
    return true;
  }

  private bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const point of this.points()) box.expandByPoint(point);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1.8));
    return box;
  }

  place(view: ViewName): void {
    this.wasMoved = false;
    const box = this.bounds();
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const { width, height } = this.pane.getBoundingClientRect();
    const aspect = width / Math.max(height, 1) || 1.5;
    const tangent = Math.tan(THREE.MathUtils.degToRad(this.outside.fov / 2));
    const radius = size.length() / 2;
    const distance = {
      orbit: radius / Math.sin(Math.atan(tangent * Math.min(1, aspect))),
      top: 1.12 * Math.max(size.y / 2 / tangent, size.x / 2 / (tangent * aspect)) + size.z,
      side: 1.15 * Math.max(size.z / 2 / tangent, size.y / 2 / (tangent * aspect)) + size.x / 2,
      front: 1.15 * Math.max(size.z / 2 / tangent, size.x / 2 / (tangent * aspect)) + size.y / 2,
    }[view];
    const from = {
      orbit: new THREE.Vector3(0.86, -0.52, 0.42).normalize(),
      top: new THREE.Vector3(0, -0.001, 1).normalize(),
      side: new THREE.Vector3(1, 0, 0.02).normalize(),
      front: new THREE.Vector3(0, -1, 0.02).normalize(),
    }[view];
    this.controls.target.copy(middle);
    this.outside.position.copy(middle).addScaledVector(from, Math.max(distance, 2.5));
    this.controls.update();
    this.isDirty = true;
  }

  relaid(): void {
    this.boxes.clear();
    this.isDirty = true;
  }

  // Look at the person or at the camera from near, from where one looks now.
  frameOn(what: "person" | "camera"): void {
    const first = this.sides[0];
    if (!first?.scenery) return;
    const { row } = first.track;
    const target =
      what === "camera" && first.scenery.camera
        ? new THREE.Vector3(row[0], row[1], row[2])
        : this.key.target.position.clone();
    const from = this.outside.position.clone().sub(this.controls.target).setLength(NEAR_M);
    this.controls.target.copy(target);
    this.outside.position.copy(target).add(from);
    this.outside.position.z = Math.max(0.1, this.outside.position.z);
    this.controls.update();
    this.wasMoved = true;
    this.isDirty = true;
  }

  // What a click on the pane meets.
  under(event: MouseEvent): "person" | "camera" | null {
    const first = this.sides[0];
    if (!first?.scenery) return null;
    const box = this.pane.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(x, y), this.outside);
    const { row } = first.track;
    const camera = new THREE.Vector3(row[0], row[1], row[2]);
    if (first.scenery.camera && caster.ray.distanceToPoint(camera) < CAMERA_M) return "camera";
    const feet = this.key.target.position.clone().setZ(0);
    const head = feet.clone().setZ(this.key.target.position.z + 0.8);
    return caster.ray.distanceSqToSegment(feet, head) < PERSON_M ** 2 ? "person" : null;
  }

  resize(): void {
    this.relaid();
    const { width, height } = this.canvas.parentElement!.getBoundingClientRect();
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.isFine ? 2 : 1));
    this.renderer.setSize(width, height, false);
  }

  // Draw every pane: the stage from outside, and each lens in its picture.
  draw(lenses: { at: number; frame: HTMLElement }[]): void {
    this.isDirty = false;
    this.renderer.shadowMap.autoUpdate = true;
    if (!this.isLinked && this.sides.every((side) => !side.scenery)) this.link();
    this.sides.forEach(({ track, scenery }) => {
      track.group.visible = !!scenery?.camera;
      track.hideNear(this.outside.position);
    });
    this.window(this.pane, (aspect) => {
      this.outside.aspect = aspect;
      this.outside.updateProjectionMatrix();
      return this.outside;
    });
    this.renderer.shadowMap.autoUpdate = false; // the lamp has not moved since
    for (const { at, frame } of lenses) this.drawLens(at, frame);
  }

  private drawLens(at: number, element: HTMLElement): void {
    const side = this.sides[at];
    if (!side?.scenery?.camera) return;
    const { person } = side;
    const others = this.sides.filter((one) => one !== side).map((one) => one.person);
    const were = this.sides.map((one) => one.person.visible);
    const sharesPerson = at === 1 && !person.visible;
    if (!sharesPerson) {
      person.visible = true;
      others.forEach((one) => (one.visible = false));
    }
    const row = side.track.row;
    this.lens.position.set(row[0], row[1], row[2]);
    this.lens.quaternion.set(row[3], row[4], row[5], row[6]);
    this.window(element, (aspect) => {
      this.lens.fov = THREE.MathUtils.radToDeg(row[7]);
      this.lens.aspect = aspect;
      this.lens.layers.set(LENS_LAYER);
      this.lens.updateProjectionMatrix();
      return this.lens;
    });
    this.sides.forEach((one, index) => (one.person.visible = were[index]));
  }

  private window(element: HTMLElement, aim: (aspect: number) => THREE.Camera): void {
    const { left, bottom, width, height } = this.box(element);
    if (width < 2 || height < 2) return;
    this.renderer.setViewport(left, bottom, width, height);
    this.renderer.setScissor(left, bottom, width, height);
    this.renderer.render(this.scene, aim(width / height));
  }

  private box(element: HTMLElement): PaneBox {
    let found = this.boxes.get(element);
    if (!found) {
      const frame = this.canvas.getBoundingClientRect();
      const { left, bottom, width, height } = element.getBoundingClientRect();
      found = { left: left - frame.left, bottom: frame.bottom - bottom, width, height };
      this.boxes.set(element, found);
    }
    return found;
  }
}

// Beside the camera, so that what it films is lit and still has a shape. One place for a shot: a lamp
// that moves with the intensity would draw the eye.
function lampAzimuth(motion: Motion, camera: CameraRows): number {
  const frame = motion.frames >> 1;
  const root = rootAt(motion, frame);
  const row = cameraAt(camera, frame);
  return Math.round((Math.atan2(row[1] - root.y, row[0] - root.x) + 0.75) / 0.5) * 0.5;
}
