// The timeline: movements of the camera, how fast the person goes, in and out points, the playhead.

import { byId, h, s } from "./dom";
import type { Motion } from "./body";
import { JOINTS } from "./body";
import type { Player } from "./player";
import type { Store } from "./store";

const MOST_ZOOM = 64; // of the whole motion in the window
const SAID_EVERY_MS = 500; // the time, to screen readers, while it plays

export class Timeline {
  private readonly root = byId("timeline");
  private readonly window = h("div", { class: "window" });
  private readonly track = h("div", { class: "track" });
  private readonly parts = h("div", { class: "parts" });
  private readonly head = h("div", { class: "head" });
  private readonly before = h("div", { class: "outside" });
  private readonly after = h("div", { class: "outside" });
  private readonly edges = [h("div", { class: "edge" }), h("div", { class: "edge" })];
  private drawn = "";
  private range = "";
  private said = 0;
  private zoom = 1;
  private of = ""; // the motion that it shows

  constructor(
    private readonly store: Store,
    private readonly player: Player,
    lanes: HTMLElement[], // of others, over what is drawn here
  ) {
    // They stay in the page while the rest is drawn anew: a hand may be dragging something there.
    this.track.append(this.parts, ...lanes, this.before, this.after, ...this.edges, this.head);
    this.window.append(this.track);
    this.root.append(
      h("span", { class: "lane lane-camera" }, "Camera"),
      h("span", { class: "lane lane-person" }, "Person"),
      h("span", { class: "lane lane-curve" }, "Intensity"),
      this.window,
    );
    this.root.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.root.addEventListener("pointerdown", (event) => this.grab(event));
    player.onChange(() => this.move());
    store.onChange(() => this.show());
  }

  private at(event: PointerEvent): number {
    const box = this.track.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * this.player.length;
  }

  private grab(event: PointerEvent): void {
    const { player } = this;
    const edge = this.edges.indexOf(event.target as HTMLDivElement);
    const drag = (now: PointerEvent) => {
      const seconds = Math.round(this.at(now) * player.fps) / player.fps;
      if (edge === 0) player.setRange(Math.min(seconds, player.stop - 1), player.stop, false);
      else if (edge === 1) player.setRange(player.start, Math.max(seconds, player.start + 1), false);
      else player.seek(seconds);
    };
    const wasPlaying = player.isPlaying;
    if (edge < 0) player.isPlaying = false;
    drag(event);
    // Only once it moves: a captured click would be the timeline's, not that of what lies on it.
    const capture = () => this.root.setPointerCapture(event.pointerId);
    this.root.addEventListener("pointermove", capture, { once: true });
    const end = () => {
      this.root.removeEventListener("pointermove", capture);
      this.root.removeEventListener("pointermove", drag);
      this.root.removeEventListener("pointerup", end);
      this.root.removeEventListener("pointercancel", end);
      if (edge >= 0) player.onRange();
      if (edge < 0 && wasPlaying) {
        player.isPlaying = true;
        player.tell();
      }
    };
    this.root.addEventListener("pointermove", drag);
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
  }

  private place(element: HTMLElement, seconds: number): void {
    element.style.left = `${(100 * seconds) / Math.max(this.player.length, 1e-6)}%`;
  }

  // Called for every frame that plays: only the playhead moves, and nothing is laid out anew.
  move(): void {
    const { player } = this;
    const share = player.seconds / Math.max(player.length, 1e-6);
    this.head.style.transform = `translateX(${100 * share}%)`;
    if (this.zoom > 1 && player.isPlaying) this.keepInSight(share);
    const range = `${player.start} ${player.stop} ${player.length}`;
    if (range !== this.range) {
      this.range = range;
      this.showRange();
    }
    const now = performance.now();
    if (player.isPlaying && now - this.said < SAID_EVERY_MS) return;
    this.said = now;
    this.root.setAttribute("aria-valuenow", player.seconds.toFixed(2));
    this.root.setAttribute("aria-valuetext", `${player.seconds.toFixed(2)} seconds`);
  }

  private showRange(): void {
    const { player } = this;
    const length = Math.max(player.length, 1e-6);
    this.before.style.left = "0";
    this.before.style.width = `${(100 * player.start) / length}%`;
    this.place(this.after, player.stop);
    this.after.style.width = `${(100 * (length - player.stop)) / length}%`;
    this.place(this.edges[0], player.start);
    this.place(this.edges[1], player.stop);
    this.edges[0].classList.toggle("set", player.start > 0);
    this.edges[1].classList.toggle("set", player.stop < player.length);
  }

  // A long motion from nearer, around an instant that stays where it is on the screen.
  zoomBy(factor: number, share = this.player.seconds / Math.max(this.player.length, 1e-6)): void {
    const most = Math.min(MOST_ZOOM, Math.max(1, this.player.length / 2));
    const zoom = Math.max(1, Math.min(this.zoom * factor, most));
    if (zoom === this.zoom) return;
    const wide = this.window.clientWidth;
    const onScreen = share * wide * this.zoom - this.window.scrollLeft;
    const anchor = Math.max(0, Math.min(onScreen, wide));
    this.zoomTo(zoom < 1.01 ? 1 : zoom);
    this.window.scrollLeft = share * wide * this.zoom - anchor;
    this.show();
  }

