// The two fields: what the person does and what the camera does, and what was understood of it.

import * as api from "./api";
import { byId, fill, h } from "./dom";
import type { Store } from "./store";

const PAUSE_MS = 900; // typing that rests for so long is filmed
const EXAMPLES = [
  "the camera pushes in",
  "the camera slowly pulls out",
  "the camera trucks left, then stops",
  "the camera arcs around the person to the right",
  "the camera rises",
  "a low-angle close-up",
  "follow her from behind",
];

const PEOPLE = [
  "a person turns around",
  "a person jumps",
  "a person runs",
  "a person waves with the right hand",
  "a person walks, then sits down",
  "a person picks something up",
  "a person kicks with the left leg",
];

const FILLING = new Set(["the", "camera", "a", "an"]);

export class WordFields {
  readonly camera = byId<HTMLTextAreaElement>("camera");
  readonly person = byId<HTMLTextAreaElement>("person");
  private timer = 0;
  private filmed = ""; // the words of the last request
  private typed = false; // since then
  private draft: string | null = null; // a take that typing made, and that further typing replaces
  private understood: api.Understood | null = null;
  private shownTake: string | null = null;
  private told = "";
  private toldOfPerson = "";
  private asked: { words: string; checks: api.PersonCheck[] } | null = null; // of a person
  film: (options: { instead_of?: string | null; takes?: number }) => Promise<void> = async () => {};
  act: () => Promise<void> = async () => {};

