// The page: one store, one player, one stage, and the panels around them.

import * as api from "./api";
import { BodyShape } from "./body";
import { CurveLane } from "./curve";
import { byId, clock, fill, h, icon } from "./dom";
import type { FileFigure } from "./figure";
import { Flight } from "./fly";
import { IntensitySlider } from "./intensity";
import { KeyLane, type Keyed } from "./keys";
import * as panels from "./panels";
import { Player } from "./player";
import { Stage, type BodyName, type ViewName } from "./stage";
import { Store } from "./store";
import { TakeStrip } from "./takes";
import { Timeline } from "./timeline";
import { WordFields } from "./words";

const FIRST_WORDS = "the camera pushes in";
const ASPECTS: [string, string][] = [
  ["", "16:9"],
  ["2.39", "2.39:1"],
  ["1.85", "1.85:1"],
  [String(4 / 3), "4:3"],
  ["1", "1:1"],
  ["0.8", "4:5"],
  ["0.5625", "9:16"],
];

const store = new Store();
const player = new Player();
let stage: Stage;
const words = new WordFields(store);
const slider = new IntensitySlider(store);
const curveLane = new CurveLane(store, player, slider);
const flight = new Flight(byId("lens-a"));
const keyLane = new KeyLane(store, player, flight);
const timeline = new Timeline(store, player, [curveLane.root, keyLane.root]);
const strip = new TakeStrip(store);

// For whoever measures: how long the scripts of each drawn frame took.
const frameTimes: number[] = [];
Object.assign(window, { aesopStudio: { store, player, frameTimes } });

const method = byId<HTMLSelectElement>("method");
const aspect = byId<HTMLSelectElement>("aspect");
const motionList = byId<HTMLSelectElement>("motion");
const preset = byId<HTMLSelectElement>("preset");
const file = byId<HTMLInputElement>("file");
const body = byId<HTMLSelectElement>("body");

store.tellMistake = (mistake) => panels.toast(mistake.fact, mistake.remedy);

function film(options: { instead_of?: string | null; takes?: number } = {}): Promise<void> {
  const said = words.words || FIRST_WORDS;
  if (!words.words) words.camera.value = said;
  if (!store.motionId) return Promise.resolve();
  const asked = {
    motion: store.motionId,
    words: said,
    method: method.value,
    aspect: aspect.value ? Number(aspect.value) : null,
    preset: preset.value || undefined,
    takes: options.takes ?? 1,
    instead_of: options.instead_of ?? null,
  };
  return store.film(asked).catch(panels.tellProblem);
}

// The shown take again, with other keys: its words, its picture, its intensity.
async function filmKeyed(keyed: Keyed): Promise<void> {
  const take = store.shown;
  if (!take) return;
  const { motion, words: said, method: by, aspect: shape, lens_mm, intensity } = take;
  const how = { motion, words: said, method: by, aspect: shape, lens_mm, intensity };
  const asked = { ...how, preset: take.preset, ...keyed };
  await store.film(asked, take.curve).catch(panels.tellProblem);
}

words.film = film;
words.act = act;

