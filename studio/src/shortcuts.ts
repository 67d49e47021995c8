// Playback by hand, and what keys do.

import * as api from "./api";
import { byId, clock, fill, icon } from "./dom";
import { film, undo } from "./filming";
import { chooseView, lastView, nextBody, setView, toggleGhosts, toggleGuide } from "./looks";
import * as panels from "./panels";
import { curveLane, flight, keyLane, player, slider, stage, store, strip, timeline, words } from "./room";

export function showTransport(): void {
  const button = byId("play");
  const name = player.isPlaying ? "pause" : "play";
  if (button.dataset.icon !== name) {
    button.dataset.icon = name;
    button.setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
    fill(button, icon(name));
  }
  byId("time").textContent = clock(player.seconds);
  const frames = Math.round(player.length * player.fps) + 1;
  byId("frame-number").textContent = store.motion
    ? `frame ${Math.round(player.frame) + 1} / ${frames}`
    : "";
  byId("zoom").hidden = player.length < 15;
  byId("film-part").hidden = !player.hasRange;
  byId("clear-part").hidden = !player.hasRange;
}

function neighbour(step: number): api.Take | null {
  const all = store.takes.filter((take) => take.state === "done");
  const at = all.findIndex((take) => take.id === store.takeId);
  return all[Math.max(0, Math.min(all.length - 1, at + step))] ?? null;
}

export function addTerm(term: string): void {
  words.add(term);
}

export function toggleLoop(): void {
  player.loops = !player.loops;
  byId("loop").setAttribute("aria-pressed", String(player.loops));
}

export function markIn(): void {
  player.setRange(Math.min(player.seconds, player.stop - 1), player.stop);
}

export function markOut(): void {
  player.setRange(player.start, Math.max(player.seconds, player.start + 1));
}

export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const isText = target.matches("textarea, input:not([type=range]):not([type=checkbox]), select");
  const isModal = byId<HTMLDialogElement>("dialog").open;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "Enter") {
    event.preventDefault();
    void film();
    return;
  }
  if (event.key === "Escape") {
    if (flight.isOn) keyLane.toggle(false);
    else if (!byId("drawer").hidden) panels.toggleDrawer(store, addTerm, false);
    else if (isText) target.blur();
    else if (store.otherId) void store.compare(null);
    else player.setRange(0, player.length);
    return;
  }
  if (isText || isModal) return;
  if (isCommand && event.key.toLowerCase() === "z") {
    event.preventDefault();
    void undo(event.shiftKey ? "redo" : "undo");
    return;
  }
  if (isCommand || event.altKey) return;
  if (flight.onKey(event)) {
    event.preventDefault();
    return;
  }
  const take = store.shown;
  const isSlider = target.matches("input[type=range]");
  const actions: Record<string, () => void> = {
    " ": () => player.toggle(),
    home: () => player.seek(player.start),
    end: () => player.seek(player.stop),
    l: toggleLoop,
    i: markIn,
    o: markOut,
    "1": () => chooseView("orbit"),
    "2": () => chooseView("top"),
    "3": () => chooseView("side"),
    "4": () => chooseView("front"),
    f: () => (event.shiftKey ? stage.frameOn("person") : setView(lastView)),
    "+": () => timeline.zoomBy(1.6),
    "=": () => timeline.zoomBy(1.6),
    "-": () => timeline.zoomBy(1 / 1.6),
    g: toggleGhosts,
    k: () => curveLane.toggle(),
    y: () => keyLane.toggle(),
    m: nextBody,
    t: () => toggleGuide("thirds"),
    s: () => toggleGuide("safe"),
    b: () => toggleGuide("letterbox"),
    c: () => words.camera.focus(),
    p: () => words.person.focus(),
    v: () => panels.toggleDrawer(store, addTerm),
    e: () => void panels.openExports(store),
    "?": panels.openShortcuts,
    "[": () => slider.turnTo(slider.now - 0.05),
    "]": () => slider.turnTo(slider.now + 0.05),
    ",": () => void (neighbour(-1) && store.select(neighbour(-1)!)),
    ".": () => void (neighbour(1) && store.select(neighbour(1)!)),
    x: () => void store.compare(store.otherId ? null : neighbour(-1)),
    "*": () => void (take && store.change(take, { starred: !take.starred })),
    n: () => take && strip.rename(take),
    delete: () => void (take && store.change(take, { removed: true })),
  };
  if (!isSlider) {
    actions.arrowleft = () => player.step(event.shiftKey ? -Math.round(player.fps) : -1);
    actions.arrowright = () => player.step(event.shiftKey ? Math.round(player.fps) : 1);
  }
  const run = actions[event.key.toLowerCase()];
  if (!run || (target.matches("button") && event.key === " ")) return;
  event.preventDefault();
  run();
}
