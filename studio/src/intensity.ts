// The slider: the camera follows the finger between intensities that are filmed, and the exact shot
// takes its place when the finger rests.

import { byId, fill, h, metres } from "./dom";
import type { Store } from "./store";
import { travel } from "./turning";

const REST_MS = 350;

export class IntensitySlider {
  readonly slider = byId<HTMLInputElement>("intensity");
  private readonly value = byId<HTMLOutputElement>("intensity-value");
  private timer = 0;
  private asked: { take: string; value: number } | null = null;
  private ticks = "";
  onTurn: () => void = () => {};

  constructor(private readonly store: Store) {
    this.slider.addEventListener("input", () => this.drag());
    this.slider.addEventListener("change", () => this.send());
    this.slider.addEventListener("dblclick", () => this.turnTo(1));
    store.onChange(() => this.show());
  }

  turnTo(intensity: number): void {
    this.slider.value = String(Math.max(0.5, Math.min(1.5, intensity)));
    this.drag();
    this.send();
  }

  get now(): number {
    return Number(this.slider.value);
  }

  private drag(): void {
    this.store.dragged = this.now;
    this.tell();
    this.onTurn();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), REST_MS);
  }

  private send(): void {
    clearTimeout(this.timer);
    const take = this.store.shown;
    if (!take || this.store.dragged === null) return;
    const value = Math.round(100 * this.store.dragged) / 100;
    if (value === take.intensity && !this.asked) {
      this.store.dragged = null;
      return;
    }
    if (this.asked?.take === take.id && this.asked.value === value) return;
    this.asked = { take: take.id, value };
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
    if (this.asked && take?.intensity === this.asked.value && take.facts) {
      this.asked = null;
      performance.mark("intensity-exact");
      if (this.now === take.intensity) this.store.dragged = null;
    }
    const isHeld = document.activeElement === this.slider && this.store.dragged !== null;
    if (take && !isHeld && !this.asked) {
      this.slider.value = String(take.intensity);
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
    const fan = store.fan(take?.id ?? null);
    const note = byId("intensity-note");
    if (!take || !fan) note.textContent = "";
    else if (way < 0.05) note.textContent = "it stands still";
    else if (fan.intensities.includes(Math.round(100 * this.now) / 100)) note.textContent = "";
    else if (this.asked) note.textContent = "filming exactly…";
    else note.textContent = "between";
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
