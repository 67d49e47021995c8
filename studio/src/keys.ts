// Keys on the timeline: views that the shot has to meet, and parts of it that stay. Whatever is
// changed about them is filmed again; the take before stays, or comes back by undo.

import type { KeyView, Take } from "./api";
import { byId, h } from "./dom";
import type { Flight } from "./fly";
import type { Player } from "./player";
import type { Store } from "./store";

export interface Keyed {
  keys: KeyView[];
  keep: { take: string; start_s: number; stop_s: number }[];
  seed?: number | null; // the same noise where only keys change; another where a part is redone
  instead_of: string | null;
}

// The parts of a take that stay when it is filmed again.
export function keptParts(take: Take, fps: number): Keyed["keep"] {
  return take.kept.map(({ start, stop }) => ({
    take: take.id,
    start_s: start / fps,
    stop_s: stop / fps,
  }));
}

export class KeyLane {
  readonly root = h("div", { class: "keys" });
  film: (keyed: Keyed) => Promise<void> = async () => {};
  stageRow: () => Float32Array | null = () => null;
  private readonly bar = byId("fly-bar");
  private readonly button = byId<HTMLButtonElement>("fly");
  private drawn = "";

  constructor(
    private readonly store: Store,
    private readonly player: Player,
    private readonly flight: Flight,
  ) {
    this.button.addEventListener("click", () => this.toggle());
    const click = (id: string, run: () => void) => byId(id).addEventListener("click", run);
    click("key-start", () => this.setAt(0));
    click("key-here", () => this.set(this.player.seconds));
    click("key-end", () => this.setAt(this.player.length));
    click("key-stage", () => this.fromStage());
    click("key-done", () => this.toggle(false));
    click("keep-part", () => this.keepPart());
    store.onChange(() => this.show());
    player.onChange(() => this.showParts());
    player.onChange(() => this.label());
  }

  toggle(isOn = !this.flight.isOn): void {
    const camera = this.store.camera(this.store.shown);
    const row = camera && this.row();
    if (isOn && !row) return;
    if (isOn) {
      this.player.isPlaying = false;
      this.player.tell();
      this.flight.begin(row!);
      byId("lens-a").focus();
    } else if (this.flight.isOn) {
      this.flight.end();
    }
    this.bar.hidden = !this.flight.isOn;
    this.button.setAttribute("aria-pressed", String(this.flight.isOn));
    this.label();
  }

  row: () => Float32Array | null = () => null; // of the shot's camera now

  private fromStage(): void {
    const row = this.stageRow();
    if (row) this.flight.begin(row);
  }

  private label(): void {
    if (this.bar.hidden) return;
    byId("key-here").textContent = `Set at ${this.player.seconds.toFixed(2)} s`;
    byId("key-start").textContent = this.isAt(0) ? "Set as start" : "Go to start";
    byId("key-end").textContent = this.isAt(this.player.length) ? "Set as end" : "Go to end";
  }

  private isAt(seconds: number): boolean {
    return Math.abs(this.player.seconds - seconds) < 0.5 / this.player.fps;
  }

  // Elsewhere the person stands elsewhere: one first sees what the view is of.
  private setAt(seconds: number): void {
    if (this.isAt(seconds)) this.set(seconds);
    else this.player.seek(seconds);
  }

  // The view under the hand becomes a key of the shot, in place of one at the same instant.
  private set(seconds: number): void {
    const take = this.store.shown;
    if (!take) return;
    const at = Math.round(seconds * this.player.fps) / this.player.fps;
    const others = take.keys.filter((key) => Math.abs(key.seconds - at) > 0.6 / this.player.fps);
    const view = this.flight.key(at);
    this.toggle(false);
    this.again(take, [...others, view]);
  }

  private again(take: Take, keys: KeyView[]): void {
    const isKeyed = take.keys.length > 0 || take.kept.length > 0;
    keys.sort((one, two) => one.seconds - two.seconds);
    void this.film({
      keys,
      keep: keptParts(take, this.player.fps),
      seed: take.seed,
      instead_of: isKeyed ? take.id : null,
    });
  }