  constructor(private readonly store: Store) {
    this.camera.addEventListener("input", () => this.onInput());
    this.camera.addEventListener("blur", () => {
      if (byId("drawer").hidden) this.draft = null;
    });
    this.camera.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        void this.send(event.ctrlKey || event.metaKey ? null : this.replaced);
      }
    });
    this.person.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        void this.act();
      }
    });
    this.person.addEventListener("input", () => void this.readPerson());
    store.onChange(() => this.show());
    this.showExamples();
  }

  get words(): string {
    return this.camera.value.trim();
  }

  // Words from a click: they are filmed at once.
  say(words: string): void {
    this.camera.value = words;
    this.typed = true;
    this.draft = null;
    void this.read();
    void this.send(null);
  }

  add(term: string): void {
    const before = this.words;
    this.camera.value = before ? `${before.replace(/[.,]$/, "")}, ${term}` : term;
    this.onInput();
  }

  private onInput(): void {
    this.typed = true;
    clearTimeout(this.timer);
    void this.read();
    this.timer = window.setTimeout(() => void this.send(this.replaced), PAUSE_MS);
  }

  // The take that these words go on from; other words leave it in the strip.
  private get replaced(): string | null {
    return this.draft && isTypedOn(this.filmed, this.words) ? this.draft : null;
  }

  private async send(instead: string | null): Promise<void> {
    clearTimeout(this.timer);
    if (!this.words || !this.store.motionId) return;
    if (instead === this.draft && this.words === this.filmed && this.store.shown) return;
    this.filmed = this.words;
    const before = new Set(this.store.project.takes.map((take) => take.id));
    await this.film({ instead_of: instead });
    const made = this.store.project.takes.find((take) => !before.has(take.id));
    const goesOn = document.activeElement === this.camera || !byId("drawer").hidden;
    if (goesOn) this.draft = made?.id ?? null;
    this.typed = false;
  }

  private async read(): Promise<void> {
    const words = this.words;
    if (!words) {
      this.understood = null;
      this.showChips();
      return;
    }
    try {
      const came = await api.get<api.Understood>(
        `/studio/understood?words=${encodeURIComponent(words)}`,
      );
      if (words === this.words) this.understood = came;
    } catch {
      this.understood = null; // words that say nothing yet
    }
    this.showChips();
  }

  // A take that is chosen brings its words along, unless somebody is typing.
  private show(): void {
    const take = this.store.shown;
    if (take && take.id !== this.shownTake && !this.typed && take.words !== this.words) {
      this.camera.value = take.words;
      this.filmed = take.words;
      void this.read();
    }
    if (take && take.words === this.words) this.typed = false;
    this.shownTake = take?.id ?? null;
    const origin = this.store.motionFacts?.origin;
    if (origin && this.person.dataset.motion !== this.store.motionId) {
      this.person.dataset.motion = this.store.motionId ?? "";
      if (document.activeElement !== this.person) this.person.value = origin.words ?? "";
    }
    if (!this.understood && this.words) void this.read();
    this.showChips();
    this.showPersonChips();
  }

  private showChips(): void {
    const chips = byId("chips");
    const take = this.store.shown;
    const facts = take && take.words === this.words ? this.store.facts(take) : null;
    const parts: (Node | null)[] = [];
    const checks = new Map(facts?.checks.map((check) => [check.asked, check]) ?? []);
    const isWhole = !!facts?.asked && facts.is_right !== null && checks.size === 0;
    for (const value of isWhole ? [] : (this.understood?.values ?? [])) {
      if (value.name.startsWith("pace:") || value.name === "when:then") continue;
      const check = checks.get(value.name);
      const [name, title] = [plain(value.name), value.definition];
      if (!check) parts.push(h("span", { class: "chip", title }, name));
      else parts.push(verdict(check.right, name, plain(check.got), title));
    }
    if (isWhole) {
      const share = facts.share === null ? "" : `${Math.round(100 * facts.share)} % as asked`;
      parts.push(verdict(facts.is_right!, facts.asked!, facts.made, share));
    }
    if (this.understood?.pace) {
      parts.push(h("span", { class: "chip plain" }, this.understood.pace.text));
    }
    const problem = this.understood?.problem;
    if (problem) {
      const text = "not in the vocabulary: the model films it as it understands it";
      parts.push(h("span", { class: "chip plain", title: problem.text }, text));
    }
    if (facts?.source.includes("operator")) {
      parts.push(h("span", { class: "chip plain", title: "The model did not meet these words, or lost the person." }, "filmed by rules"));
    }
    // Live regions are read aloud when they change: only then.
    const told = parts.map((part) => (part as HTMLElement).outerHTML).join();
    if (told !== this.told) {
      this.told = told;
      fill(chips, ...parts);
    }
  }

  // What words ask of a person: before anybody is made, and of whoever was made from them.
  private async readPerson(): Promise<void> {
    const words = this.person.value.trim();
    try {
      const path = `/studio/people/asked?words=${encodeURIComponent(words)}`;
      const came = words ? await api.get<{ words: string; checks: api.PersonCheck[] }>(path) : null;
      if (words === this.person.value.trim()) this.asked = came;
    } catch {
      this.asked = null; // words that say nothing yet
    }
    this.showPersonChips();
  }

  private showPersonChips(): void {
    const words = this.person.value.trim();
    const origin = this.store.motionFacts?.origin;
    const made = origin?.kind === "acted" && origin.words === words ? origin : null;
    const checks = made?.checks ?? (this.asked?.words === words ? this.asked.checks : []);
    const parts = checks.map(({ asked, right }) =>
      !made || right === null
        ? h("span", { class: "chip", title: made ? "No test of this is sure" : "" }, asked)
        : verdict(right, asked, made.does ?? "", made.told ?? ""),
    );
    if (made?.does && !checks.some((check) => check.right === false)) {
      const text = checks.length ? made.does : `not checked; does: ${made.does}`;
      parts.push(h("span", { class: "chip plain", title: made.told ?? "" }, text));
    } else if (words && !made && !checks.length && this.asked?.words === words) {
      const text = "in no words that are checked: acted as the model understands it";
      parts.push(h("span", { class: "chip plain" }, text));
    }
    const told = parts.map((part) => part.outerHTML).join();
    if (told !== this.toldOfPerson) {
      this.toldOfPerson = told;
      fill(byId("person-chips"), ...parts);
    }
  }

  // Words of people who were made before, the last first, and examples.
  recentPeople(): string[] {
    const said = this.store.project.motions.flatMap((one) => one.origin.words ?? []);
    return [...new Set([...said, ...PEOPLE])].slice(0, 14);
  }

  sayPerson(words: string): void {
    this.person.value = words;
    void this.readPerson();
    void this.act();
  }

  private showExamples(): void {
    const people = PEOPLE.slice(0, 3).map((text) =>
      h("button", { class: "chip", onclick: () => this.sayPerson(text) }, text.replace("a person ", "")),
    );
    fill(byId("person-examples"), ...people);
    const buttons = EXAMPLES.slice(0, 4).map((text) =>
      h("button", { class: "chip", onclick: () => this.say(text) }, text.replace("the camera ", "")),
    );
    fill(byId("examples"), ...buttons);
  }

  // Earlier words, the last first, and examples where there are none.
  recent(): string[] {
    const all = [...this.store.project.takes].reverse().map((take) => take.words);
    return [...new Set([...all.slice(0, 30), ...EXAMPLES])].slice(0, 14);
  }
}

// What was asked, and where it was not met what was made instead.
function verdict(isRight: boolean, asked: string, got: string, title: string): HTMLElement {
  if (isRight) return h("span", { class: "chip good", title }, asked);
  return h("span", { class: "chip bad", title }, h("s", {}, asked), h("span", {}, `got ${got}`));
}

// Whether somebody typed on, or said something else: of what was said, half is still there. A word
// that was being typed may have grown.
function isTypedOn(before: string, now: string): boolean {
  const said = (text: string) =>
    (text.toLowerCase().match(/[\p{L}\d-]+/gu) ?? []).filter((word) => !FILLING.has(word));
  const [old, next] = [said(before), said(now)];
  const kept = old.filter((word) => next.some((one) => one.startsWith(word))).length;
  return !old.length || (kept > 0 && 2 * kept >= Math.min(old.length, next.length));
}

export function plain(name: string): string {
  return name.replace(/\b[a-z]+:/g, "").replace(/_/g, " ");
}
