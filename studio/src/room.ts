// What there is once on the page: the store, the player, and the parts around the stage.

import { CurveLane } from "./curve";
import { byId } from "./dom";
import { Flight } from "./fly";
import { IntensitySlider } from "./intensity";
import { KeyLane } from "./keys";
import { Player } from "./player";
import type { Stage } from "./stage";
import { Store } from "./store";
import { TakeStrip } from "./takes";
import { Timeline } from "./timeline";
import { WordFields } from "./words";

export const store = new Store();
export const player = new Player();
export const words = new WordFields(store);
export const slider = new IntensitySlider(store);
export const curveLane = new CurveLane(store, player, slider);
export const flight = new Flight(byId("lens-a"));
export const keyLane = new KeyLane(store, player, flight);
export const timeline = new Timeline(store, player, [curveLane.root, keyLane.root]);
export const strip = new TakeStrip(store);

// It is there once somebody has looked whether WebGL is.
export let stage: Stage;

export function setStage(made: Stage): void {
  stage = made;
}

// How pictures are asked for.
export const method = byId<HTMLSelectElement>("method");
export const aspect = byId<HTMLSelectElement>("aspect");
export const preset = byId<HTMLSelectElement>("preset");
