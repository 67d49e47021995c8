// The page of a study. It holds no answer that counts: whatever it shows comes from the server, and
// an answer is saved when the server has said so. The key in the link's fragment is all it knows.
"use strict";

const BEAT_MS = 500;
const DRIFT_SECONDS = 0.04;
const JUMP_SECONDS = 0.8;
const RETRY_MS = [400, 800, 1500, 3000, 5000];
const STEPS = ["A much better", "A better", "Equal", "B better", "B much better"];
const OVERALL = "overall";

const at = (id) => document.getElementById(id);
const left = at("left"), right = at("right");
let study = null; // what everybody may know
let state = null; // how far this participant is
let trial = null; // what is on the screen
let draft = null; // its answers so far, and the id under which they will be saved
let isExample = false, isSaving = false, isBeating = false;
let current = 0; // question that keys answer
let serverPlayed = { left: 0, right: 0, isEnough: false };

function randomHex() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function keyOfLink() {
  const match = /^#([0-9a-f]{32})$/.exec(location.hash);
  return match ? match[1] : null;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

class Refusal extends Error {
  constructor(status, error) {
    super(error && error.text ? error.text : "The server did not understand.");
    this.status = status;
    this.isAnswered = Boolean(error && error.isAnswered);
  }
}

// One question to the server. What does not arrive is asked again until it does, so every question
// is one that may be asked twice; only a beat is dropped, the next one says the same and more.
async function ask(name, body, isOnce = false) {
  for (let turn = 0; ; turn += 1) {
    try {
      const options = body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      const answer = await fetch(`/api/${name}`, options || {});
      const values = await answer.json();
      at("lost").hidden = true;
      if (answer.ok) return values;
      if (answer.status < 500 || answer.status === 503) throw new Refusal(answer.status, values.error);
    } catch (problem) {
      if (problem instanceof Refusal) throw problem;
      at("lost").hidden = false;
    }
    if (isOnce) return null;
    await pause(RETRY_MS[Math.min(turn, RETRY_MS.length - 1)]);
  }
}

function show(id) {
  for (const main of document.querySelectorAll("main")) main.hidden = main.id !== id;
  at("top").hidden = id === "consent" || id === "failed" || id === "thanks";
  window.scrollTo(0, 0);
}

function fail(text) {
  at("failed-text").textContent = text;
  show("failed");
}

function showProgress() {
  const { answered, trials } = state;
  at("place").textContent = isExample ? "Example" : `${Math.min(answered + 1, trials)} of ${trials}`;
  const bar = at("progress");
  bar.setAttribute("aria-valuemax", trials);
  bar.setAttribute("aria-valuenow", answered);
  at("progress-done").style.width = `${(100 * answered) / trials}%`;
}

// Beginning

async function start() {
  try {
    study = await ask("study");
    document.title = at("name").textContent = study.title;
    const key = keyOfLink();
    if (key === null) return showConsent();
    state = await ask("state", { key });
    if (state.next === null) return showThanks();
    return state.answered === 0 && !wasGuided() ? showGuide() : showTrial();
  } catch (problem) {
    return fail(problem.message);
  }
}

function showConsent() {
  at("consent-title").textContent = study.title;
  at("consent-about").textContent = study.about;
  at("consent-about").hidden = !study.about;
  at("consent-minutes").textContent = study.minutes;
  at("consent-trials").textContent = study.trials;
  at("contact").textContent = study.contact;
  at("consent-contact").hidden = !study.contact;
  show("consent");
}

async function begin() {
  at("begin").disabled = true;
  const key = randomHex();
  try {
    state = await ask("begin", { key, agreed: true });
  } catch (problem) {
    return fail(problem.message);
  }
  history.replaceState(null, "", `#${key}`);
  return showGuide();
}

function showGuide() {
  at("link").value = location.href;
  at("to-example").textContent = study.example ? "See an example" : "Begin";
  isExample = true;
  showProgress();
  at("place").textContent = "";
  show("guide");
}

const guided = () => `guided ${keyOfLink()}`;
const wasGuided = () => remembered(guided()) !== null;

function remembered(name) {
  try { return localStorage.getItem(name); } catch { return null; } // forbidden in some browsers
}

function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(name); else localStorage.setItem(name, value);
  } catch { /* then a reload forgets what was not saved yet */ }
}

// A trial

function showExample() {
  if (!study.example) return leaveExample();
  isExample = true;
  trial = {
    ...study.example,
    trial: -1,
    humanWords: "",
    criteria: [
      { name: "camera_text", question: "Which camera does more exactly what its words say?" },
      { name: OVERALL, question: "All in all, which camera is better?" },
    ],
  };
  serverPlayed = { left: 0, right: 0, isEnough: false };
  draft = { id: "", responses: {} };
  return showComparison();
}

function leaveExample() {
  remember(guided(), "yes");
  return showTrial();
}

