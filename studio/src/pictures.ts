// Little moving pictures: stick figures of the gallery, and what camera words mean.

const PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19];
const HEAD = 15;

function colours(): { ink: string; faint: string; accent: string; gold: string } {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { ink: of("--soft"), faint: of("--edge"), accent: of("--accent"), gold: of("--gold") };
}

function prepared(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return null;
  const scale = Math.min(devicePixelRatio, 2);
  if (canvas.width !== Math.round(width * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d")!;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.lineCap = "round";
  pen.lineJoin = "round";
  return pen;
}

// Draws all of them while they are on the page.
class Cinema {
  private readonly shows = new Map<HTMLCanvasElement, (seconds: number) => void>();
  private isRunning = false;

  add(canvas: HTMLCanvasElement, show: (seconds: number) => void): void {
    this.shows.set(canvas, show);
    if (!this.isRunning) {
      this.isRunning = true;
      requestAnimationFrame((now) => this.run(now));
    }
  }

  private run(now: number): void {
    for (const [canvas, show] of this.shows) {
      if (!canvas.isConnected) this.shows.delete(canvas);
      else if (canvas.checkVisibility()) show(now / 1000);
    }
    this.isRunning = this.shows.size > 0;
    if (this.isRunning) setTimeout(() => requestAnimationFrame((at) => this.run(at)), 50);
  }
}

const cinema = new Cinema();

export function stickFigure(canvas: HTMLCanvasElement, frames: number[][][], fps: number): void {
  const spread = (axis: number) => frames.flatMap((pose) => pose.map((joint) => joint[axis]));
  // Seen from the side on which most happens, a little turned.
  const turn = 0.9;
  const across = (joint: number[]) => Math.cos(turn) * joint[0] - Math.sin(turn) * joint[1];
  const tops = Math.max(...spread(2), 170);
  cinema.add(canvas, (seconds) => {
    const pen = prepared(canvas);
    if (!pen) return;
    const { ink, faint, gold } = colours();
    const pose = frames[Math.floor(seconds * fps) % frames.length];
    const scale = (canvas.clientHeight - 22) / (tops + 12);
    const middle = across(pose[0]);
    const x = (joint: number[]) => canvas.clientWidth / 2 + (across(joint) - middle) * scale;
    const y = (joint: number[]) => canvas.clientHeight - 10 - joint[2] * scale;
    pen.strokeStyle = faint;
    pen.lineWidth = 1;
    const gap = 60;
    for (let at = -6; at < 7; at += 1) {
      const shift = ((at * gap - (middle % gap)) * scale) + canvas.clientWidth / 2;
      pen.beginPath();
      pen.moveTo(shift, canvas.clientHeight - 9);
      pen.lineTo(shift + 14, canvas.clientHeight - 9);
      pen.stroke();
    }
    pen.strokeStyle = ink;
    pen.lineWidth = 2.4;
    pen.beginPath();
    PARENTS.forEach((parent, joint) => {
      if (parent < 0) return;
      pen.moveTo(x(pose[parent]), y(pose[parent]));
      pen.lineTo(x(pose[joint]), y(pose[joint]));
    });
    pen.stroke();
    pen.fillStyle = gold;
    pen.beginPath();
    pen.arc(x(pose[HEAD]), y(pose[HEAD]) - 10 * scale, 9 * scale + 1.5, 0, 7);
    pen.fill();
  });
}

// From above: the person in the middle looks down the picture; the camera is a wedge.
interface Plan {
  x: number; // to the camera's right, in widths
  y: number; // towards the person
  aim: number; // to its left, radians
  open: number;
  walk?: number; // of the person, to the right
  face?: number; // where the person looks, radians from down the picture
}

const BASE: Plan = { x: 0, y: 0, aim: 0, open: 0.42 };

function swing(angle: number): Plan {
  return { ...BASE, x: 0.36 * Math.sin(angle), y: 0.36 - 0.36 * Math.cos(angle), aim: angle };
}

const MOVES: Record<string, (t: number) => Plan> = {
  "move:static": () => BASE,
  "move:push-in": (t) => ({ ...BASE, y: 0.2 * t }),
  "move:pull-out": (t) => ({ ...BASE, y: 0.2 - 0.2 * t }),
  "move:truck-left": (t) => ({ ...BASE, x: 0.2 - 0.4 * t }),
  "move:truck-right": (t) => ({ ...BASE, x: 0.4 * t - 0.2 }),
  "move:arc-left": (t) => swing(-1.3 * t),
  "move:arc-right": (t) => swing(1.3 * t),
  "move:orbit": (t) => swing(6.28 * t),
  "extent:quarter": (t) => swing(1.57 * t),
  "extent:half": (t) => swing(3.14 * t),
  "extent:full": (t) => swing(6.28 * t),
  "turn:pan-left": (t) => ({ ...BASE, aim: -0.5 + 1 * t }),
  "turn:pan-right": (t) => ({ ...BASE, aim: 0.5 - 1 * t }),
  "turn:whip-pan": (t) => ({ ...BASE, aim: 0.9 * Math.tanh(14 * (t - 0.5)) }),
  "lens:zoom-in": (t) => ({ ...BASE, open: 0.6 - 0.4 * t }),
  "lens:zoom-out": (t) => ({ ...BASE, open: 0.2 + 0.4 * t }),
  "lens:dolly-zoom": (t) => ({ ...BASE, y: 0.18 * t, open: 0.3 + 0.35 * t }),
  "lens:wide-angle": () => ({ ...BASE, open: 0.75 }),
  "lens:long-lens": () => ({ ...BASE, open: 0.16 }),
  "move:fly-past": (t) => ({ ...BASE, x: 0.1, y: 0.8 * t - 0.05 }),
  "turn:pan-follow": (t) => {
    const walk = 0.3 - 0.6 * t;
    return { ...BASE, walk, aim: -Math.atan(walk / 0.36) };
  },
  "pace:slightly": (t) => ({ ...BASE, y: 0.06 * t }),
  "pace:slowly": (t) => ({ ...BASE, y: 0.11 * t }),
  "pace:quickly": (t) => ({ ...BASE, y: 0.21 * t }),
  "pace:dramatically": (t) => ({ ...BASE, y: 0.24 * t }),
  "pace:all-the-way": (t) => ({ ...BASE, y: 0.29 * t }),
  "when:then": (t) => ({ ...BASE, y: 0.2 * Math.min(1, 2 * t), x: 0.24 * Math.max(0, 2 * t - 1) }),
  "when:as-she-turns": (t) => {
    const turned = Math.max(0, Math.min(1, 4 * (t - 0.35)));
    return { ...BASE, face: 3.14 * turned, y: 0.2 * Math.max(0, Math.min(1, 2.2 * (t - 0.4))) };
  },
  "when:at-the-end": (t) => ({ ...BASE, y: 0.2 * Math.max(0, (t - 0.65) / 0.35) }),
  "side:front": () => swing(0),
  "side:three-quarter-front": () => swing(0.78),
  "side:profile-right": () => swing(1.57),
  "side:profile-left": () => swing(-1.57),
  "side:three-quarter-back": () => swing(2.35),
  "side:behind": () => swing(3.14),
};
// From the side: how high the lens is, and how far it looks down.
const HEIGHTS: Record<string, (t: number) => [number, number]> = {
  "height:ground": () => [0.04, -0.45],
  "height:low": () => [0.26, -0.25],
  "height:eye": () => [0.74, 0.05],
  "height:high": () => [1.0, 0.45],
  "height:overhead": () => [1.12, 1.0],
  "move:boom-up": (t) => [0.3 + 0.7 * t, -0.2 + 0.6 * t],
  "move:boom-down": (t) => [1.0 - 0.7 * t, 0.4 - 0.6 * t],
  "turn:tilt-up": (t) => [0.5, 0.35 - 0.7 * t],
  "turn:tilt-down": (t) => [0.5, -0.35 + 0.7 * t],
};
// How much of the person's height the picture shows, from the crown down.
const SIZES: Record<string, number> = {
  "size:extreme-wide": 4.2,
  "size:wide": 2.2,
  "size:full": 1.25,
  "size:medium": 0.62,
  "size:close-up": 0.3,
  "size:extreme-close-up": 0.16,
};
// The picture itself: where the person stands in it, how it is tilted and how it shakes.
interface Frame {
  x: number; // shares of the picture
  top: number;
  tall: number;
  tilt: number;
  looks?: boolean; // to the right
}

const FRAME: Frame = { x: 0.5, top: 0.16, tall: 1.1, tilt: 0 };

function shaken(seconds: number, reach: number, pace: number): Frame {
  const sway = (at: number) => Math.sin(pace * seconds + at) + 0.6 * Math.sin(2.7 * pace * seconds + 2 * at);
  return { ...FRAME, x: 0.5 + reach * sway(0), top: 0.16 + reach * sway(2), tilt: 0.6 * reach * sway(4) };
}

const FRAMES: Record<string, (t: number, seconds: number) => Frame> = {
  "turn:roll": (t) => ({ ...FRAME, tilt: 0.7 * (t - 0.5) }),
  "turn:dutch": () => ({ ...FRAME, tilt: 0.24 }),
  "grip:locked-off": () => FRAME,
  "grip:dolly": (t) => ({ ...FRAME, x: 0.68 - 0.36 * t }),
  "grip:steadicam": (_, seconds) => shaken(seconds, 0.018, 1.7),
  "grip:handheld": (_, seconds) => shaken(seconds, 0.03, 5),
  "place:centre": () => FRAME,
  "place:left-third": () => ({ ...FRAME, x: 1 / 3 }),
  "place:right-third": () => ({ ...FRAME, x: 2 / 3 }),
  "place:head-room": () => ({ ...FRAME, top: 0.42 }),
  "place:lead-room": () => ({ ...FRAME, x: 0.3, looks: true }),
};
const WITH: Record<string, [number, number]> = {
  "move:follow": [0, 0.24],
  "move:follow-beside": [0.24, 0],
  "move:lead": [0, -0.24],
};

function eased(seconds: number): number {
  const share = (seconds % 2.6) / 2;
  const clipped = Math.min(1, share);
  return clipped * clipped * (3 - 2 * clipped);
}

export function hasPicture(name: string): boolean {
  return [MOVES, HEIGHTS, SIZES, FRAMES, WITH].some((some) => name in some);
}

export function termPicture(canvas: HTMLCanvasElement, name: string): void {
  cinema.add(canvas, (seconds) => {
    const pen = prepared(canvas);
    if (!pen) return;
    const time = eased(seconds);
    if (name in SIZES) drawSize(pen, canvas, SIZES[name]);
    else if (name in FRAMES) drawFrame(pen, canvas, FRAMES[name](time, seconds));
    else if (name in HEIGHTS) drawSide(pen, canvas, HEIGHTS[name](time));
    else if (name in WITH) drawWith(pen, canvas, WITH[name], time);
    else drawPlan(pen, canvas, MOVES[name](time));
  });
}

function wedge(
  pen: CanvasRenderingContext2D,
  at: [number, number],
  aim: number,
  open: number,
  reach: number,
): void {
  const { accent } = colours();
  pen.fillStyle = accent;
  pen.globalAlpha = 0.22;
  pen.beginPath();
  pen.moveTo(...at);
  pen.arc(...at, reach, aim - open, aim + open);
  pen.fill();
  pen.globalAlpha = 1;
  pen.beginPath();
  pen.arc(...at, 4, 0, 7);
  pen.fill();
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number): void {
  pen.fillStyle = colours().gold;
  pen.beginPath();
  pen.arc(x, y, 4.5, 0, 7);
  pen.fill();
}

function drawPlan(pen: CanvasRenderingContext2D, canvas: HTMLCanvasElement, plan: Plan): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = height;
  const [px, py] = [width / 2, height * 0.48];
  const x = px + plan.x * scale;
  const y = py + 0.36 * scale - plan.y * scale;
  wedge(pen, [x, y], -Math.PI / 2 - plan.aim, plan.open, 0.42 * scale);
  const stands = px + (plan.walk ?? 0) * scale;
  dot(pen, stands, py);
  if (plan.face === undefined) return;
  pen.strokeStyle = colours().gold;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(stands, py);
  pen.lineTo(stands + 11 * Math.sin(plan.face), py + 11 * Math.cos(plan.face));
  pen.stroke();
}

function drawFrame(pen: CanvasRenderingContext2D, canvas: HTMLCanvasElement, frame: Frame): void {
  const high = canvas.clientHeight - 12;
  const wide = Math.min(canvas.clientWidth - 10, (high * 16) / 9);
  const left = (canvas.clientWidth - wide) / 2;
  pen.save();
  pen.beginPath();
  pen.rect(left, 6, wide, high);
  pen.clip();
  pen.translate(left + wide / 2, 6 + high / 2);
  pen.rotate(frame.tilt);
  const x = (frame.x - 0.5) * wide;
  const top = (frame.top - 0.5) * high;
  pen.strokeStyle = colours().faint;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(-wide, 0.32 * high);
  pen.lineTo(wide, 0.32 * high);
  pen.stroke();
  figure(pen, x, top, frame.tall * high);
  if (frame.looks) {
    pen.strokeStyle = colours().accent;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(x + 0.14 * wide, top + 0.1 * high);
    pen.lineTo(x + 0.42 * wide, top + 0.1 * high);
    pen.lineTo(x + 0.37 * wide, top + 0.04 * high);
    pen.stroke();
  }
  pen.restore();
  pen.strokeStyle = colours().faint;
  pen.lineWidth = 1.4;
  pen.strokeRect(left, 6, wide, high);
}

function drawWith(
  pen: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  [side, behind]: [number, number],
  time: number,
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const y = height * (0.72 - 0.44 * time) + (behind < 0 ? 4 : -6);
  const at: [number, number] = [width / 2 + side * height, y + behind * height];
  wedge(pen, at, Math.atan2(y - at[1], width / 2 - at[0]), 0.45, 0.3 * height);
  dot(pen, width / 2, y);
}

function figure(pen: CanvasRenderingContext2D, x: number, top: number, tall: number): void {
  const { ink, gold } = colours();
  const unit = tall / 8;
  pen.fillStyle = gold;
  pen.beginPath();
  pen.arc(x, top + 0.6 * unit, 0.6 * unit, 0, 7);
  pen.fill();
  pen.strokeStyle = ink;
  pen.lineWidth = Math.max(1.5, 0.34 * unit);
  pen.beginPath();
  pen.moveTo(x, top + 1.5 * unit);
  pen.lineTo(x, top + 4.2 * unit);
  pen.lineTo(x - 0.8 * unit, top + 8 * unit);
  pen.moveTo(x, top + 4.2 * unit);
  pen.lineTo(x + 0.8 * unit, top + 8 * unit);
  pen.moveTo(x - 1.3 * unit, top + 4 * unit);
  pen.lineTo(x - 0.9 * unit, top + 1.7 * unit);
  pen.lineTo(x + 0.9 * unit, top + 1.7 * unit);
  pen.lineTo(x + 1.3 * unit, top + 4 * unit);
  pen.stroke();
}

function drawSide(
  pen: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  [tall, down]: [number, number],
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const floor = height - 7;
  const person = height * 0.62;
  figure(pen, width * 0.66, floor - person, person);
  const overhead = down > 0.9;
  const at: [number, number] = [width * (overhead ? 0.52 : 0.26), floor - tall * person];
  wedge(pen, at, down, 0.34, 0.5 * width);
}

function drawSize(pen: CanvasRenderingContext2D, canvas: HTMLCanvasElement, shown: number): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const tall = height / shown;
  const top = shown > 1 ? (height - tall) / 2 : height * 0.14;
  figure(pen, width / 2, top, tall);
}
