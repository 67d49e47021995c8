// What the stage and the lenses look like: who stands there, from where one looks, guides, light and
// dark.

import * as api from "./api";
import { byId } from "./dom";
import type { FileFigure } from "./figure";
import * as panels from "./panels";
import { player, stage, store } from "./room";
import type { BodyName, ViewName } from "./stage";

const body = byId<HTMLSelectElement>("body");
let framedWith = "";

// Who stands on the stage: what was chosen, or the file's own where it has a body.
let chosenBody: BodyName | null = null;
let shownFigure: FileFigure | null = null;
let figureOf = "";

export function showFigure(): void {
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

export function rememberBody(): void {
  const worn = localStorage.getItem("aesop-body");
  if (worn === "mannequin" || worn === "own" || worn === "both") chosenBody = worn;
}

function wearBody(name: BodyName): void {
  body.value = name;
  stage.setBody(name);
}

export function chooseBody(name: BodyName): void {
  chosenBody = name;
  localStorage.setItem("aesop-body", name);
  showFigure();
  restage();
}

export function nextBody(): void {
  if (body.hidden) return;
  const names: BodyName[] = ["mannequin", "own", "both"];
  chooseBody(names[(names.indexOf(body.value as BodyName) + 1) % names.length]);
}

export function restage(): void {
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

// The pictures take their aspect within their panes.
export function layLenses(): void {
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
  stage.relaid();
}

export function labelLenses(): void {
  for (const [id, take, mark] of [["lens-a", store.shown, "A · "], ["lens-b", store.other, "B · "]] as const) {
    const facts = store.facts(take);
    const intensity = take ? store.turnedTo(take) : 1;
    const told = typeof intensity === "number" ? intensity.toFixed(2) : "over time";
    const text = facts ? `${Math.round(facts.lens_mm)} mm · intensity ${told} · ${take!.name || take!.words}` : "no take yet";
    byId(id).querySelector(".label")!.textContent = (store.other ? mark : "") + text;
  }
}

export function setView(view: ViewName): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  stage.place(view);
}

// A camera that was turned to travel further may have left the pane, which may have become smaller.
export function keepInSight(): void {
  if (!stage.wasMoved && !stage.seesAll()) setView(lastView);
}
export let lastView: ViewName = "orbit";

export function chooseView(view: ViewName): void {
  lastView = view;
  setView(view);
}

export function toggleGuide(name: string): void {
  const isOn = byId("lenses").classList.toggle(name);
  document.querySelector(`[data-guide="${name}"]`)!.setAttribute("aria-pressed", String(isOn));
  localStorage.setItem(`aesop-guide-${name}`, String(isOn));
}

export function toggleGhosts(): void {
  stage.setGhosts(!stage.showsGhosts);
  byId("ghosts").setAttribute("aria-pressed", String(stage.showsGhosts));
}

export function setTheme(theme: "dark" | "light"): void {
  document.documentElement.dataset.theme = theme;
  stage.dress(theme === "dark");
}
