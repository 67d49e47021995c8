// Small helpers for elements. Text is always set as text: nothing from a file becomes markup.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  dress(made, props);
  for (const child of children) if (child) made.append(child);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, String(value));
  for (const child of children) if (child) made.append(child);
  return made;
}

function dress(made: HTMLElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "class") {
      made.className = String(value);
    } else {
      const isState = name.startsWith("aria-"); // those say "true"; others need only be there
      made.setAttribute(name, value === true && !isState ? "" : String(value));
    }
  }
}

export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...(children.filter(Boolean) as Node[]));
}

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  star: "M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8L12 16.9l-5.2 2.7 1-5.8-4.2-4.1 5.8-.8z",
  close: "M6.4 5L5 6.4 10.6 12 5 17.6 6.4 19l5.6-5.6 5.6 5.6 1.4-1.4L13.4 12 19 6.4 17.6 5 12 10.6z",
  compare: "M4 5h7v14H4zM13 5h7v14h-7z",
  back: "M15.5 5L8 12l7.5 7V5z",
  next: "M8.5 5v14l7.5-7z",
  loop: "M17 4l4 4-4 4V9H8a3 3 0 000 6h1v2H8A5 5 0 018 7h9zM7 20l-4-4 4-4v3h9a3 3 0 003-3h2a5 5 0 01-5 5H7z",
  undo: "M9 5v3.5h5.5a5.5 5.5 0 010 11H8v-2h6.5a3.5 3.5 0 000-7H9V14l-5-4.5z",
  redo: "M15 5v3.5H9.5a5.5 5.5 0 000 11H16v-2H9.5a3.5 3.5 0 010-7H15V14l5-4.5z",
  sun: "M12 7a5 5 0 100 10 5 5 0 000-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM4.2 5.6l1.4-1.4 2.8 2.8L7 8.4zM15.6 17l1.4-1.4 2.8 2.8-1.4 1.4zM15.6 7l2.8-2.8 1.4 1.4L17 8.4zM4.2 18.4L7 15.6 8.4 17l-2.8 2.8z",
  keys: "M3 6h18v12H3zm2 2v2h2V8zm4 0v2h2V8zm4 0v2h2V8zm4 0v2h2V8zM5 12v2h2v-2zm4 0v2h6v-2zm8 0v2h2v-2z",
  book: "M5 3h12a2 2 0 012 2v16H7a2 2 0 01-2-2zm2 2v12.2A2 2 0 017.9 17H17V5zm2 3h6v1.6H9zm0 3h6v1.6H9z",
  pen: "M4 16.6V20h3.4L17.6 9.8l-3.4-3.4zM20.4 7a1 1 0 000-1.4l-2-2a1 1 0 00-1.4 0l-1.7 1.7 3.4 3.4z",
  history: "M13 3a9 9 0 11-8.5 6h2.2A7 7 0 1013 5v3L8.5 4 13 0zM12 8h1.7v4.5l3.4 2-.8 1.5-4.3-2.6z",
  export: "M12 3l5 5h-3.5v7h-3V8H7zM5 17h2v2h10v-2h2v4H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  frame: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
};

export function icon(name: string): SVGElement {
  const path = s("path", { d: ICONS[name], fill: "currentColor" });
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

export function metres(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} m`;
}

export function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - 60 * minutes).toFixed(2).padStart(5, "0");
  return `${minutes}:${rest}`;
}