async function openMotion(id: string): Promise<void> {
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

async function openFile(chosen: File, reading: api.Reading = {}): Promise<void> {
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

async function openFromGallery(name: string): Promise<void> {
  try {
    await openMotion((await api.post<api.MotionFacts>("/studio/gallery", { name })).id);
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

const acting = new Set<string>();

async function act(): Promise<void> {
  const said = words.person.value.trim();
  if (!said) {
    words.person.focus();
    return;
  }
  const seconds = Number(byId<HTMLInputElement>("person-seconds").value);
  try {
    acting.add((await api.post<{ job: string }>("/studio/people", { words: said, seconds })).job);
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

// People that this tab asked for: shown and filmed once they are there.
async function welcomePeople(): Promise<void> {
  for (const job of [...acting]) {
    const made = store.project.motions.find((one) => one.origin.job === job);
    const why = store.project.mistakes[job];
    if (!made && !why) continue;
    acting.delete(job);
    if (why) panels.toast(why.fact, why.remedy);
    if (made) await openMotion(made.id);
  }
}

let said = "";
function setStatus(text: string): void {
  said = text;
  showStatus();
}

function showStatus(): void {
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

let opened = "";
let framed = "";
let framedWith = "";
function show(): void {
  const { motion } = store;
  const facts = store.motionFacts;
  if (motion && motion.id !== opened) {
    opened = motion.id;
    player.open(motion.frames / motion.fps, motion.fps);
    framed = "";
    timeline.show();
    curveLane.show();
    keyLane.show();
  }
  showFigure();
  restage();
  // Whoever has not turned the stage by hand sees all of each new person and camera.
  const sight = motion ? `${motion.id} ${store.camera(store.shown) ? store.takeId : ""} ${store.otherId}` : "";
  if (sight !== framed) {
    const isNew = !framed;
    framed = sight;
    if (sight && (isNew || !stage.wasMoved)) chooseView(lastView);
  }
  showMotions();
  byId("motion-facts").textContent = facts
    ? `${facts.seconds.toFixed(1)} s · goes ${facts.travel_m.toFixed(1)} m`
    : "";
  byId("motion-facts").title = facts ? [facts.source, ...facts.notes].join("\n") : "";
  byId("project-name").textContent = store.project.name;
  for (const [id, label] of [["undo", store.project.undo], ["redo", store.project.redo]] as const) {
    const button = byId<HTMLButtonElement>(id);
    button.disabled = !label;
    button.title = label ? `${id === "undo" ? "Undo" : "Redo"}: ${label}` : id;
  }
  byId<HTMLButtonElement>("export").disabled = !store.shown?.facts;
  byId<HTMLButtonElement>("film").disabled = !store.motionId;
  byId<HTMLButtonElement>("film-more").disabled = !store.motionId;
  const take = store.shown;
  if (take && take.id !== shownPicture) {
    shownPicture = take.id;
    aspect.value = take.aspect === null ? "" : String(take.aspect);
  }
  layLenses();
  void panels.showWelcome(store, () => file.click(), (name) => void openFromGallery(name));
}
let shownPicture = "";

// Who stands on the stage: what was chosen, or the file's own where it has a body.
let chosenBody: BodyName | null = null;
let shownFigure: FileFigure | null = null;
let figureOf = "";

function showFigure(): void {
  const { motion } = store;
  const wanted = motion?.own && (chosenBody ?? (motion.own === "mesh" ? "own" : "mannequin"));
  if (motion && motion.id !== figureOf) {
    figureOf = motion.id;
    shownFigure = null;
  }
  body.hidden = !motion?.own;
  if (!motion || !wanted || wanted === "mannequin") {
    wearBody("mannequin");
    return;
  }
  if (shownFigure) {
    wearBody(chosenBody ?? (shownFigure.hasMesh ? "own" : "mannequin"));
    return;
  }
  void store.figureById(motion.id).then((figure) => {
    if (figureOf !== motion.id) return;
    const isNew = shownFigure !== figure;
    shownFigure = figure;
    body.options[1].text = figure.hasMesh ? "Own character" : "Own skeleton";
    if (isNew && figure.whyNoMesh && !/has no mesh/.test(figure.whyNoMesh)) panels.toast(figure.whyNoMesh);
    wearBody(chosenBody ?? (figure.hasMesh ? "own" : "mannequin"));
    restage();
  }, panels.tellProblem);
}

function wearBody(name: BodyName): void {
  body.value = name;
  stage.setBody(name);
}

function chooseBody(name: BodyName): void {
  chosenBody = name;
  localStorage.setItem("aesop-body", name);
  showFigure();
  restage();
}

function nextBody(): void {
  if (body.hidden) return;
  const names: BodyName[] = ["mannequin", "own", "both"];
  chooseBody(names[(names.indexOf(body.value as BodyName) + 1) % names.length]);
}

function restage(): void {
  const take = store.shown;
  const { motion } = store;
  const figure = motion?.id === figureOf ? shownFigure : null;
  stage.show(0, motion ? { motion, camera: store.camera(take), figure } : null);
  const other = store.other;
  if (!other) {
    stage.show(1, null);
    framedWith = "";
  } else {
    void store.motionById(other.motion).then((person) => {
      if (store.other === other) {
        stage.show(1, { motion: person, camera: store.camera(other), figure: null });
        stage.pose(player.seconds);
        if (framedWith !== other.id && !stage.wasMoved) setView(lastView);
        framedWith = other.id;
      }
    });
  }
  stage.pose(player.seconds);
}

function showMotions(): void {
  const options = store.project.motions.map((one) => {
    const name = one.origin.kind === "file" || one.origin.kind === "cut" ? one.name : (one.origin.label ?? one.name);
    return h("option", { value: one.id }, `${name.replace(/\.clip$/, "")} (${one.seconds.toFixed(1)} s)`);
  });
  const key = options.map((one) => one.value + one.text).join();
  if (motionList.dataset.key !== key) {
    motionList.dataset.key = key;
    fill(motionList, ...options);
  }
  motionList.value = store.motionId ?? "";
}

// The pictures take their aspect within their panes.
function layLenses(): void {
  const shown: [string, api.Take | null][] = [["lens-a", store.shown], ["lens-b", store.other]];
  byId("lens-b").hidden = !store.other;
  byId("stop-compare").hidden = !store.other;
  for (const [id, take] of shown) {
    const pane = byId(id);
    const picture = pane.querySelector<HTMLElement>(".picture")!;
    const box = pane.getBoundingClientRect();
    const ratio = store.facts(take)?.aspect ?? 16 / 9;
    const [roomX, roomY] = [box.width - 24, box.height - 84];
    if (id === "lens-a") byId("lenses").classList.toggle("beside", !!store.other && ratio < 1.2);
    const width = Math.max(0, Math.min(roomX, roomY * ratio));
    picture.style.width = `${width}px`;
    picture.style.height = `${width / ratio}px`;
    const bars = Math.max(0, (1 - ratio / 2.39) / 2);
    picture.style.setProperty("--bar", `${100 * bars}%`);
  }
  labelLenses();
  stage.isDirty = true;
}

function labelLenses(): void {
  for (const [id, take, mark] of [["lens-a", store.shown, "A · "], ["lens-b", store.other, "B · "]] as const) {
    const facts = store.facts(take);
    const intensity = take ? store.turnedTo(take) : 1;
    const told = typeof intensity === "number" ? intensity.toFixed(2) : "over time";
    const text = facts ? `${Math.round(facts.lens_mm)} mm · intensity ${told} · ${take!.name || take!.words}` : "no take yet";
    byId(id).querySelector(".label")!.textContent = (store.other ? mark : "") + text;
  }
}

function setView(view: ViewName): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  stage.place(view);
}
let lastView: ViewName = "orbit";

function chooseView(view: ViewName): void {
  lastView = view;
  setView(view);
}

function toggleGuide(name: string): void {
  const isOn = byId("lenses").classList.toggle(name);
  document.querySelector(`[data-guide="${name}"]`)!.setAttribute("aria-pressed", String(isOn));
  localStorage.setItem(`aesop-guide-${name}`, String(isOn));
}

function toggleGhosts(): void {
  stage.setGhosts(!stage.showsGhosts);
  byId("ghosts").setAttribute("aria-pressed", String(stage.showsGhosts));
}

function setTheme(theme: "dark" | "light"): void {
  document.documentElement.dataset.theme = theme;
  stage.dress(theme === "dark");
}

function showTransport(): void {
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
  byId("film-part").hidden = !player.hasRange;
  byId("clear-part").hidden = !player.hasRange;
}

async function filmPart(): Promise<void> {
  if (!store.motionId) return;
  const part = { start_s: player.start, stop_s: player.stop + 1 / player.fps };
  try {
    const made = await api.post<api.MotionFacts>(`/studio/motions/${store.motionId}/cut`, part);
    await openMotion(made.id);
  } catch (problem) {
    panels.tellProblem(problem);
  }
}

async function undo(which: "undo" | "redo"): Promise<void> {
  await api.post(`/studio/${which}`).catch(panels.tellProblem);
  await store.refresh();
}

function neighbour(step: number): api.Take | null {
  const all = store.takes.filter((take) => take.state === "done");
  const at = all.findIndex((take) => take.id === store.takeId);
  return all[Math.max(0, Math.min(all.length - 1, at + step))] ?? null;
}

function addTerm(term: string): void {
  words.add(term);
}

function wire(): void {
  const click = (id: string, run: () => void) => byId(id).addEventListener("click", run);
  const icons = { undo: "undo", redo: "redo", theme: "sun", keys: "keys", history: "history", vocabulary: "book", "step-back": "back", "step-next": "next", loop: "loop", "frame-all": "frame" };
  for (const [id, name] of Object.entries(icons)) fill(byId(id), icon(name));
  click("undo", () => void undo("undo"));
  click("redo", () => void undo("redo"));
  click("keys", panels.openShortcuts);
  click("export", () => void panels.openExports(store));
  click("theme", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("aesop-theme", next);
    setTheme(next);
  });
  click("open-file", () => file.click());
  click("open-gallery", () => void panels.openGallery((name) => void openFromGallery(name)));
  click("act", () => void act());
  click("film", () => void film());
  click("film-more", () => void film({ takes: 3 }));
  click("history", () => panels.openMenu(byId("history"), words.recent(), (text) => words.say(text)));
  click("vocabulary", () => panels.toggleDrawer(store, addTerm));
  click("play", () => player.toggle());
  click("step-back", () => player.step(-1));
  click("step-next", () => player.step(1));
  click("loop", toggleLoop);
  click("frame-all", () => setView(lastView));
  click("ghosts", toggleGhosts);
  click("mark-in", markIn);
  click("mark-out", markOut);
  click("clear-part", () => player.setRange(0, player.length));
  click("film-part", () => void filmPart());
  click("stop-compare", () => void store.compare(null));
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.addEventListener("click", () => chooseView(button.dataset.view as ViewName));
  }
  for (const button of document.querySelectorAll<HTMLElement>("[data-guide]")) {
    button.addEventListener("click", () => toggleGuide(button.dataset.guide!));
  }
  for (const picture of document.querySelectorAll(".guides")) {
    fill(picture, ...["third", "action", "title", "bars"].map((name) => h("i", { class: name })));
  }
  byId<HTMLSelectElement>("speed").addEventListener("change", (event) => {
    player.speed = Number((event.target as HTMLSelectElement).value);
  });
  fill(aspect, ...ASPECTS.map(([value, label]) => h("option", { value }, label)));
  const again = () => void (store.shown && film({ instead_of: store.takeId }));
  aspect.addEventListener("change", again);
  body.addEventListener("change", () => chooseBody(body.value as BodyName));
  method.addEventListener("change", again);
  preset.addEventListener("change", again);
  motionList.addEventListener("change", () => {
    void store.look(motionList.value).then(() => (store.shown ? undefined : film()));
  });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) void openFile(chosen);
  });
  // After a click with the mouse the space bar plays, and does not press that button again.
  addEventListener("click", (event) => {
    const button = (event.target as HTMLElement).closest?.("button");
    if (button && event.detail > 0 && !button.closest("dialog")) button.blur();
  });
  keyLane.film = filmKeyed;
  keyLane.row = () => stage.shotRow(player.seconds);
  keyLane.stageRow = () => stage.outsideRow(store.facts(store.shown)?.aspect ?? 16 / 9);
  flight.onMove = () => {
    stage.flown = flight.isOn ? flight.row : null;
    stage.pose(player.seconds);
  };
  slider.onTurn = () => {
    restage();
    curveLane.show();
    labelLenses();
  };
  wireDrop();
}

function toggleLoop(): void {
  player.loops = !player.loops;
  byId("loop").setAttribute("aria-pressed", String(player.loops));
}

function markIn(): void {
  player.setRange(Math.min(player.seconds, player.stop - 1), player.stop);
}

function markOut(): void {
  player.setRange(player.start, Math.max(player.seconds, player.start + 1));
}

function wireDrop(): void {
  const cover = byId("drop");
  let depth = 0;
  const holdsFiles = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    depth += 1;
    cover.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) cover.hidden = true;
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    cover.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    void files.reduce((before, one) => before.then(() => openFile(one)), Promise.resolve());
  });
}

