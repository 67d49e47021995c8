// What opens over the page: the welcome with its gallery, the vocabulary, exports, shortcuts,
// messages.

import * as api from "./api";
import { byId, fill, h, icon } from "./dom";
import { hasPicture, stickFigure, termPicture } from "./pictures";
import type { Store } from "./store";
import { plain } from "./words";

export function toast(fact: string, remedy = "", isFine = false): void {
  const text = h("div", {}, h("p", {}, fact), remedy ? h("p", {}, remedy) : null);
  const close = h("button", { class: "quiet", "aria-label": "Close", onclick: () => box.remove() }, icon("close"));
  const box = h("div", { class: isFine ? "toast fine" : "toast" }, text, close);
  const toasts = byId("toasts");
  while (toasts.children.length > 3) toasts.firstElementChild!.remove();
  toasts.append(box);
  // Shown anew, it lies above whatever was opened since.
  if (toasts.matches(":popover-open")) toasts.hidePopover();
  toasts.showPopover();
  setTimeout(() => box.remove(), isFine ? 4000 : 12000);
}

export function tellProblem(problem: unknown): void {
  if (problem instanceof api.AskError) toast(problem.mistake.fact, problem.mistake.remedy);
  else toast(String(problem));
}

function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const box = byId<HTMLDialogElement>("dialog");
  const close = h("button", { class: "quiet", "aria-label": "Close", onclick: () => box.close() }, icon("close"));
  fill(box, h("header", {}, h("h3", { id: "dialog-title" }, title), close), ...content);
  box.onclick = (event) => event.target === box && box.close();
  if (!box.open) box.showModal();
  return box;
}

// Mistakes whose remedy is a flag of the command line are mended in a dialog here.
const MENDED_BY_READING = /--(file-fps|fps|units|up|loop)\b/;

export function canMend(text: string): boolean {
  return MENDED_BY_READING.test(text);
}

export function askReading(text: string, again: (reading: api.Reading) => void): void {
  const choice = (id: string, label: string, values: string[]) =>
    h(
      "select",
      { id, "aria-label": label },
      h("option", { value: "" }, "found out"),
      ...values.map((value) => h("option", { value }, value)),
    );
  const fps = h("input", { id: "read-fps", type: "number", min: "1", max: "1000", step: "any" });
  const units = choice("read-units", "Unit", ["m", "cm", "mm", "inch", "cmu"]);
  const up = choice("read-up", "Up axis", ["y", "z"]);
  const loops = h("input", { id: "read-loop", type: "number", min: "1", max: "999" });
  const row = (id: string, label: string, field: HTMLElement) =>
    h("div", { class: "row wide" }, h("label", { for: id }, label), field);
  const read = h(
    "button",
    {
      class: "strong",
      onclick: () => {
        box.close();
        again({ fps: fps.value, units: units.value, up: up.value, loop: loops.value });
      },
    },
    "Read again",
  );
  const box = dialog(
    "What the file does not say",
    h("p", { class: "asked" }, text),
    h(
      "div",
      { class: "reading" },
      row("read-fps", "Rate, fps", fps),
      row("read-units", "Unit", units),
      row("read-up", "Up axis", up),
      row("read-loop", "Play a cycle", loops),
    ),
    read,
  );
}

let gallery: api.GalleryMotion[] | null = null;

async function galleryCards(pick: (name: string) => void): Promise<HTMLElement> {
  gallery ??= (await api.get<{ motions: api.GalleryMotion[] }>("/studio/gallery")).motions;
  const cards = gallery.map((one) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    stickFigure(canvas, one.picture, 12.5);
    const label = h("span", {}, one.label, h("span", { class: "faint" }, `${one.seconds} s`));
    return h("button", { "data-motion": one.name, onclick: () => pick(one.name) }, canvas, label);
  });
  return h("div", { class: "gallery" }, ...cards);
}

export async function openGallery(pick: (name: string) => void): Promise<void> {
  const cards = await galleryCards((name) => {
    box.close();
    pick(name);
  });
  const box = dialog("Motions to try", cards);
}

