// The page: what is shown when something changes, what is clicked, and how it begins.

import * as api from "./api";
import { BodyShape } from "./body";
import { byId, fill, h, icon } from "./dom";
import * as filming from "./filming";
import * as looks from "./looks";
import * as panels from "./panels";
import {
  aspect,
  curveLane,
  flight,
  keyLane,
  method,
  player,
  preset,
  setStage,
  slider,
  stage,
  store,
  strip,
  timeline,
  words,
} from "./room";
import { addTerm, markIn, markOut, onKey, showTransport, toggleLoop } from "./shortcuts";
import { Stage, type BodyName, type ViewName } from "./stage";
import { showStatus } from "./status";

const ASPECTS: [string, string][] = [
  ["", "16:9"],
  ["2.39", "2.39:1"],
  ["1.85", "1.85:1"],
  [String(4 / 3), "4:3"],
  ["1", "1:1"],
  ["0.8", "4:5"],
  ["0.5625", "9:16"],
];

// For whoever measures: how long the scripts of each drawn frame took, and how many shaders there are.
const frameTimes: number[] = [];
const shaders = () => stage.renderer.info.programs?.length ?? 0;
Object.assign(window, { aesopStudio: { store, player, frameTimes, shaders } });

const motionList = byId<HTMLSelectElement>("motion");
const file = byId<HTMLInputElement>("file");
const body = byId<HTMLSelectElement>("body");

store.tellMistake = (mistake) => panels.toast(mistake.fact, mistake.remedy);
words.film = filming.film;
words.act = filming.act;

