// What the page asks the server for, and what comes back.

export interface Mistake {
  fact: string;
  remedy: string;
  text: string;
}

export class AskError extends Error {
  constructor(
    readonly status: number,
    readonly mistake: Mistake,
  ) {
    super(mistake.text);
  }
}

// Something that words ask of a person, and whether it is seen; null where no test is sure.
export interface PersonCheck {
  asked: string;
  right: boolean | null;
}

export interface Origin {
  kind: "file" | "gallery" | "acted" | "cut";
  label?: string | null;
  of?: string;
  job?: string;
  words?: string;
  checks?: PersonCheck[];
  does?: string;
  seed?: number | null;
  told?: string | null;
}

export interface MotionFacts {
  id: string;
  name: string;
  number: number;
  seconds: number;
  frames: number;
  travel_m: number;
  is_filmable: boolean;
  why_not: string | null;
  notes: string[];
  source: string;
  origin: Origin;
  part: [number, number] | null; // in and out point, seconds
}

export interface Check {
  asked: string;
  got: string;
  right: boolean;
}

export interface Movement {
  name: string;
  start: number;
  stop: number;
}

export interface ShotFacts {
  source: string;
  words: string;
  intensity: number;
  pace: string | null;
  seconds: number;
  asked: string | null;
  made: string;
  share: number | null;
  is_right: boolean | null;
  advice: string | null;
  empty_share: number;
  headless_share: number;
  nearest_m: number;
  fastest_turn_dps: number;
  travel_m: number;
  seed: number | null;
  corrections: string[];
  checks: Check[];
  movements: Movement[];
  lens_mm: number;
  aspect: number;
}

// A camera that the path meets: columns of the turn are right, down and forward.
export interface KeyView {
  seconds: number;
  centre_m: [number, number, number];
  world_from_camera: [number, number, number][];
  fov_vertical_deg: number | null;
}

export interface Take {
  id: string;
  number: number;
  motion: string;
  words: string;
  method: "model" | "operator" | "auto";
  aspect: number | null;
  lens_mm: number | null;
  preset: string;
  seed: number | null;
  intensity: number;
  curve: [number, number][] | null; // intensity over time, instead of the number
  keys: KeyView[];
  kept: { start: number; stop: number }[]; // frames that are those of an earlier take
  name: string;
  starred: boolean;
  removed: boolean;
  state: "waiting" | "done" | "failed";
  error: Mistake | null;
  intensities: number[];
  facts: ShotFacts | null;
}

export interface Project {
  version: string;
  name: string;
  motions: MotionFacts[];
  takes: Take[];
  undo: string | null;
  redo: string | null;
  mistakes: Record<string, Mistake>;
}

export interface Job {
  id: string;
  kind: "film" | "fan" | "turn" | "act";
  subject: string;
  state: string;
  share: number;
}

export interface Understood {
  words: string;
  text: string | null;
  values: { name: string; definition: string }[];
  confidence: number | null;
  problem: Mistake | null;
  pace: { text: string; intensity: number } | null;
}

export interface Words {
  vocabulary: { attribute: string; values: { value: string; definition: string }[] }[];
  intensity: [number, number];
  presets: string[]; // the quickest first
  seconds: [number, number];
  reads: { suffix: string; holds: string }[];
  writes: { suffix: string; holds: string; has_keys: boolean }[];
}

export interface GalleryMotion {
  name: string;
  label: string;
  seconds: number;
  picture: number[][][];
}

export interface Packed {
  facts: Record<string, unknown>;
  arrays: Record<string, { data: Float32Array | Uint32Array | Uint16Array; shape: number[] }>;
}

// A token comes in the address once, and stays with the tab.
function tokenOfTab(): string | null {
  const given = /[#&]token=([\w-]+)/.exec(location.hash);
  if (given) {
    sessionStorage.setItem("aesop-token", given[1]);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("aesop-token");
}

const token = tokenOfTab();

function headers(more: Record<string, string> = {}): Record<string, string> {
  return token ? { ...more, authorization: `Bearer ${token}` } : more;
}

async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  let mistake: Mistake;
  try {
    mistake = ((await answer.json()) as { error: Mistake }).error;
  } catch {
    const text = `The server answered with ${answer.status}.`;
    mistake = { fact: text, remedy: "Try again.", text };
  }
  throw new AskError(answer.status, mistake);
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers: headers(init.headers as Record<string, string>) });
  } catch {
    const fact = "The studio's server does not answer.";
    const remedy = "Start `aesop studio` again on the same folder; nothing is lost.";
    throw new AskError(0, { fact, remedy, text: `${fact} ${remedy}` });
  }
  return checked(answer);
}