export async function showWelcome(
  store: Store,
  open: () => void,
  pick: (name: string) => void,
): Promise<void> {
  const welcome = byId("welcome");
  const isEmpty = store.project.motions.length === 0 && store.project.version !== "";
  if (welcome.hidden === !isEmpty) return;
  welcome.hidden = !isEmpty;
  if (!isEmpty) {
    fill(welcome);
    return;
  }
  const reads = [...new Set(store.words?.reads.map((one) => one.suffix) ?? [])].join(" ");
  fill(
    welcome,
    h(
      "div",
      {},
      h("h3", {}, "A motion becomes a shot"),
      h("p", { class: "lead" }, "Drop a motion, say what the camera does, turn the intensity while it plays."),
      h(
        "div",
        { class: "target" },
        h("p", {}, "Drop a motion file anywhere on this page"),
        h("button", { class: "strong", onclick: open }, "Open a file…"),
        h("p", { class: "small" }, reads),
      ),
      h("h2", {}, "Or begin with one of these"),
      await galleryCards(pick),
    ),
  );
}

export function toggleDrawer(store: Store, add: (term: string) => void, isOpen?: boolean): void {
  const drawer = byId("drawer");
  const opens = isOpen ?? drawer.hidden;
  drawer.hidden = !opens;
  if (!opens || !store.words) return;
  const sections = store.words.vocabulary.map(({ attribute, values }) => {
    const terms = values.map(({ value, definition }) => {
      const name = `${attribute}:${value}`;
      const props = { title: definition, onclick: () => add(phrase(attribute, value)) };
      if (!hasPicture(name)) return h("button", { ...props, class: "plain" }, plain(value));
      const canvas = h("canvas", { "aria-hidden": "true" });
      termPicture(canvas, name);
      return h("button", props, canvas, plain(value));
    });
    return h("section", {}, h("h3", {}, attribute), h("div", { class: "terms" }, ...terms));
  });
  const close = h(
    "button",
    { class: "quiet", "aria-label": "Close", onclick: () => toggleDrawer(store, add, false) },
    icon("close"),
  );
  fill(
    drawer,
    h("header", {}, h("strong", {}, "Camera words"), close),
    h("p", { class: "faint small" }, "A click adds a word. Hover to read what it means and how it is measured."),
    ...sections,
  );
  (drawer.querySelector("button") as HTMLElement).focus();
}

// A value as one would say it in a sentence.
function phrase(attribute: string, value: string): string {
  const spoken = value.replace(/-/g, " ");
  const ways: Record<string, string> = {
    size: value === "medium" || value === "full" || value.includes("wide") ? `${spoken} shot` : value,
    height: value === "overhead" ? "overhead shot" : value === "eye" ? "eye-level" : `${value}-angle`,
    side: value === "behind" ? "from behind" : value === "front" ? "from the front" : spoken,
    extent: `${value} circle`,
    when: value === "then" ? "then" : spoken,
    grip: value,
    lens: value,
    turn: value === "dutch" ? "dutch angle" : spoken,
  };
  return ways[attribute] ?? spoken;
}

const GROUPS: [string, string[]][] = [
  ["Scenes: person and camera", [".glb", ".usda", ".py", ".bvh", ".shot"]],
  ["The camera alone", [".json", ".csv", ".chan", ".txt", ".recammaster.json", ".nerfstudio.json"]],
  ["Videos and pictures", [".lens.mp4", ".overlay.mp4", ".mp4", ".png", ".depth.mp4", ".normal.mp4", ".pose.mp4"]],
];

