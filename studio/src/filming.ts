// From a motion to a take: filming, opening files, people from words, parts of motions, undo.

import * as api from "./api";
import type { Motion } from "./body";
import { byId } from "./dom";
import { keptParts, type Keyed } from "./keys";
import * as panels from "./panels";
import { aspect, method, player, preset, store, words } from "./room";
import { setStatus } from "./status";

const FIRST_WORDS = "the camera pushes in";

export function film(options: { instead_of?: string | null; takes?: number } = {}): Promise<void> {
  const said = words.words || FIRST_WORDS;
  if (!words.words) words.camera.value = said;
  if (!store.motionId) return Promise.resolve();
  const shape = aspect.value ? Number(aspect.value) : null;
  // Another film of the same words travels as far, and has the same keys to meet. A part of a take is
  // kept in the picture that it has.
  const shown = store.shown;
  const like = shown?.motion === store.motionId && shown.words === said ? shown : null;
  const asked = {
    motion: store.motionId,
    words: said,
    method: method.value,
    aspect: shape,
    preset: preset.value || undefined,
    takes: options.takes ?? 1,
    instead_of: options.instead_of ?? null,
    intensity: like?.intensity,
    keys: like?.keys ?? [],
    keep: like && like.aspect === shape ? keptParts(like, player.fps) : [],
  };
  return store.film(asked, like?.curve ?? null).catch(panels.tellProblem);
}

// The shown take again, with other keys: its words, its picture, its intensity.
export async function filmKeyed(keyed: Keyed): Promise<void> {
  const take = store.shown;
  if (!take) return;
  const { motion, words: said, method: by, aspect: shape, lens_mm, intensity } = take;
  const how = { motion, words: said, method: by, aspect: shape, lens_mm, intensity };
  const asked = { ...how, preset: take.preset, ...keyed };
  await store.film(asked, take.curve).catch(panels.tellProblem);
}

// A motion that nobody has filmed yet is filmed; one whose films were undone is not.
export async function filmIfNew(): Promise<void> {
  const wasFilmed = store.project.takes.some((take) => take.motion === store.motionId);
  if (store.motionFacts?.is_filmable && !wasFilmed) await film();
}

export async function openMotion(id: string): Promise<void> {
  await store.refresh();
  await store.look(id);
  byId("welcome").hidden = true;
  const facts = store.motionFacts;
  if (facts && !facts.is_filmable) {
    panels.toast(facts.why_not ?? "This motion cannot be filmed.");
    return;
  }
  player.isPlaying = true;
  await film();
}

export async function openFile(chosen: File, reading: api.Reading = {}): Promise<void> {
  const mend = (text: string) =>
    panels.askReading(text, (told) => void openFile(chosen, told));
  try {
    setStatus(`reading ${chosen.name}…`);
    const came = await api.upload(chosen, reading);
    if (!came.is_filmable && came.why_not && panels.canMend(came.why_not)) mend(came.why_not);
    await openMotion(came.id);
  } catch (problem) {
    panels.tellProblem(problem);
    if (problem instanceof api.AskError && panels.canMend(problem.mistake.text)) {
      mend(problem.mistake.text);
    }
  } finally {
    setStatus("");
  }
}

export async function openFromGallery(name: string): Promise<void> {
  try {
    await openMotion((await api.post<api.MotionFacts>("/studio/gallery", { name })).id);
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

const acting = new Set<string>();

export async function act(): Promise<void> {
  const asked = words.person.value.trim();
  if (!asked) {
    words.person.focus();
    return;
  }
  const seconds = Number(byId<HTMLInputElement>("person-seconds").value);
  try {
    acting.add((await api.post<{ job: string }>("/studio/people", { words: asked, seconds })).job);
    await store.refresh(); // who is quickly made may be there before the answer is
    await welcomePeople();
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

// People that this tab asked for: shown and filmed once they are there.
export async function welcomePeople(): Promise<void> {
  for (const job of [...acting]) {
    const made = store.project.motions.find((one) => one.origin.job === job);
    const why = store.project.mistakes[job];
    if (!made && !why) continue;
    acting.delete(job);
    if (why) panels.toast(why.fact, why.remedy);
    if (made) await openMotion(made.id);
  }
}

// In and out points belong to the motion, and are the project's: they outlive the tab and are undone
// with everything else.
let shownPart = "";
let opened = ""; // the motion that the player has

// Another motion is in the player, all of it.
export function openInPlayer(motion: Motion): boolean {
  if (motion.id === opened) return false;
  opened = motion.id;
  shownPart = "";
  player.open(motion.frames / motion.fps, motion.fps);
  return true;
}

function partKey(part: [number, number] | null): string {
  return `${opened} ${part ? part.map((one) => one.toFixed(4)).join(" ") : "whole"}`;
}

export function showPart(): void {
  const facts = store.motionFacts;
  if (!facts || !store.motion || partKey(facts.part) === shownPart) return;
  shownPart = partKey(facts.part);
  const [start, stop] = facts.part ?? [0, player.length];
  player.setRange(start, stop, false);
  if (player.seconds < start || player.seconds > stop) player.seek(start);
}

export function keepPart(): void {
  const part: [number, number] | null = player.hasRange ? [player.start, player.stop] : null;
  const facts = store.motionFacts;
  if (!facts || partKey(part) === shownPart) return;
  shownPart = partKey(part);
  facts.part = part;
  void api
    .post(`/studio/motions/${facts.id}`, { part: part ?? [] })
    .then(() => store.refresh())
    .catch(panels.tellProblem);
}

export async function removeMotion(): Promise<void> {
  if (!store.motionId) return;
  await api.post(`/studio/motions/${store.motionId}`, { removed: true }).catch(panels.tellProblem);
  await store.refresh();
}

export async function filmPart(): Promise<void> {
  if (!store.motionId) return;
  const part = { start_s: player.start, stop_s: player.stop + 1 / player.fps };
  try {
    const made = await api.post<api.MotionFacts>(`/studio/motions/${store.motionId}/cut`, part);
    await openMotion(made.id);
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

// Whatever comes back is what is looked at.
export async function undo(which: "undo" | "redo"): Promise<void> {
  const motions = new Set(store.project.motions.map((one) => one.id));
  const takes = new Set(store.takes.map((one) => one.id));
  await api.post(`/studio/${which}`).catch(panels.tellProblem);
  await store.refresh();
  const motion = store.project.motions.find((one) => !motions.has(one.id));
  const take = store.takes.find((one) => !takes.has(one.id));
  if (motion) await store.look(motion.id);
  else if (take) await store.select(take);
}
