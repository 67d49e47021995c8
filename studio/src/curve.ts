// Intensity over time, drawn over the timeline: points that can be moved, eased between them.

import { byId, h, s } from "./dom";
import { HIGHEST, LOWEST, within, type IntensitySlider } from "./intensity";
import type { Player } from "./player";
import type { Store } from "./store";
import { curveAt, type Curve, type Intensity } from "./turning";

const APART_S = 0.4; // the server refuses a change of value that is faster: it would be a jerk
const HEIGHT = 46;
const SAMPLES = 240;

export class CurveLane {
  readonly root = h("div", { class: "curve", hidden: true });
  private readonly svg = s("svg", {
    viewBox: `0 0 100 ${HEIGHT}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  private readonly line = s("path", { class: "line" });
  private readonly area = s("path", { class: "area" });
  private readonly handles = h("div", { class: "handles" });
  private readonly button = byId<HTMLButtonElement>("curve");
  private points: Curve = [];
  private drawn = "";
  private isDragging = false;
  private wasOpenFor = "";

  constructor(
    private readonly store: Store,
    private readonly player: Player,
    private readonly slider: IntensitySlider,
  ) {
    const usual = s("path", { class: "usual", d: `M0 ${yOf(1)}H100` });
    this.svg.append(this.area, usual, this.line);
    this.root.append(this.svg, this.handles);
    this.root.title = "Double-click: a point of the intensity over time";
    this.root.addEventListener("dblclick", (event) => this.addAt(event));
    this.button.addEventListener("click", () => this.toggle());
    store.onChange(() => this.show());
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  toggle(isOpen = !this.isOpen): void {
    this.root.hidden = !isOpen;
    this.button.setAttribute("aria-pressed", String(isOpen));
    byId("timeline").classList.toggle("with-curve", isOpen);
    this.drawn = "";
    this.show();
  }

  // One value for the whole shot again.
  flatten(): void {
    const take = this.store.shown;
    if (take) this.slider.turn(take.intensity, true);
  }

  show(): void {
    const take = this.store.shown;
    this.button.disabled = !take || take.state !== "done";
    // A take that has a curve opens the lane once.
    if (take?.curve && this.wasOpenFor !== take.id) {
      this.wasOpenFor = take.id;
      if (!this.isOpen) this.toggle(true);
    }
    if (!this.isOpen || !take) {
      this.handles.replaceChildren();
      return;
    }
    const is = this.store.turnedTo(take);
    const key = `${take.id} ${this.player.length} ${JSON.stringify(is)}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.points = typeof is === "number" ? [] : is.map(([at, value]) => [at, value]);
    this.drawLine(is);
    if (!this.isDragging) this.drawHandles();
  }

  private drawLine(is: Intensity): void {
    const { length } = this.player;
    const at = (share: number) => (typeof is === "number" ? is : curveAt(is, share * length));
    const all = Array.from({ length: SAMPLES + 1 }, (_, one) => {
      const share = one / SAMPLES;
      return `${(100 * share).toFixed(2)} ${yOf(at(share)).toFixed(2)}`;
    });
    this.line.setAttribute("d", `M${all.join("L")}`);
    this.area.setAttribute("d", `M0 ${yOf(1)}L${all.join("L")}L100 ${yOf(1)}Z`);
  }

  private drawHandles(): void {
    const focused = document.activeElement as HTMLElement | null;
    const number = focused?.closest(".handles") ? Number(focused.dataset.point) : -1;
    const made = this.points.map((_, at) => this.handle(at));
    this.handles.replaceChildren(...made);
    made[Math.min(number, made.length - 1)]?.focus();
  }

  private handle(at: number): HTMLButtonElement {
    const [seconds, value] = this.points[at];
    const made = h("button", {
      class: "handle",
      "data-point": String(at),
      "aria-label": `Intensity ${value.toFixed(2)} at ${seconds.toFixed(2)} seconds`,
      title: `${value.toFixed(2)} at ${seconds.toFixed(2)} s (drag; arrows; Delete)`,
      onpointerdown: (event: PointerEvent) => this.grab(event, at, made),
      onkeydown: (event: KeyboardEvent) => this.onKey(event, at),
      ondblclick: (event: Event) => {
        event.stopPropagation();
        this.remove(at);
      },
    });
    this.put(made, seconds, value);
    return made;
  }

  private put(handle: HTMLElement, seconds: number, value: number): void {
    handle.style.left = `${(100 * seconds) / Math.max(this.player.length, 1e-6)}%`;
    handle.style.top = `${yOf(value)}px`;
  }

  private valueAt(event: MouseEvent): [number, number] {
    const box = this.root.getBoundingClientRect();
    const share = Math.max(0, Math.min((event.clientX - box.left) / box.width, 1));
    const { fps, length } = this.player;
    const seconds = Math.round(share * length * fps) / fps;
    const height = 1 - (event.clientY - box.top - 4) / (HEIGHT - 8);
    const step = event.shiftKey ? 100 : 20;
    const value = Math.round(step * (LOWEST + height * (HIGHEST - LOWEST))) / step;
    return [seconds, within(value)];
  }

  private addAt(event: MouseEvent): void {
    const take = this.store.shown;
    if (!take) return;
    const [seconds, value] = this.valueAt(event);
    this.add(seconds, value);
  }

  add(seconds: number, value: number): void {
    const take = this.store.shown;
    const { length } = this.player;
    if (!take || length < 2 * APART_S) return;
    const is = this.store.turnedTo(take);
    const flat = typeof is === "number" ? is : 1;
    const ends: Curve = [[0, flat], [length, flat]];
    const before: Curve = typeof is === "number" ? ends : [...is];
    const others = before.filter(([at]) => Math.abs(at - seconds) >= APART_S);
    const all: Curve = [...others, [seconds, value]];
    this.send(all.sort((one, two) => one[0] - two[0]));
  }

  private remove(at: number): void {
    const left = this.points.filter((_, one) => one !== at);
    const take = this.store.shown;
    if (!take) return;
    if (left.length < 2) this.slider.turn(left[0]?.[1] ?? take.intensity, true);
    else this.send(left);
  }

  private send(curve: Curve): void {
    this.slider.turn(curve, true);
    this.drawn = "";
    this.show();
  }

  // A point between its neighbours, no nearer to them than a change may be.
  private moved(at: number, seconds: number, value: number): Curve {
    const low = at > 0 ? this.points[at - 1][0] + APART_S : 0;
    const last = this.points.length - 1;
    const high = at < last ? this.points[at + 1][0] - APART_S : this.player.length;
    const moved: Curve = this.points.map(([a, b]) => [a, b]);
    moved[at] = [Math.max(low, Math.min(seconds, high)), within(value)];
    return moved;
  }

  private grab(event: PointerEvent, at: number, handle: HTMLElement): void {
    event.stopPropagation();
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    this.isDragging = true;
    const from = event.clientX + event.clientY;
    let isMoved = false;
    const drag = (now: PointerEvent) => {
      isMoved ||= Math.abs(now.clientX + now.clientY - from) > 1;
      if (!isMoved) return;
      const curve = this.moved(at, ...this.valueAt(now));
      this.put(handle, ...curve[at]);
      handle.title = `${curve[at][1].toFixed(2)} at ${curve[at][0].toFixed(2)} s`;
      this.slider.turn(curve);
      this.show();
    };
    const end = () => {
      handle.removeEventListener("pointermove", drag);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
      handle.removeEventListener("lostpointercapture", end);
      this.isDragging = false;
      if (isMoved) this.send(this.points);
    };
    handle.addEventListener("pointermove", drag);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
    handle.addEventListener("lostpointercapture", end);
  }

  private onKey(event: KeyboardEvent, at: number): void {
    const [seconds, value] = this.points[at];
    const frame = (event.shiftKey ? 5 : 1) / this.player.fps;
    const step = event.shiftKey ? 0.01 : 0.05;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.send(this.moved(at, seconds - frame, value)),
      ArrowRight: () => this.send(this.moved(at, seconds + frame, value)),
      ArrowUp: () => this.send(this.moved(at, seconds, value + step)),
      ArrowDown: () => this.send(this.moved(at, seconds, value - step)),
      Delete: () => this.remove(at),
      Backspace: () => this.remove(at),
    };
    const run = moves[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }
}

// Higher is more, with a little room at both ends.
function yOf(value: number): number {
  return 4 + (HEIGHT - 8) * (1 - (value - LOWEST) / (HIGHEST - LOWEST));
}