export async function get<T>(path: string): Promise<T> {
  return (await (await ask(path)).json()) as T;
}

export async function post<T>(path: string, values: object = {}): Promise<T> {
  const body = JSON.stringify(values);
  const init = { method: "POST", body, headers: { "content-type": "application/json" } };
  return (await (await ask(path, init)).json()) as T;
}

// What a file does not say, or says wrongly; empty where nobody said it.
export interface Reading {
  fps?: string;
  units?: string;
  up?: string;
  loop?: string;
}

export async function upload(file: File, reading: Reading = {}): Promise<MotionFacts> {
  const init = {
    method: "POST",
    body: file,
    headers: { "content-type": "application/octet-stream" },
  };
  const query = new URLSearchParams({ name: file.name });
  for (const [option, value] of Object.entries(reading)) if (value) query.set(option, value);
  return (await (await ask(`/motions?${query}`, init)).json()) as MotionFacts;
}

export async function blob(path: string): Promise<{ data: Blob; name: string }> {
  const answer = await ask(path);
  const told = answer.headers.get("content-disposition") ?? "";
  const plain = /filename="([^"]+)"/.exec(told);
  const coded = /filename\*=utf-8''([^;]+)/i.exec(told);
  const name = coded ? decodeURIComponent(coded[1]) : plain ? plain[1] : "aesop";
  return { data: await answer.blob(), name };
}

const ARRAYS: Record<string, typeof Float32Array | typeof Uint32Array | typeof Uint16Array> = {
  float32: Float32Array,
  uint32: Uint32Array,
  uint16: Uint16Array,
};

export async function packed(path: string): Promise<Packed> {
  const data = await (await ask(path)).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const arrays: Packed["arrays"] = {};
  let at = 4 + length;
  for (const one of head.arrays as { name: string; shape: number[]; type: string }[]) {
    const count = one.shape.reduce((a, b) => a * b, 1);
    const Kind = ARRAYS[one.type];
    const held = new Kind(data, at, count);
    arrays[one.name] = { data: held, shape: one.shape };
    at += held.byteLength + ((4 - (held.byteLength % 4)) % 4);
  }
  return { facts: head, arrays };
}

export interface News {
  version: string;
  jobs: Job[];
}

type Tell = (news: News) => void;
type Lost = (isLost: boolean) => void;

// Of all tabs of a browser one listens to the server and passes on what it hears: a browser opens
// six connections to a server, and a stream keeps one of them. Where tabs cannot agree (an address
// without locks), each listens for itself.
export async function follow(tell: Tell, lost: Lost): Promise<void> {
  if (!navigator.locks) return listen(tell, lost);
  const channel = new BroadcastChannel("aesop-news");
  let [last, isLost] = [null as News | null, false];
  let isListening = false;
  channel.onmessage = ({ data }: MessageEvent<{ news?: News; isLost?: boolean; asks?: true }>) => {
    if (data.asks && isListening) channel.postMessage({ news: last ?? undefined, isLost });
    if (isListening) return;
    if (data.isLost !== undefined) lost(data.isLost);
    if (data.news) tell(data.news);
  };
  channel.postMessage({ asks: true });
  await navigator.locks.request("aesop-news", () => {
    isListening = true;
    return listen(
      (news) => {
        last = news;
        channel.postMessage({ news });
        tell(news);
      },
      (now) => {
        isLost = now;
        channel.postMessage({ isLost });
        lost(now);
      },
    );
  });
}

// Server-sent events by hand: EventSource cannot send a token.
async function listen(tell: Tell, lost: Lost): Promise<void> {
  for (;;) {
    try {
      const answer = await ask("/studio/events");
      lost(false);
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop()!;
        for (const part of parts) {
          if (part.startsWith("data: ")) tell(JSON.parse(part.slice(6)) as News);
        }
      }
    } catch (problem) {
      if (problem instanceof AskError && problem.status === 401) {
        lost(true);
        return;
      }
    }
    lost(true);
    await new Promise((resolve) => setTimeout(resolve, 800));
  }
}
