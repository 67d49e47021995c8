// What the page knows: the project as the server has it, and what this tab looks at.

import * as api from "./api";
import { BodyShape, motionOf, neckPath, type Motion } from "./body";
import { FileFigure } from "./figure";
import {
  between,
  fanOf,
  meanOf,
  overTime,
  turned,
  type CameraRows,
  type Curve,
  type Fan,
  type Intensity,
} from "./turning";

type Listener = () => void;
type TakeChange = { intensity?: Intensity; name?: string; starred?: boolean; removed?: boolean };

export class Store {
  project: api.Project = {
    version: "",
    name: "",
    motions: [],
    takes: [],
    undo: null,
    redo: null,
    mistakes: {},
  };
  jobs: api.Job[] = [];
  words: api.Words | null = null;
  isLost = false;
  motionId: string | null = null;
  takeId: string | null = null; // the take that is shown
  otherId: string | null = null; // the one beside it
  dragged: Intensity | null = null; // the intensity under the finger
  motion: Motion | null = null;
  shape: BodyShape | null = null;
  private readonly motions = new Map<string, Promise<Motion>>();
  private readonly loaded = new Map<string, Motion>();
  private bent: { fan: Fan; key: string; camera: CameraRows } | null = null;
  private readonly figures = new Map<string, Promise<FileFigure>>();
  private readonly fans = new Map<string, Fan>();
  private readonly listeners: Listener[] = [];
  private expected = new Set<string>(); // takes that this tab asked for and will show
  private failures = new Set<string>();
  private settling = 0;
  private readonly curves = new Map<string, Curve>(); // of takes that are being filmed
  // Takes that this tab has drawn a curve over, and how many answers had been asked for by then.
  private readonly bending = new Map<string, number>();
  private asked = 0;
  private answered = 0;
  tellMistake: (mistake: api.Mistake) => void = () => {};

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  tell(): void {
    for (const listener of this.listeners) listener();
  }

  // What is known has changed, and the page does not show it yet.
  get isSettling(): boolean {
    return this.settling > 0;
  }

  get takes(): api.Take[] {
    return this.project.takes.filter((take) => !take.removed);
  }

  get waiting(): api.Take[] {
    return this.project.takes.filter((take) => take.state === "waiting");
  }

  get shown(): api.Take | null {
    return this.takes.find((take) => take.id === this.takeId) ?? null;
  }

  get other(): api.Take | null {
    return this.takes.find((take) => take.id === this.otherId) ?? null;
  }

  get motionFacts(): api.MotionFacts | null {
    return this.project.motions.find((one) => one.id === this.motionId) ?? null;
  }

  async refresh(): Promise<void> {
    const number = ++this.asked;
    const project = await api.get<api.Project>("/studio/project");
    if (number < this.answered) return; // a later answer was faster
    this.answered = number;
    this.project = project;
    for (const take of this.project.takes) {
      if (!this.expected.has(take.id)) continue;
      if (take.state === "failed" && take.error && !this.failures.has(take.id)) {
        this.failures.add(take.id);
        this.tellMistake(take.error);
      }
      if (take.state !== "waiting") this.expected.delete(take.id);
      if (take.state === "done" && !take.removed && take.motion === this.motionId) {
        this.takeId = take.id;
        void this.spread(take);
        const curve = this.curves.get(take.id);
        this.curves.delete(take.id);
        if (curve) void this.change(take, { intensity: curve }).catch(() => {});
      }
    }
    this.tellLostCurves(number);
    await this.settle();
  }

  // A curve that could not be filmed is taken back by the server: somebody drew it, and wants to know.
  // Answers that were asked for before it was drawn know nothing of it.
  private tellLostCurves(number: number): void {
    for (const [id, drawn] of this.bending) {
      if (number <= drawn) continue;
      const take = this.project.takes.find((one) => one.id === id);
      const why = this.project.mistakes[id];
      if (take?.curve && !take.facts) continue; // it is being filmed
      this.bending.delete(id);
      if (take && !take.curve && why) this.tellMistake(why);
    }
  }

  // Look at something that there is, and tell of it once all that it needs has come.
  private async settle(): Promise<void> {
    this.settling += 1;
    try {
      await this.lookAndLoad();
    } finally {
      this.settling -= 1;
    }
    this.tell();
  }

  private async lookAndLoad(): Promise<void> {
    const newest = [...this.takes].reverse();
    if (!this.motionId || !this.motionFacts) this.lookAtFirst(newest);
    if (!this.shown) {
      this.takeId = newest.find((take) => take.motion === this.motionId)?.id ?? null;
    }
    if (this.otherId && (!this.other || this.otherId === this.takeId)) this.otherId = null;
    if (this.takeId) localStorage.setItem("aesop-take", this.takeId);
    if (this.motionId) localStorage.setItem("aesop-motion", this.motionId);
    await Promise.all([
      this.loadMotion(),
      this.other && this.motionById(this.other.motion),
      this.loadFan(this.takeId),
      this.loadFan(this.otherId),
    ]);
  }

