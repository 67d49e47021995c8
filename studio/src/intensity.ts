// The slider: the camera follows the finger between intensities that are filmed, and the exact shot
// takes its place when the finger rests. Where the intensity changes over time the slider lifts and
// lowers the whole curve.

import type { Take } from "./api";
import { byId, fill, h, metres } from "./dom";
import type { Store } from "./store";
import { meanOf, travel, type Curve, type Intensity } from "./turning";

const REST_MS = 350;
export const LOWEST = 0.5;
export const HIGHEST = 1.5;

export function within(intensity: number): number {
  return Math.round(100 * Math.max(LOWEST, Math.min(HIGHEST, intensity))) / 100;
}

// As the server tells them: hundredths, and a curve that stays at one value is that value.
function settled(intensity: Intensity): Intensity {
  if (typeof intensity === "number") return within(intensity);
  const curve = intensity.map(([at, value]): [number, number] => [
    Math.round(1000 * at) / 1000,
    within(value),
  ]);
  return curve.every(([, value]) => value === curve[0][1]) ? curve[0][1] : curve;
}

function keyOf(intensity: Intensity): string {
  return JSON.stringify(intensity);
}

export class IntensitySlider {
  readonly slider = byId<HTMLInputElement>("intensity");
  private readonly value = byId<HTMLOutputElement>("intensity-value");
  private timer = 0;
  private asked: { take: string; key: string } | null = null;
  private lifted: { curve: Curve; mean: number } | null = null; // as the drag found it
  private held: string | null = null; // the take that a finger is turning
  private ticks = "";
  onTurn: () => void = () => {};

  constructor(private readonly store: Store) {
    this.slider.addEventListener("input", () => this.drag());
    this.slider.addEventListener("change", () => this.send());
    this.slider.addEventListener("dblclick", () => this.turn(1, true));
    store.onChange(() => this.show());
  }

  turnTo(intensity: number): void {
    this.slider.value = String(within(intensity));
    this.drag();
    this.send();
  }

  // Another intensity, or one over time; it is filmed once it rests, or at once.
  turn(intensity: Intensity, isFinal = false): void {
    this.store.dragged = intensity;
    this.slider.value = String(this.mean(intensity));
    this.moved();
    if (isFinal) this.send();
  }

  get now(): number {
    return Number(this.slider.value);
  }

  private mean(intensity: Intensity): number {
    const { motion } = this.store;
    return meanOf(intensity, motion ? motion.frames / motion.fps : 1);
  }

  private drag(): void {
    const take = this.store.shown;
    const is = take ? this.store.turnedTo(take) : 1;
    if (typeof is === "number") {
      this.store.dragged = this.now;
    } else {
      this.lifted ??= { curve: is, mean: this.mean(is) };
      const by = this.now - this.lifted.mean;
      this.store.dragged = this.lifted.curve.map(([at, value]) => [at, within(value + by)]);
    }
    this.moved();
  }

  private moved(): void {
    this.held = this.store.takeId;
    this.tell();
    this.onTurn();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), REST_MS);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.lifted = null;
    this.held = null;
    const take = this.store.shown;
    if (!take || this.store.dragged === null) return;
    const value = settled(this.store.dragged);
    const key = keyOf(value);
    if (key === keyOf(take.curve ?? take.intensity) && !this.asked) {
      this.store.dragged = null;
      this.store.tell();
      return;
    }
    if (this.asked?.take === take.id && this.asked.key === key) return;
    this.asked = { take: take.id, key };
    this.store.dragged = value;
    performance.mark("intensity-asked");
    this.store.change(take, { intensity: value }).catch((problem) => {
      this.asked = null;
      this.store.dragged = null;
      this.store.tellMistake(problem.mistake);
      this.store.tell();
    });
  }

  show(): void {
    const take = this.store.shown;
    const fan = this.store.fan(take?.id ?? null);
    if (this.asked && take?.id !== this.asked.take) this.asked = null;
    const is = take ? (take.curve ?? take.intensity) : 1;
    if (this.asked && take?.facts && keyOf(is) === this.asked.key) {
      this.asked = null;
      performance.mark("intensity-exact");
      if (this.store.dragged !== null && keyOf(this.store.dragged) === keyOf(is)) {
        this.store.dragged = null;
      }
    }
    const isHeld = this.held !== null && this.held === take?.id;
    if (take && !isHeld && !this.asked) {
      this.slider.value = String(this.mean(is));
      this.store.dragged = null;
    }
    const why = take && this.store.project.mistakes[take.id];
    this.slider.disabled = !take || !!(why && (fan?.intensities.length ?? 0) < 2);
    this.showTicks(fan?.intensities ?? []);
    this.tell();
    if (why && this.slider.disabled) byId("intensity-note").textContent = why.fact;
  }

  private tell(): void {
    const { store } = this;
    const take = store.shown;
    const camera = store.camera(take);
    this.value.value = this.now.toFixed(2);
    const way = camera ? travel(camera) : 0;
    byId("travel").textContent = camera ? metres(way) : "–";
    byId("intensity-note").textContent = take ? this.note(take, way) : "";
  }

  private note(take: Take, way: number): string {
    const { store } = this;
    const fan = store.fan(take.id);
    if (!fan) return "";
    if (way < 0.05) return "it stands still";
    const is = store.turnedTo(take);
    const isCurve = typeof is !== "number";
    const isExact = isCurve ? fan.curve === keyOf(is) : fan.intensities.includes(within(is));
    const kind = isCurve ? "over time, mean" : "";
    if (isExact) return kind;
    const state = this.asked ? "filming exactly…" : "between";
    return isCurve ? `over time, ${state}` : state;
  }

  private showTicks(intensities: number[]): void {
    const key = intensities.join();
    if (key === this.ticks) return;
    this.ticks = key;
    const marks = intensities.map((one) => {
      const mark = h("i");
      mark.style.left = `${100 * (one - 0.5)}%`;
      return mark;
    });
    fill(byId("ticks"), ...marks);
  }
}