  private zoomTo(zoom: number): void {
    this.zoom = zoom;
    this.window.classList.toggle("zoomed", zoom > 1);
    this.track.style.width = `${100 * zoom}%`;
  }

  private onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.altKey && !event.metaKey) return;
    event.preventDefault();
    const box = this.track.getBoundingClientRect();
    const share = Math.max(0, Math.min((event.clientX - box.left) / box.width, 1));
    this.zoomBy(Math.exp(-0.003 * event.deltaY), share);
  }

  private keepInSight(share: number): void {
    const wide = this.window.clientWidth;
    const at = share * wide * this.zoom - this.window.scrollLeft;
    if (at < 0 || at > wide) this.window.scrollLeft = share * wide * this.zoom - 0.1 * wide;
  }

  show(): void {
    const take = this.store.shown;
    const { motion } = this.store;
    if (motion && motion.id !== this.of) {
      this.of = motion.id;
      this.zoomTo(1);
    }
    const turned = take && JSON.stringify(take.curve ?? take.intensity);
    const sight = `${this.player.length} ${this.zoom.toFixed(2)}`;
    const key = `${motion?.id} ${sight} ${take?.id} ${turned} ${!!take?.facts}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const parts: Node[] = [...this.ruler()];
    if (motion) parts.push(this.speed(motion));
    for (const move of this.store.facts(take)?.movements ?? []) {
      const name = move.name.replace(/[_-]/g, " ").replace(/\+/g, " + ");
      const { fps } = this.player;
      const block = h("div", {
        class: move.name === "static" ? "move static" : "move",
        title: `${name} (double-click: play it alone)`,
        ondblclick: () => this.player.setRange(move.start / fps, move.stop / fps),
      }, h("span", {}, name));
      const frames = Math.max((motion?.frames ?? 2) - 1, 1);
      block.style.left = `${(100 * move.start) / frames}%`;
      block.style.width = `calc(${(100 * (move.stop - move.start)) / frames}% - 2px)`;
      parts.push(block);
    }
    for (const event of motion?.events ?? []) parts.push(this.event(event, motion!.frames));
    this.parts.replaceChildren(...parts);
    this.root.setAttribute("aria-valuemax", this.player.length.toFixed(2));
    this.move();
  }

  // What the person does; a double click plays it alone.
  private event(event: Motion["events"][number], frames: number): HTMLElement {
    const last = Math.max(frames - 1, 1);
    const { fps } = this.player;
    const block = h("div", {
      class: "event",
      title: `${event.name}, ${(event.start / fps).toFixed(2)} to ${(event.stop / fps).toFixed(2)} s (double-click: play it alone)`,
      ondblclick: () => this.player.setRange(event.start / fps, (event.stop - 1) / fps),
    }, h("span", {}, event.name));
    block.style.left = `${(100 * event.start) / last}%`;
    block.style.width = `${(100 * Math.min(event.stop - event.start, last - event.start)) / last}%`;
    return block;
  }

  private *ruler(): Generator<Node> {
    const { length } = this.player;
    const shown = length / this.zoom;
    const most = Math.max(3, Math.min(14, this.window.clientWidth / 55)); // on a phone, fewer
    const step = [0.5, 1, 2, 5, 10, 30, 60].find((one) => shown / one <= most) ?? 120;
    for (let second = 0; second <= length; second += step) {
      const mark = h("div", { class: "second" }, `${second} s`);
      this.place(mark, second);
      yield mark;
    }
  }

  // How fast the hips go, smoothed over a third of a second.
  private speed(motion: Motion): SVGElement {
    const count = Math.min(motion.frames - 1, Math.round(400 * Math.min(this.zoom, 10)));
    const speeds: number[] = [];
    const reach = Math.max(1, Math.round(motion.fps / 6));
    for (let at = 0; at <= count; at += 1) {
      const middle = Math.round((at / Math.max(count, 1)) * (motion.frames - 1));
      const low = Math.max(0, middle - reach);
      const high = Math.min(motion.frames - 1, middle + reach);
      let way = 0;
      for (const axis of [0, 1, 2]) {
        const a = motion.joints[low * JOINTS * 3 + axis];
        way += (motion.joints[high * JOINTS * 3 + axis] - a) ** 2;
      }
      speeds.push((Math.sqrt(way) * motion.fps) / Math.max(high - low, 1));
    }
    const most = Math.max(1, ...speeds);
    const points = speeds.map((v, at) => `${(100 * at) / count} ${28 - (24 * v) / most}`);
    const d = `M0 28L${points.join("L")}L100 28Z`;
    const title = s("title");
    title.textContent = `The person's speed, up to ${Math.max(...speeds).toFixed(1)} m/s`;
    return s("svg", { class: "speed", viewBox: "0 0 100 28", preserveAspectRatio: "none" }, title, s("path", { d }));
  }
}
