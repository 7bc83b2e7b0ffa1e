// A tall column of which only what is near the eye is there; the rest are empty boxes.

const SETTLE_MS = 70; // what flies by faster is not made

export class Stack {
  /** @param scroller What scrolls. @param boxes One element for each part, in order.
   *  @param fill Makes a part's content in its box, until a signal; may be async.
   *  @param measured Whether a box is as high as its content; else its height is left alone. */
  constructor(scroller, boxes, fill, { measured = true, margin = '60%' } = {}) {
    this.scroller = scroller;
    this.boxes = boxes;
    this.fill = fill;
    this.measured = measured;
    this.filled = new Map(); // index to {aborting, done}
    this.coming = new Map(); // index to timer
    this.indexes = new Map(boxes.map((box, i) => [box, i]));
    const options = { root: scroller, rootMargin: `${margin} 0px` };
    this.observer = new IntersectionObserver((seen) => this.#saw(seen), options);
    for (const box of boxes) this.observer.observe(box);
  }

  /** A part's box, filled. */
  async ready(index) {
    this.#enter(index);
    await this.filled.get(index)?.done;
    return this.boxes[index];
  }

  /** Makes a part anew, if it is there. */
  refresh(index) {
    if (!this.filled.has(index)) return;
    this.#leave(index, false);
    this.#enter(index);
  }

  isFilled(index) {
    return this.filled.has(index);
  }

  close() {
    this.observer.disconnect();
    for (const timer of this.coming.values()) clearTimeout(timer);
    for (const { aborting } of this.filled.values()) aborting.abort();
    this.filled.clear();
    this.coming.clear();
  }

  #saw(entries) {
    for (const entry of entries) {
      const index = this.indexes.get(entry.target);
      if (entry.isIntersecting) this.#come(index);
      else this.#leave(index);
    }
  }

  #come(index) {
    if (this.filled.has(index) || this.coming.has(index)) return;
    const timer = setTimeout(() => (this.coming.delete(index), this.#enter(index)), SETTLE_MS);
    this.coming.set(index, timer);
  }

  #enter(index) {
    if (this.filled.has(index) || !this.boxes[index]) return;
    const aborting = new AbortController();
    const box = this.boxes[index];
    const done = Promise.resolve(this.fill(index, box, aborting.signal)).catch((error) => {
      if (error?.name !== 'AbortError') throw error;
    });
    this.filled.set(index, { aborting, done: done.then(() => this.#settle(index, box, aborting.signal)) });
  }

  #settle(index, box, signal) {
    if (this.measured && !signal.aborted) box.style.height = '';
  }

  #leave(index, empty = true) {
    clearTimeout(this.coming.get(index));
    this.coming.delete(index);
    const there = this.filled.get(index);
    if (!there) return;
    const box = this.boxes[index];
    if (this.measured) box.style.height = `${box.offsetHeight}px`;
    there.aborting.abort();
    this.filled.delete(index);
    if (empty) box.replaceChildren();
  }
}