  // What lies between the in and out points stays; the rest is filmed anew, with other noise.
  private keepPart(): void {
    const take = this.store.shown;
    if (!take?.facts || !this.player.hasRange) return;
    const { start, stop, fps } = this.player;
    const inside = (key: KeyView) => key.seconds > start - 1 / fps && key.seconds < stop + 1 / fps;
    this.player.setRange(0, this.player.length); // what is redone wants to be seen
    void this.film({
      keys: take.keys.filter((key) => !inside(key)),
      keep: [{ take: take.id, start_s: start, stop_s: stop + 1 / fps }],
      instead_of: null,
    });
  }

  private showParts(): void {
    const take = this.store.shown;
    const button = byId<HTMLButtonElement>("keep-part");
    button.hidden = !this.player.hasRange || take?.state !== "done";
    button.disabled = !take?.facts; // what is kept is the exact shot
  }

  show(): void {
    const take = this.store.shown;
    this.button.disabled = !take || take.state !== "done";
    this.showParts();
    const key = `${take?.id} ${this.player.length} ${take?.keys.length} ${take?.kept.length}`;
    if (key === this.drawn) return;
    this.drawn = key;
    if (this.flight.isOn) this.toggle(false);
    const frames = Math.max(this.player.length * this.player.fps, 1);
    const parts = (take?.kept ?? []).map(({ start, stop }) => {
      const part = h("div", { class: "kept", title: "Kept as it was in an earlier take" });
      part.style.left = `${(100 * start) / frames}%`;
      part.style.width = `${(100 * Math.min(stop - 1 - start, frames - start)) / frames}%`;
      return part;
    });
    const diamonds = (take?.keys ?? []).map((one, at) => this.diamond(take!, one, at));
    this.root.replaceChildren(...parts, ...diamonds);
  }

  private diamond(take: Take, key: KeyView, at: number): HTMLElement {
    const told = `${key.seconds.toFixed(2)} s`;
    const made = h("button", {
      class: "key",
      "aria-label": `Key at ${told}; arrows move it, Delete removes it`,
      title: `Key at ${told} (drag; arrows; Delete)`,
      onpointerdown: (event: PointerEvent) => this.grab(event, take, at, made),
      onkeydown: (event: KeyboardEvent) => this.onKey(event, take, at),
    });
    this.put(made, key.seconds);
    return made;
  }

  private put(diamond: HTMLElement, seconds: number): void {
    diamond.style.left = `${(100 * seconds) / Math.max(this.player.length, 1e-6)}%`;
  }

  private move(take: Take, at: number, seconds: number): void {
    const { fps, length } = this.player;
    const whole = Math.round(Math.max(0, Math.min(seconds, length)) * fps) / fps;
    const keys = take.keys.map((key, one) => (one === at ? { ...key, seconds: whole } : key));
    this.again(take, keys);
  }

  private grab(event: PointerEvent, take: Take, at: number, diamond: HTMLElement): void {
    event.stopPropagation();
    diamond.setPointerCapture(event.pointerId);
    const box = this.root.getBoundingClientRect();
    const { length } = this.player;
    let seconds = take.keys[at].seconds;
    let isMoved = false;
    const from = event.clientX;
    const drag = (now: PointerEvent) => {
      isMoved ||= Math.abs(now.clientX - from) > 3;
      if (!isMoved) return;
      seconds = Math.max(0, Math.min(((now.clientX - box.left) / box.width) * length, length));
      this.put(diamond, seconds);
    };
    const end = () => {
      diamond.removeEventListener("pointermove", drag);
      diamond.removeEventListener("pointerup", end);
      diamond.removeEventListener("pointercancel", end);
      if (isMoved) this.move(take, at, seconds);
      else this.player.seek(seconds);
    };
    diamond.addEventListener("pointermove", drag);
    diamond.addEventListener("pointerup", end);
    diamond.addEventListener("pointercancel", end);
  }

  private onKey(event: KeyboardEvent, take: Take, at: number): void {
    const step = (event.shiftKey ? 5 : 1) / this.player.fps;
    const { seconds } = take.keys[at];
    const runs: Record<string, () => void> = {
      ArrowLeft: () => this.move(take, at, seconds - step),
      ArrowRight: () => this.move(take, at, seconds + step),
      Delete: () => this.again(take, take.keys.filter((_, one) => one !== at)),
      Backspace: () => this.again(take, take.keys.filter((_, one) => one !== at)),
      Enter: () => this.player.seek(seconds),
    };
    const run = runs[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }
}
