// The clock of everything that plays: seconds since the first frame of the motion.

export class Player {
  seconds = 0;
  isPlaying = false;
  loops = true;
  speed = 1;
  length = 0;
  start = 0; // in and out points
  stop = 0;
  fps = 25;
  onRange: () => void = () => {}; // somebody has set in and out points, and is done with it
  private listeners: ((seconds: number) => void)[] = [];

  onChange(listener: (seconds: number) => void): void {
    this.listeners.push(listener);
  }

  open(length: number, fps: number): void {
    this.length = Math.max(0, length - 1 / fps);
    this.fps = fps;
    this.start = 0;
    this.stop = this.length;
    this.seek(Math.min(this.seconds, this.length));
  }

  setRange(start: number, stop: number, isFinal = true): void {
    this.start = Math.max(0, Math.min(start, this.length));
    this.stop = Math.max(this.start, Math.min(stop, this.length));
    this.tell();
    if (isFinal) this.onRange();
  }

  get hasRange(): boolean {
    return this.start > 0 || this.stop < this.length;
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.seconds >= this.stop - 1e-6) this.seconds = this.start;
    this.tell();
  }

  seek(seconds: number): void {
    this.seconds = Math.max(0, Math.min(seconds, this.length));
    this.tell();
  }

  step(frames: number): void {
    this.isPlaying = false;
    this.seek((Math.round(this.seconds * this.fps) + frames) / this.fps);
  }

  tick(elapsed: number): void {
    if (!this.isPlaying || this.stop <= this.start) return;
    let next = this.seconds + elapsed * this.speed;
    if (next > this.stop) {
      if (this.loops) {
        next = this.start + ((next - this.start) % (this.stop - this.start));
      } else {
        next = this.stop;
        this.isPlaying = false;
      }
    }
    this.seconds = next;
    this.tell();
  }

  get frame(): number {
    return this.seconds * this.fps;
  }

  tell(): void {
    for (const listener of this.listeners) listener(this.seconds);
  }
}
