// The timeline: movements of the camera, how fast the person goes, in and out points, the playhead.

import { byId, h, s } from "./dom";
import type { Motion } from "./body";
import { JOINTS } from "./body";
import type { Player } from "./player";
import type { Store } from "./store";
import { plain } from "./words";

const SPOKEN: Record<string, string> = {
  trucking_right: "truck right",
  trucking_left: "truck left",
  boom_bottom: "boom down",
  boom_top: "boom up",
  push_in: "push in",
  pull_out: "pull out",
};

function spoken(tag: string): string {
  return tag
    .split("+")
    .map((part) => SPOKEN[part] ?? plain(part))
    .join(" + ");
}

export class Timeline {
  private readonly root = byId("timeline");
  private readonly track = h("div", { class: "track" });
  private readonly parts = h("div", { class: "parts" });
  private readonly head = h("div", { class: "head" });
  private readonly before = h("div", { class: "outside" });
  private readonly after = h("div", { class: "outside" });
  private readonly edges = [h("div", { class: "edge" }), h("div", { class: "edge" })];
  private drawn = "";

  constructor(
    private readonly store: Store,
    private readonly player: Player,
    lanes: HTMLElement[], // of others, over what is drawn here
  ) {
    // They stay in the page while the rest is drawn anew: a hand may be dragging something there.
    this.track.append(this.parts, ...lanes, this.before, this.after, ...this.edges, this.head);
    this.root.append(
      h("span", { class: "lane lane-camera" }, "Camera"),
      h("span", { class: "lane lane-person" }, "Person"),
      h("span", { class: "lane lane-curve" }, "Intensity"),
      this.track,
    );
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
      if (edge === 0) player.setRange(Math.min(seconds, player.stop - 1), player.stop);
      else if (edge === 1) player.setRange(player.start, Math.max(seconds, player.start + 1));
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

  move(): void {
    const { player } = this;
    const length = Math.max(player.length, 1e-6);
    this.place(this.head, player.seconds);
    this.before.style.left = "0";
    this.before.style.width = `${(100 * player.start) / length}%`;
    this.place(this.after, player.stop);
    this.after.style.width = `${(100 * (length - player.stop)) / length}%`;
    this.place(this.edges[0], player.start);
    this.place(this.edges[1], player.stop);
    this.edges[0].classList.toggle("set", player.start > 0);
    this.edges[1].classList.toggle("set", player.stop < player.length);
    this.root.setAttribute("aria-valuenow", player.seconds.toFixed(2));
    this.root.setAttribute("aria-valuetext", `${player.seconds.toFixed(2)} seconds`);
  }

  show(): void {
    const take = this.store.shown;
    const { motion } = this.store;
    const turned = take && JSON.stringify(take.curve ?? take.intensity);
    const key = `${motion?.id} ${this.player.length} ${take?.id} ${turned} ${!!take?.facts}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const parts: Node[] = [...this.ruler()];
    if (motion) parts.push(this.speed(motion));
    for (const move of this.store.facts(take)?.movements ?? []) {
      const name = spoken(move.name);
      const { fps } = this.player;
      const block = h("div", {
        class: `move ${move.name}`,
        title: `${name} (double-click: play it alone)`,
        ondblclick: () => this.player.setRange(move.start / fps, move.stop / fps),
      }, name);
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
    }, event.name);
    block.style.left = `${(100 * event.start) / last}%`;
    block.style.width = `${(100 * Math.min(event.stop - event.start, last - event.start)) / last}%`;
    return block;
  }

  private *ruler(): Generator<Node> {
    const { length } = this.player;
    const step = [0.5, 1, 2, 5, 10, 30, 60].find((one) => length / one <= 14) ?? 120;
    for (let second = 0; second <= length; second += step) {
      const mark = h("div", { class: "second" }, `${second} s`);
      this.place(mark, second);
      yield mark;
    }
  }

  // How fast the hips go, smoothed over a third of a second.
  private speed(motion: Motion): SVGElement {
    const count = Math.min(motion.frames - 1, 400);
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