async function showTrial() {
  isExample = false;
  at("play").disabled = at("save").disabled = true; // what is on the screen is over
  try {
    state = await ask("state", { key: keyOfLink() });
    if (state.next === null) return showThanks();
    trial = await ask("open", { key: keyOfLink(), trial: state.next });
  } catch (problem) {
    return problem.isAnswered ? showTrial() : fail(problem.message);
  }
  serverPlayed = trial.played;
  draft = kept() || { id: randomHex(), responses: {} };
  return showComparison();
}

const draftName = () => `draft ${keyOfLink()} ${trial.trial}`;

function kept() {
  const text = remembered(draftName());
  if (text === null) return null;
  try { return JSON.parse(text); } catch { return null; }
}

async function showComparison() {
  at("example-note").hidden = !isExample;
  at("camera-words").textContent = trial.cameraWords;
  at("human-words").textContent = trial.humanWords;
  at("human-line").hidden = !trial.humanWords;
  at("save").textContent = isExample ? "Begin the study" : "Save and go on";
  current = 0;
  drawQuestions();
  showProgress();
  show("trial");
  at("play").disabled = true;
  at("play").textContent = "Loading …";
  for (const video of [left, right]) unload(video);
  showPlayed();
  const wanted = trial;
  const loaded = await Promise.all([load(left, trial.left), load(right, trial.right)]);
  if (trial !== wanted) return; // another one was opened meanwhile
  at("play").disabled = !loaded.every(Boolean);
  showPlayed();
}

function unload(video) {
  const url = video.getAttribute("src");
  video.removeAttribute("src");
  video.load();
  if (url) URL.revokeObjectURL(url);
}

// Whole videos are fetched first: then both start at once, and none of them waits in the middle.
async function load(video, token) {
  for (let turn = 0; ; turn += 1) {
    try {
      const answer = await fetch(`/videos/${token}.mp4`);
      if (!answer.ok) throw new Error(String(answer.status));
      const blob = await answer.blob();
      const url = URL.createObjectURL(blob);
      await new Promise((done, broken) => {
        video.onloadeddata = done;
        video.onerror = () => broken(new Error("video"));
        video.src = url;
      });
      at("lost").hidden = true;
      return true;
    } catch {
      at("lost").hidden = false;
      await pause(RETRY_MS[Math.min(turn, RETRY_MS.length - 1)]);
    }
  }
}

function drawQuestions() {
  const rows = trial.criteria.map((criterion, place) => {
    const row = document.createElement("fieldset");
    row.classList.toggle("overall", criterion.name === OVERALL);
    const legend = document.createElement("legend");
    legend.textContent = criterion.question;
    const scale = document.createElement("div");
    scale.className = "scale";
    STEPS.forEach((step, number) => scale.append(choice(criterion.name, place, number - 2, step)));
    scale.append(choice(criterion.name, place, null, "Cannot judge"));
    row.append(legend, scale);
    return row;
  });
  at("questions").replaceChildren(...rows);
  showQuestions();
}

function choice(name, place, value, text) {
  const label = document.createElement("label"), input = document.createElement("input");
  input.type = "radio";
  input.name = name;
  input.value = String(value);
  input.checked = name in draft.responses && draft.responses[name] === value;
  input.addEventListener("change", () => respond(place, value));
  label.append(input, text);
  return label;
}

function respond(place, value) {
  const { name } = trial.criteria[place];
  draft.responses[name] = value;
  if (!isExample) remember(draftName(), JSON.stringify(draft));
  for (const input of at("questions").elements) {
    if (input.name === name) input.checked = input.value === String(value);
  }
  current = place;
  showQuestions();
}

const firstOpen = () => trial.criteria.findIndex(({ name }) => !(name in draft.responses));

function showQuestions() {
  at("questions").querySelectorAll("fieldset").forEach((row, place) => {
    row.classList.toggle("current", place === current);
  });
  showWhetherSavable();
}

function isWatched() {
  return isExample ? Math.min(share(left), share(right)) >= study.needed : serverPlayed.isEnough;
}

function showWhetherSavable() {
  const open = trial.criteria.filter(({ name }) => !(name in draft.responses)).length;
  let why = "";
  if (!isWatched()) why = "Watch both videos first.";
  else if (open) why = open === 1 ? "One question is open." : `${open} questions are open.`;
  at("why").textContent = isSaving ? "Saving …" : why;
  at("save").disabled = isSaving || why !== "";
}

// Playing

const played = (video) =>
  Array.from({ length: video.played.length }, (_, at) => [video.played.start(at), video.played.end(at)]);

function share(video) {
  const seconds = played(video).reduce((sum, [from, to]) => sum + to - from, 0);
  return video.duration ? Math.min(seconds / video.duration, 1) : 0;
}

function isPlaying() { return !left.paused || !right.paused; }

async function togglePlay() {
  if (at("play").disabled) return;
  if (isPlaying()) {
    left.pause();
    right.pause();
  } else {
    if (left.ended || right.ended) left.currentTime = right.currentTime = 0;
    else right.currentTime = left.currentTime;
    try { await Promise.all([left.play(), right.play()]); } catch { /* paused at once */ }
  }
  showPlayed();
}

