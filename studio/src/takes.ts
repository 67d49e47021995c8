// The strip of takes: thumbnails, marks, stars, names, and which two are compared.

import * as api from "./api";
import { byId, fill, h, icon, metres } from "./dom";
import type { Store } from "./store";

export class TakeStrip {
  private readonly thumbs = new Map<string, Promise<string>>();
  private readonly lastThumb = new Map<string, string>();
  private field: HTMLInputElement | null = null;
  private renaming: string | null = null;
  private drawn = "";
  private seen: string | null = null; // the take that was brought into sight

  constructor(private readonly store: Store) {
    store.onChange(() => this.show());
  }

  show(): void {
    const { store } = this;
    if (this.field?.isConnected && this.renaming) return; // nobody takes the pen away
    const shown = [...store.takes.filter((take) => take.state === "done")].reverse();
    const waits = [...store.waiting].reverse();
    const key = JSON.stringify([
      shown.map((take) => [take.id, take.intensity, take.curve, take.name, take.starred, !!take.facts]),
      waits.map((take) => [take.id, this.share(take)]),
      store.takeId,
      store.motionId,
      store.otherId,
      this.renaming,
      store.project.motions.length,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    const strip = byId("takes");
    const hadFocus = document.activeElement?.closest<HTMLElement>(".take")?.dataset.take;
    if (!shown.length && !waits.length) {
      const text = "Takes appear here. Type what the camera does, or pick an example.";
      fill(strip, h("p", { class: "none" }, text));
      return;
    }
    fill(strip, ...waits.map((one) => this.waiting(one)), ...shown.map((one) => this.card(one)));
    if (hadFocus && !this.renaming) {
      strip.querySelector<HTMLElement>(`[data-take="${hadFocus}"]`)?.focus();
    }
    if (this.seen !== store.takeId) {
      this.seen = store.takeId;
      strip.querySelector(".shown")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  private share(take: api.Take): number {
    const job = this.store.jobs.find((one) => one.kind === "film" && one.subject === take.id);
    return job?.share ?? 0;
  }

  private waiting(take: api.Take): HTMLElement {
    const bar = h("i");
    bar.style.width = `${100 * Math.max(0.06, this.share(take))}%`;
    return h(
      "article",
      { class: "take waiting", role: "listitem" },
      h("div", { class: "thumb" }, "filming…"),
      h("div", { class: "bar" }, bar),
      h("div", { class: "name" }, take.words),
    );
  }

  private card(take: api.Take): HTMLElement {
    const { store } = this;
    const isShown = take.id === store.takeId;
    const isOther = take.id === store.otherId;
    const title = take.name || `${take.number} · ${take.words}`;
    const isElsewhere = take.motion !== store.motionId;
    const person = store.project.motions.find((one) => one.id === take.motion);
    const of = person?.origin.label ?? person?.name ?? "";
    const image = h("img", { class: "thumb", alt: "", draggable: "false" });
    if ((take.facts?.aspect ?? 1.8) < 1.2) image.classList.add("tall");
    const before = this.lastThumb.get(take.id);
    if (before) image.src = before;
    if (take.facts) {
      void this.thumb(take).then(
        (url) => {
          this.lastThumb.set(take.id, url);
          image.src = url;
        },
        () => {},
      );
    }
    const act = (label: string, name: string, kind: string, run: () => void) =>
      h(
        "button",
        {
          class: kind,
          "aria-label": `${label}: ${title}`,
          title: label,
          onclick: (event: Event) => {
            event.stopPropagation();
            run();
          },
        },
        icon(name),
      );
    const starring = () => void store.change(take, { starred: !take.starred });
    const card = h(
      "article",
      {
        class: `take${isShown ? " shown" : ""}${isOther ? " other" : ""}${take.starred ? " starred" : ""}${isElsewhere ? " elsewhere" : ""}`,
        role: "listitem",
        tabindex: "0",
        "data-take": take.id,
        "aria-label": `Take ${title}${isElsewhere ? ` of ${of}` : ""}${isShown ? ", shown" : ""}${take.starred ? ", starred" : ""}`,
        "aria-current": isShown,
        title: `${of}\n${take.words}\nintensity ${take.curve ? "over time" : take.intensity.toFixed(2)}, seed ${take.seed}`,
        onclick: (event: MouseEvent) =>
          void (event.shiftKey ? store.compare(take) : store.select(take)),
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === "Enter" && event.target === event.currentTarget) {
            void store.select(take);
          }
        },
        ondblclick: () => this.rename(take),
      },
      image,
      h("span", { class: "badge" }, isOther ? "B" : isShown && store.otherId ? "A" : `${take.number}`),
      this.renaming === take.id ? this.nameField(take) : h("div", { class: "name" }, take.name || take.words),
      this.marks(take),
      h(
        "div",
        { class: "on" },
        act("Name", "pen", "rename", () => this.rename(take)),
        act("Compare with the take that is shown", "compare", "compare", () =>
          void store.compare(isOther ? null : take),
        ),
        act("Remove", "close", "remove", () => void store.change(take, { removed: true })),
        act(take.starred ? "Take the star away" : "Star", "star", "star", starring),
      ),
    );
    return card;
  }

  private marks(take: api.Take): HTMLElement {
    const facts = take.facts;
    if (!facts) {
      const told = take.curve ? "its curve" : take.intensity.toFixed(2);
      return h("div", { class: "marks" }, `turning to ${told}…`);
    }
    const inFrame = Math.round(100 * (1 - facts.headless_share));
    const obeys = facts.is_right;
    const share = facts.share === null ? "" : ` ${Math.round(100 * facts.share)} %`;
    return h(
      "div",
      { class: "marks" },
      obeys === null
        ? h("span", { title: "The words were not checked" }, "words ?")
        : h(
            "span",
            {
              class: obeys ? "good" : "bad",
              title: `Asked ${facts.asked}, made ${facts.made}`,
            },
            `${obeys ? "✓" : "≠"}${share}`,
          ),
      h(
        "span",
        { class: inFrame < 95 ? "bad" : "", title: "Frames with the head in the picture" },
        `head ${inFrame} %`,
      ),
      h("span", { title: "The camera's way" }, metres(facts.travel_m)),
    );
  }

  rename(take: api.Take): void {
    this.renaming = take.id;
    this.show();
    this.field?.focus();
    this.field?.select();
  }

  private nameField(take: api.Take): HTMLElement {
    let isDone = false;
    const field = h("input", {
      class: "name",
      value: take.name,
      maxlength: "80",
      "aria-label": "Name of the take",
      onclick: (event: Event) => event.stopPropagation(),
      onkeydown: (event: KeyboardEvent) => {
        event.stopPropagation();
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      },
      onblur: () => end(true),
    });
    const end = (keep: boolean) => {
      if (isDone) return;
      isDone = true;
      this.renaming = null;
      this.field = null;
      const name = field.value.trim();
      if (keep && name !== take.name) void this.store.change(take, { name });
      else this.show();
    };
    this.field = field;
    return field;
  }

  private thumb(take: api.Take): Promise<string> {
    const key = `${take.id} ${JSON.stringify(take.curve ?? take.intensity)}`;
    let found = this.thumbs.get(key);
    if (!found) {
      found = api
        .blob(`/studio/takes/${take.id}/thumb.png`)
        .then(({ data }) => URL.createObjectURL(data));
      found.catch(() => this.thumbs.delete(key));
      this.thumbs.set(key, found);
    }
    return found;
  }
}