let framed = "";
function show(): void {
  const { motion } = store;
  const facts = store.motionFacts;
  if (motion && filming.openInPlayer(motion)) {
    framed = "";
    timeline.show();
    curveLane.show();
    keyLane.show();
  }
  filming.showPart();
  looks.showFigure();
  looks.restage();
  // Whoever has not turned the stage by hand sees all of each new person and camera.
  const sight = motion ? `${motion.id} ${store.fan(store.takeId) ? store.takeId : ""} ${store.otherId}` : "";
  if (sight !== framed) {
    const isNew = !framed;
    framed = sight;
    if (sight && (isNew || !stage.wasMoved)) looks.chooseView(looks.lastView);
  } else if (sight && store.dragged === null) {
    looks.keepInSight();
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
  byId("remove-motion").hidden = !store.motionId;
  byId<HTMLButtonElement>("export").disabled = !store.shown?.facts;
  byId<HTMLButtonElement>("film").disabled = !store.motionId;
  byId<HTMLButtonElement>("film-more").disabled = !store.motionId;
  const take = store.shown;
  if (take && take.id !== shownPicture) {
    shownPicture = take.id;
    aspect.value = take.aspect === null ? "" : String(take.aspect);
  }
  looks.layLenses();
  void panels.showWelcome(store, () => file.click(), (name) => void filming.openFromGallery(name));
}
let shownPicture = "";

function showMotions(): void {
  const names = new Map<string, number>(); // people from the same words are numbered, the first first
  const options = [...store.project.motions].reverse().map((one) => {
    const name = one.origin.kind === "file" || one.origin.kind === "cut" ? one.name : (one.origin.label ?? one.name);
    const again = (names.get(name) ?? 0) + 1;
    names.set(name, again);
    const told = `${name.replace(/\.clip$/, "")}${again > 1 ? ` · ${again}` : ""}`;
    return h("option", { value: one.id }, `${told} (${one.seconds.toFixed(1)} s)`);
  }).reverse();
  const key = options.map((one) => one.value + one.text).join();
  if (motionList.dataset.key !== key) {
    motionList.dataset.key = key;
    fill(motionList, ...options);
  }
  motionList.value = store.motionId ?? "";
}

function wire(): void {
  const click = (id: string, run: () => void) => byId(id).addEventListener("click", run);
  const icons = { "remove-motion": "close", "person-history": "history", undo: "undo", redo: "redo", theme: "sun", keys: "keys", history: "history", vocabulary: "book", "step-back": "back", "step-next": "next", loop: "loop", "frame-all": "frame" };
  for (const [id, name] of Object.entries(icons)) fill(byId(id), icon(name));
  click("undo", () => void filming.undo("undo"));
  click("redo", () => void filming.undo("redo"));
  click("keys", panels.openShortcuts);
  click("export", () => void panels.openExports(store));
  click("theme", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("aesop-theme", next);
    looks.setTheme(next);
  });
  click("open-file", () => file.click());
  click("open-gallery", () => void panels.openGallery((name) => void filming.openFromGallery(name)));
  click("act", () => void filming.act());
  click("film", () => void filming.film());
  click("film-more", () => void filming.film({ takes: 3 }));
  click("history", () => panels.openMenu(byId("history"), words.recent(), (text) => words.say(text)));
  click("person-history", () =>
    panels.openMenu(byId("person-history"), words.recentPeople(), (text) => words.sayPerson(text)),
  );
  click("remove-motion", () => void filming.removeMotion());
  click("zoom-in", () => timeline.zoomBy(1.6));
  click("zoom-out", () => timeline.zoomBy(1 / 1.6));
  byId("stage").addEventListener("dblclick", (event) => {
    if ((event.target as HTMLElement).closest(".tabs")) return;
    const met = stage.under(event);
    if (met) stage.frameOn(met);
    else looks.setView(looks.lastView);
  });
  player.onRange = filming.keepPart;
  click("vocabulary", () => panels.toggleDrawer(store, addTerm));
  click("play", () => player.toggle());
  click("step-back", () => player.step(-1));
  click("step-next", () => player.step(1));
  click("loop", toggleLoop);
  click("frame-all", () => looks.setView(looks.lastView));
  click("ghosts", looks.toggleGhosts);
  click("mark-in", markIn);
  click("mark-out", markOut);
  click("clear-part", () => player.setRange(0, player.length));
  click("film-part", () => void filming.filmPart());
  click("stop-compare", () => void store.compare(null));
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.addEventListener("click", () => looks.chooseView(button.dataset.view as ViewName));
  }
  for (const button of document.querySelectorAll<HTMLElement>("[data-guide]")) {
    button.addEventListener("click", () => looks.toggleGuide(button.dataset.guide!));
  }
  for (const picture of document.querySelectorAll(".guides")) {
    fill(picture, ...["third", "action", "title", "bars"].map((name) => h("i", { class: name })));
  }
  byId<HTMLSelectElement>("speed").addEventListener("change", (event) => {
    player.speed = Number((event.target as HTMLSelectElement).value);
  });
  fill(aspect, ...ASPECTS.map(([value, label]) => h("option", { value }, label)));
  const again = () => void (store.shown && filming.film({ instead_of: store.takeId }));
  aspect.addEventListener("change", again);
  body.addEventListener("change", () => looks.chooseBody(body.value as BodyName));
  method.addEventListener("change", again);
  preset.addEventListener("change", again);
  motionList.addEventListener("change", () => {
    void store.look(motionList.value).then(filming.filmIfNew);
  });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) void filming.openFile(chosen);
  });
  // After a click with the mouse the space bar plays, and does not press that button again.
  addEventListener("click", (event) => {
    const button = (event.target as HTMLElement).closest?.("button");
    if (button && event.detail > 0 && !button.closest("dialog")) button.blur();
  });
  keyLane.film = filming.filmKeyed;
  keyLane.row = () => stage.shotRow(player.seconds);
  keyLane.stageRow = () => stage.outsideRow(store.facts(store.shown)?.aspect ?? 16 / 9);
  flight.onMove = () => {
    stage.flown = flight.isOn ? flight.row : null;
    stage.pose(player.seconds);
  };
  slider.onTurn = () => {
    looks.restage();
    curveLane.show();
    looks.labelLenses();
  };
  wireDrop();
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
    void files.reduce((before, one) => before.then(() => filming.openFile(one)), Promise.resolve());
  });
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
  setStage(new Stage(byId<HTMLCanvasElement>("canvas"), byId("stage"), isFine));
  looks.rememberBody();
  const saved = localStorage.getItem("aesop-theme");
  const usual = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  looks.setTheme(saved === "light" || saved === "dark" ? saved : usual);
  for (const name of ["thirds", "safe", "letterbox"]) {
    const isOn = localStorage.getItem(`aesop-guide-${name}`) ?? String(name === "thirds");
    if (isOn === "true") looks.toggleGuide(name);
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
    looks.layLenses();
    looks.keepInSight();
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
  await filming.filmIfNew();
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
        await filming.welcomePeople();
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