// The right one runs a little faster or slower until it is beside the left one: a jump would leave
// a hole in what was watched. Only where one has stopped for long is there a jump.
function keepTogether() {
  const isRunning = !left.paused && !right.paused && !left.seeking && !right.seeking;
  const behind = isRunning ? left.currentTime - right.currentTime : 0;
  if (Math.abs(behind) > JUMP_SECONDS) right.currentTime = left.currentTime;
  right.playbackRate = Math.abs(behind) < DRIFT_SECONDS ? 1 : behind > 0 ? 1.15 : 0.85;
}

function seek(event) {
  if (!left.duration || at("play").disabled) return;
  const box = at("line").getBoundingClientRect();
  const time = (left.duration * (event.clientX - box.left)) / box.width;
  left.currentTime = right.currentTime = Math.max(0, Math.min(time, left.duration - 0.04));
}

function showPlayed() {
  if (trial === null) return;
  const local = Math.min(share(left), share(right));
  const done = isExample ? local : Math.min(serverPlayed.left, serverPlayed.right);
  at("line-played").style.width = `${100 * done}%`;
  const where = left.duration ? left.currentTime / left.duration : 0;
  at("line-now").style.left = `calc(${100 * where}% - ${3 * where}px)`;
  const enough = isWatched();
  at("watched").textContent = enough ? "Watched ✓" : `Watched ${Math.floor(100 * done)} %`;
  at("watched").classList.toggle("enough", enough);
  if (!at("play").disabled) {
    at("play").textContent = isPlaying() ? "Pause" : left.ended ? "Play again" : "Play both";
  }
  showWhetherSavable();
}

async function beat() {
  if (isExample || trial === null || isBeating || serverPlayed.isEnough) return;
  const told = { left: played(left).slice(0, 200), right: played(right).slice(0, 200) };
  if (told.left.length === 0 && told.right.length === 0) return;
  const wanted = trial;
  isBeating = true;
  try {
    const covered = await ask("beat", { key: keyOfLink(), trial: trial.trial, ...told }, true);
    if (covered !== null && trial === wanted) serverPlayed = covered;
  } catch (problem) {
    if (problem.isAnswered && trial === wanted && !isSaving) movedOn();
  } finally {
    isBeating = false;
  }
  showPlayed();
}

// Saving

async function save() {
  if (at("save").disabled || isSaving) return;
  left.pause();
  right.pause();
  if (isExample) return leaveExample();
  isSaving = true;
  showWhetherSavable();
  const answer = {
    key: keyOfLink(),
    trial: trial.trial,
    id: draft.id,
    responses: draft.responses,
    window: `${window.innerWidth}x${window.innerHeight}`,
  };
  try {
    state = await ask("save", answer);
    remember(draftName(), null);
  } catch (problem) {
    isSaving = false;
    if (problem.isAnswered) return movedOn();
    at("why").textContent = problem.message;
    return undefined;
  }
  isSaving = false;
  return afterSaving();
}

function afterSaving() {
  if (state.next === null) return showThanks();
  if (state.answered === Math.floor(state.trials / 2) && state.trials >= 10) {
    return showPause("Half way", "Half of the comparisons are done. Take a break if you like; "
      + "your link brings you back here at any time.");
  }
  return showTrial();
}

function movedOn() {
  remember(draftName(), null);
  showPause("Already answered", "This comparison was answered in another window.");
}

function showPause(title, text) {
  trial = null;
  at("pause-title").textContent = title;
  at("pause-text").textContent = text;
  show("pause");
}

function showThanks() {
  trial = null;
  at("own-number").textContent = state.participant;
  at("thanks-contact").textContent = study.contact ? ` (${study.contact})` : "";
  show("thanks");
}

// Keys

function onKey(event) {
  if (at("trial").hidden || trial === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = trial.criteria.length - 1;
  if (event.key === " ") togglePlay();
  else if (event.key === "ArrowUp") current = Math.max(0, current - 1);
  else if (event.key === "ArrowDown") current = Math.min(row, current + 1);
  else if (event.key === "Enter") save();
  else if (/^[0-5]$/.test(event.key)) {
    respond(current, event.key === "0" ? null : Number(event.key) - 3);
    const next = firstOpen();
    if (next >= 0) current = next;
  } else return;
  event.preventDefault();
  showQuestions();
}

at("agree").addEventListener("change", () => { at("begin").disabled = !at("agree").checked; });
at("begin").addEventListener("click", begin);
at("copy").addEventListener("click", async () => {
  at("link").select();
  try { await navigator.clipboard.writeText(at("link").value); } catch { document.execCommand("copy"); }
  at("copy").textContent = "Copied";
});
at("to-example").addEventListener("click", showExample);
at("go-on").addEventListener("click", showTrial);
at("again").addEventListener("click", () => location.reload());
at("play").addEventListener("click", togglePlay);
at("save").addEventListener("click", save);
at("line").addEventListener("click", seek);
at("questions").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", () => location.reload());
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
document.addEventListener("keydown", onKey);
for (const name of ["play", "pause", "ended", "timeupdate", "seeked"]) {
  left.addEventListener(name, showPlayed);
}
setInterval(keepTogether, 200);
setInterval(beat, BEAT_MS);
at("agree").checked = false;
start();
