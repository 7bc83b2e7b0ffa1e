// One page in the picture pane: its picture, what was found on it, and what is to be said of it.

import { h, replace } from '../dom.js';
import { sentence } from '../problem.js';
import { isLock } from '../stages.js';
import { Overlay, doubtful } from './overlay.js';
import { Picture } from './picture.js';

const MARKS = ['pointed', 'chosen', 'hit', 'hit-now'];

export class Sheet {
  /** @param number The page's. @param room What it lives in: `watch`, `pages`, `view`, `marks`. */
  constructor(number, room) {
    this.number = number;
    this.room = room;
    this.overlay = null;
    this.map = null;
    this.picture = null;
    this.box = h('section', {
      class: 'sheet',
      tabindex: '0',
      role: 'group',
      'aria-roledescription': 'page',
      dataset: { page: String(number) },
      ariaLabel: `Page ${number}`,
    });
    this.resize();
  }

  /** Makes the page's content, until the signal ends it. */
  async fill(signal) {
    this.paper = h('div', { class: 'paper' });
    this.note = h('p', { class: 'sheet-note', hidden: true });
    replace(this.box, this.paper, this.note);
    signal.addEventListener('abort', () => this.#forget(), { once: true });
    this.#lay();
    await Promise.all([this.#picture(signal), this.#content(signal)]);
  }

  /** Takes on the size that the view gives it. */
  resize() {
    const { width, height } = this.room.pages.size(this.number);
    const { scale, turn } = this;
    const [across, down] = turn % 180 ? [height, width] : [width, height];
    this.box.style.width = `${Math.round(across * scale)}px`;
    this.box.style.height = `${Math.round(down * scale)}px`;
    if (this.paper) this.#lay();
    this.overlay?.resize();
    this.picture?.resize(this.#across());
  }

  /** Draws layers and marks anew. */
  refresh() {
    this.overlay?.refresh();
    this.remark();
  }

  /** Draws these marks anew, or all. */
  remark(names = MARKS) {
    if (!this.overlay) return;
    for (const name of names) this.overlay.mark(name, this.room.marks(name, this.number, this.map));
  }

  /** A point of the window in pixels of the page. */
  toPage(clientX, clientY) {
    if (!this.overlay) return null;
    const point = new DOMPoint(clientX, clientY);
    return point.matrixTransform(this.overlay.drawing.getScreenCTM().inverse());
  }

  /** How far it is turned clockwise to be seen. */
  get turn() {
    return this.room.view.turnFor(this.room.pages.orientation(this.number));
  }

  /** CSS pixels for each pixel of the page. */
  get scale() {
    const { width, height } = this.room.pages.size(this.number);
    return this.room.view.scaleFor(this.turn % 180 ? height : width);
  }

  /** The width of the page's own top edge in the window. */
  #across() {
    return this.room.pages.size(this.number).width * this.scale;
  }

  #lay() {
    const { turn } = this;
    const across = parseFloat(this.box.style.width);
    const down = parseFloat(this.box.style.height);
    const [width, height] = turn % 180 ? [down, across] : [across, down];
    const moved = { 0: '', 90: `translate(${across}px,0) `, 180: `translate(${across}px,${down}px) `, 270: `translate(0,${down}px) ` };
    Object.assign(this.paper.style, { width: `${width}px`, height: `${height}px` });
    this.paper.style.transform = turn ? `${moved[turn]}rotate(${turn}deg)` : '';
    this.paper.dataset.turn = String(turn);
  }

  async #picture(signal) {
    try {
      const blob = await this.room.pages.picture(this.number, { signal });
      if (signal.aborted) return;
      const picture = new Picture(blob);
      signal.addEventListener('abort', () => picture.close(), { once: true });
      const size = await picture.open(this.#across());
      if (signal.aborted) return;
      this.room.pages.learn(this.number, size);
      this.picture = picture;
      this.paper.prepend(picture.element);
    } catch (error) {
      if (signal.aborted) return;
      this.#say(pictureless(error), 'bad');
      if (isLock(error)) this.room.pages.addEventListener('unlocked', () => this.#unlocked(signal), { once: true, signal });
    }
  }

  #unlocked(signal) {
    this.note.hidden = true;
    this.#picture(signal);
  }

  async #content(signal) {
    const { watch, pages } = this.room;
    const lack = watch.lack(this.number);
    if (lack) return this.#say(lack.text, lack.tone);
    try {
      this.map = await pages.map(this.number, { signal });
      if (signal.aborted) return;
      this.#draw();
    } catch (error) {
      if (!signal.aborted) this.#say(sentence(error), 'bad');
    }
  }

  #draw() {
    const { page } = this.map;
    if (page.error) this.#say(`This page could not be read. ${page.error.message}`, 'bad');
    this.overlay = new Overlay(this.map, this.room.view);
    this.paper.append(this.overlay.drawing);
    this.paper.after(this.overlay.tags);
    this.box.setAttribute('aria-label', summary(this.map, this.room.view.threshold));
    this.remark();
  }

  #say(text, tone) {
    if (!text) return;
    this.note.hidden = false;
    this.note.className = `sheet-note ${tone}`;
    this.note.textContent = text;
  }

  #forget() {
    this.picture = this.overlay = this.map = this.paper = null;
  }
}

function pictureless(error) {
  return isLock(error) ? 'The picture of this page is locked.' : `The picture of this page cannot be shown. ${sentence(error)}`;
}

function summary(map, threshold) {
  const { page } = map;
  const doubts = doubtful(map, threshold).length;
  const parts = [`${page.blocks.length} blocks`, `${page.lines.length} lines`, `${doubts} uncertain words`];
  return `Page ${page.number}: ${parts.join(', ')}. Arrow keys step through its blocks and words.`;
}