function onKey(event: KeyboardEvent): void {
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
    f: () => setView(lastView),
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

function loop(): void {
  let last = performance.now();
  const lensesOf = () => {
    const picture = (id: string) => byId(id).querySelector<HTMLElement>(".picture")!;
    const all = [{ at: 0, frame: picture("lens-a") }];
    if (store.other) all.push({ at: 1, frame: picture("lens-b") });
    return all;
  };
  const step = (now: number) => {
    const began = performance.now();
    player.tick(Math.min((now - last) / 1000, 0.25));
    last = now;
    if (stage.isDirty) {
      stage.draw(lensesOf());
      frameTimes.push(performance.now() - began);
      if (frameTimes.length > 2000) frameTimes.splice(0, 1000);
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// Whether WebGL is there, and drawn by a graphics card or, slowly, by the processor.
function webGl(): "none" | "software" | "card" {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return "none";
  const told = context.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(context.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "software" : "card";
}

async function begin(): Promise<void> {
  const drawnBy = webGl();
  if (drawnBy === "none") {
    panels.toast("This browser shows no WebGL, which the stage needs.", "Allow hardware acceleration, or open another browser.");
    return;
  }
  // ?fine draws as a graphics card would, for pictures.
  const isFine = drawnBy === "card" || location.search === "?fine";
  stage = new Stage(byId<HTMLCanvasElement>("canvas"), byId("stage"), isFine);
  const worn = localStorage.getItem("aesop-body");
  if (worn === "mannequin" || worn === "own" || worn === "both") chosenBody = worn;
  const saved = localStorage.getItem("aesop-theme");
  const usual = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  setTheme(saved === "light" || saved === "dark" ? saved : usual);
  for (const name of ["thirds", "safe", "letterbox"]) {
    const isOn = localStorage.getItem(`aesop-guide-${name}`) ?? String(name === "thirds");
    if (isOn === "true") toggleGuide(name);
    else document.querySelector(`[data-guide="${name}"]`)!.setAttribute("aria-pressed", "false");
  }
  wire();
  addEventListener("keydown", onKey);
  player.onChange(() => {
    stage.pose(player.seconds);
    showTransport();
  });
  showTransport();
  const sized = new ResizeObserver(() => {
    stage.resize();
    layLenses();
  });
  for (const id of ["views", "lens-a", "lens-b"]) sized.observe(byId(id));
  loop();
  const [mannequin, vocabulary] = await Promise.all([
    api.packed("/studio/mannequin"),
    api.get<api.Words>("/studio/words"),
  ]);
  stage.setShape(new BodyShape(mannequin));
  store.words = vocabulary;
  const told: Record<string, string> = { instant: "instantly", fast: "fast", reference: "as in the paper, slowly" };
  fill(preset, ...vocabulary.presets.map((name) => h("option", { value: name }, told[name] ?? name)));
  store.onChange(show);
  await store.refresh();
  timeline.show();
  if (store.shown) void api.post(`/studio/takes/${store.shown.id}/fan`).catch(() => {});
  if (store.motionId && !store.shown && store.motionFacts?.is_filmable) await film();
  document.documentElement.dataset.ready = "true";
  followNews();
}

// The server says when something has changed; what came while we fetched is fetched after it.
function followNews(): void {
  let latest = store.project.version;
  let seen = latest;
  let isFetching = false;
  const catchUp = async () => {
    if (isFetching) return;
    isFetching = true;
    while (seen !== latest) {
      const asked = latest;
      try {
        await store.refresh();
        await welcomePeople();
        seen = asked;
      } catch (problem) {
        if (!store.isLost) panels.tellProblem(problem);
        break;
      }
    }
    isFetching = false;
    showStatus();
  };
  void api.follow(
    (news) => {
      store.jobs = news.jobs;
      latest = news.version;
      strip.show();
      showStatus();
      void catchUp();
    },
    (isLost) => {
      store.isLost = isLost;
      if (isLost) seen = "";
      showStatus();
    },
  );
}

void begin().catch(panels.tellProblem);