export async function openExports(store: Store): Promise<void> {
  const take = store.shown;
  if (!take || !store.words) return;
  const keys = h("input", { type: "checkbox", id: "few-keys" });
  const world = h(
    "select",
    { id: "world", "aria-label": "World" },
    h("option", { value: "source" }, "the file's own world"),
    h("option", { value: "aesop" }, "AESOP's world: z up, metres, 25 fps"),
  );
  const code = h("code", {}, "…");
  const tellCommand = async (suffix: string) => {
    const path = `/studio/takes/${take.id}/command?suffix=${encodeURIComponent(suffix)}`;
    code.textContent = (await api.get<{ command: string }>(path)).command;
  };
  const writes = new Map(store.words.writes.map((one) => [one.suffix, one]));
  const button = (suffix: string) => {
    const one = writes.get(suffix);
    if (!one) return null;
    const holds = h("span", {}, one.holds);
    const made = h("button", { "data-suffix": suffix }, h("b", {}, suffix), holds);
    made.onclick = async () => {
      made.classList.add("busy");
      made.disabled = true;
      holds.textContent = suffix.endsWith(".mp4") ? "drawing, this takes a while…" : "writing…";
      void tellCommand(suffix);
      const query = new URLSearchParams();
      if (world.value !== "source") query.set("world", world.value);
      if (keys.checked && one.has_keys) query.set("keys", "true");
      try {
        const path = `/studio/takes/${take.id}/export/shot${suffix}?${query}`;
        const { data, name } = await api.blob(path);
        save(data, name);
        holds.textContent = `saved as ${name}`;
      } catch (problem) {
        holds.textContent = one.holds;
        tellProblem(problem);
      }
      made.classList.remove("busy");
      made.disabled = false;
    };
    return made;
  };
  const groups = GROUPS.flatMap(([title, suffixes]) => [
    h("h4", {}, title),
    h("div", { class: "formats" }, ...suffixes.map(button)),
  ]);
  const copy = h("button", {
    onclick: () => {
      void navigator.clipboard?.writeText(code.textContent ?? "");
      copy.textContent = "Copied";
    },
  }, "Copy");
  dialog(
    `Export ${take.name || take.words}`,
    h("div", { class: "row small" }, h("label", { for: "world" }, "Stands in"), world,
      keys, h("label", { for: "few-keys", title: "Few Bézier keys instead of one a frame: .glb, .py and .json" }, "few keys")),
    ...groups,
    h("h4", {}, "The command line that makes it again"),
    h("div", { class: "command" }, code, copy),
  );
  await tellCommand(".shot");
}

export function save(data: Blob, name: string): void {
  const url = URL.createObjectURL(data);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 30000);
}

const SHORTCUTS: [string, string][] = [
  ["Space", "play, pause"],
  ["← →", "one frame"],
  ["Shift ← →", "one second"],
  ["Home End", "to the ends"],
  ["[ ]", "intensity down, up"],
  ["K", "intensity over time"],
  ["Y", "fly the camera, set a key"],
  ["W A S D Q E", "while flying: go, down, up"],
  ["L", "loop"],
  ["I O", "in and out point"],
  ["Esc", "whole motion, stop comparing"],
  ["1 2 3 4", "orbit, top, side, front"],
  ["F", "show everything"],
  ["Shift F", "look at the person; double-click does, too"],
  ["− +", "timeline from further, nearer"],
  ["G", "ghosts"],
  ["M", "mannequin, the file's own, both"],
  ["T S B", "thirds, safe areas, bars"],
  ["C", "to the camera's words"],
  ["P", "to the person's words"],
  ["V", "vocabulary"],
  ["Ctrl Enter", "film another take"],
  [", .", "take before, after"],
  ["X", "compare with the take before"],
  ["*", "star"],
  ["N", "name"],
  ["Delete", "remove the take"],
  ["E", "export"],
  ["Ctrl Z", "undo"],
  ["Ctrl Shift Z", "redo"],
];

export function openShortcuts(): void {
  const rows = SHORTCUTS.map(([keys, does]) =>
    h("div", {}, h("span", {}, does), h("span", {}, ...keys.split(" ").flatMap((key) => [h("kbd", {}, key), " "]))),
  );
  dialog("Keyboard shortcuts", h("div", { class: "shortcuts" }, ...rows));
}

export function openMenu(beside: HTMLElement, items: string[], pick: (text: string) => void): void {
  document.querySelector(".menu")?.remove();
  const close = () => menu.remove();
  const buttons = items.map((text) =>
    h("button", { role: "menuitem", onclick: () => (close(), pick(text)) }, text),
  );
  const menu = h("div", { class: "menu", role: "menu" }, ...buttons);
  const box = beside.getBoundingClientRect();
  menu.style.left = `${Math.max(8, box.right - 280)}px`;
  menu.style.top = `${box.bottom + 4}px`;
  document.body.append(menu);
  (menu.firstElementChild as HTMLElement | null)?.focus();
  menu.addEventListener("keydown", (event) => event.key === "Escape" && (close(), beside.focus()));
  setTimeout(() => document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) close();
  }, { once: true }));
}