  // A motion that nobody has filmed yet, as one that the command line named; what this tab looked at
  // before it was closed, filmed or not; the last take.
  private lookAtFirst(newest: api.Take[]): void {
    const { motions, takes } = this.project;
    const saved = localStorage.getItem("aesop-motion");
    const isNew = motions[0]?.is_filmable && !takes.some((take) => take.motion === motions[0].id);
    const motion = (isNew ? motions[0] : motions.find((one) => one.id === saved))?.id;
    const those = newest.filter((take) => !motion || take.motion === motion);
    const last = localStorage.getItem("aesop-take");
    const take = those.find((one) => one.id === last) ?? those[0];
    this.motionId = motion ?? take?.motion ?? motions[0]?.id ?? null;
    this.takeId = take?.id ?? null;
  }

  async motionById(id: string): Promise<Motion> {
    let found = this.motions.get(id);
    if (!found) {
      found = api.packed(`/studio/motions/${id}/joints`).then(motionOf);
      void found.then((motion) => this.loaded.set(id, motion), () => this.motions.delete(id));
      this.motions.set(id, found);
      if (this.motions.size > 8) {
        const oldest = this.motions.keys().next().value!;
        this.motions.delete(oldest);
        this.loaded.delete(oldest);
      }
    }
    return found;
  }

  // The skeleton and mesh of a motion's file; the last few are kept.
  figureById(id: string): Promise<FileFigure> {
    let found = this.figures.get(id);
    if (!found) {
      found = api.packed(`/studio/motions/${id}/figure`).then((came) => new FileFigure(came));
      found.catch(() => this.figures.delete(id));
      this.figures.set(id, found);
      if (this.figures.size > 4) this.figures.delete(this.figures.keys().next().value!);
    }
    return found;
  }

  private async loadMotion(): Promise<void> {
    this.motion = this.motionId ? await this.motionById(this.motionId) : null;
  }

  private async loadFan(id: string | null): Promise<void> {
    const take = this.takes.find((one) => one.id === id);
    if (!take || take.state !== "done") return;
    const known = this.fans.get(take.id);
    const isFilmed = !take.curve || !take.facts || known?.curve === JSON.stringify(take.curve);
    if (known && isFilmed && known.intensities.length >= take.intensities.length) return;
    this.fans.set(take.id, fanOf(await api.packed(`/studio/takes/${take.id}/cameras`)));
  }

  fan(id: string | null): Fan | null {
    return (id && this.fans.get(id)) || null;
  }

  // What is known of a take as it is turned now, or of the nearest that is filmed.
  facts(take: api.Take | null): api.ShotFacts | null {
    const fan = take && this.fan(take.id);
    if (!take || take.facts || !fan) return take?.facts ?? null;
    const mean = meanOf(take.curve ?? take.intensity, fan.frames / fan.fps);
    const { low, share } = between(fan.intensities, mean);
    return fan.facts[share > 0.5 ? low + 1 : low];
  }

  // The camera of a take as it is turned now; between intensities that are filmed, in between.
  camera(take: api.Take | null, into?: Float32Array): CameraRows | null {
    const fan = take && this.fan(take.id);
    if (!take || !fan) return null;
    const asked = this.turnedTo(take);
    if (typeof asked === "number") return turned(fan, asked, into);
    const key = JSON.stringify(asked);
    if (fan.curve === key && fan.overTime) {
      return { fps: fan.fps, frames: fan.frames, aspect: fan.aspect, rows: fan.overTime };
    }
    const motion = this.loaded.get(take.motion);
    if (!motion) return turned(fan, meanOf(asked, fan.frames / fan.fps), into);
    if (this.bent?.fan !== fan || this.bent.key !== key) {
      this.bent = { fan, key, camera: overTime(fan, asked, neckPath(motion)) };
    }
    return this.bent.camera;
  }

  // What a take is turned to: under the finger, or as the server has it.
  turnedTo(take: api.Take): Intensity {
    if (take.id === this.takeId && this.dragged !== null) return this.dragged;
    return take.curve ?? take.intensity;
  }

  async select(take: api.Take): Promise<void> {
    this.takeId = take.id;
    this.motionId = take.motion;
    this.dragged = null;
    await this.settle();
    void this.spread(take);
  }

  async look(motionId: string): Promise<void> {
    this.motionId = motionId;
    this.takeId = null;
    this.otherId = null;
    this.dragged = null;
    await this.settle();
  }

  async compare(take: api.Take | null): Promise<void> {
    this.otherId = take && take.id !== this.takeId ? take.id : null;
    await this.settle();
  }

  private async spread(take: api.Take): Promise<void> {
    if (take.state !== "done") return;
    await api.post(`/studio/takes/${take.id}/fan`).catch(() => {});
  }

  // Film; a curve that the take is to have is drawn over it once it is there.
  async film(asked: object, curve: Curve | null = null): Promise<void> {
    const made = await api.post<{ takes: api.Take[] }>("/studio/takes", asked);
    for (const take of made.takes) {
      this.expected.add(take.id);
      if (curve) this.curves.set(take.id, curve);
    }
    await this.refresh();
  }

  async change(take: api.Take, values: TakeChange): Promise<void> {
    await api.post(`/studio/takes/${take.id}`, values);
    if (Array.isArray(values.intensity)) this.bending.set(take.id, this.asked);
    await this.refresh();
  }
}
