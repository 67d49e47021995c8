// What is being made, in the head of the page.

import { byId, fill, h } from "./dom";
import { store } from "./room";

let said = "";
export function setStatus(text: string): void {
  said = text;
  showStatus();
}

export function showStatus(): void {
  const status = byId("status");
  if (store.isLost) {
    fill(status, h("span", { class: "lost" }, "No connection. Start `aesop studio` again; nothing is lost."));
    return;
  }
  const running = store.jobs.find((job) => job.kind !== "fan") ?? store.jobs[0];
  if (!running && !said) {
    fill(status);
    return;
  }
  const names = { film: "filming…", turn: "filming exactly…", act: "acting…", fan: "preparing the slider…" };
  const more = store.jobs.filter((job) => job.kind === "film").length;
  const text = said || (more > 1 ? `filming ${more} takes…` : names[running.kind]);
  const parts: Node[] = [h("span", {}, text)];
  if (running) {
    const fans = store.jobs.filter((job) => job.kind === "fan").length;
    const share = running.kind === "fan" ? 1 - fans / 5 : running.share;
    const bar = h("i");
    bar.style.width = `${100 * Math.max(0.08, share)}%`;
    parts.push(h("div", { class: "bar", "aria-hidden": "true" }, bar));
  }
  fill(status, ...parts);
}
