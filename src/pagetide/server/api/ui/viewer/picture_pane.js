// The column of pages. Only those near the eye are there.

import { announce, h, replace } from '../dom.js';
import { turnedPoint } from './geometry.js';
import { readyHands } from './hands.js';
import { layerOf } from './page_map.js';
import { Sheet } from './sheet.js';
import { Stack } from './stack.js';
import { MOST } from './view_state.js';

const EDGE = 24; // pixels left free beside and above a page; as in viewer.css

export class PicturePane extends EventTarget {
  /** @param room `watch`, `pages`, `view`, `selection`, and `hits(name, number, map)`: what was found. */
  constructor(room) {
    super();
    this.room = room;
    this.sheets = [];
    this.column = h('div', { class: 'column' });
    this.element = h('div', { class: 'pictures', tabindex: '-1', role: 'region', ariaLabel: 'Pages' }, this.column);
    this.current = 0;
    this.hands = readyHands(this);
    this.fitter = new ResizeObserver(() => this.#refit());
    this.fitter.observe(this.element);
    this.#listen();
  }

  /** Lays out the pages of a job. */
  lay(numbers) {
    if (this.sheets.length === numbers.length) return;
    const room = { ...this.room, marks: (...asked) => this.#marks(...asked) };
    this.sheets = numbers.map((number) => new Sheet(number, room));
    this.indexes = new Map(numbers.map((number, i) => [number, i]));
    replace(this.column, this.sheets.map((sheet) => sheet.box));
    this.stack?.close();
    const boxes = this.sheets.map((sheet) => sheet.box);
    const fill = (i, _, signal) => this.sheets[i].fill(signal);
    this.stack = new Stack(this.element, boxes, fill, { measured: false });
    this.#refit();
    this.dispatchEvent(new Event('page'));
  }

  /** Shows again the pages of which more is known now. */
  refresh(numbers) {
    for (const number of numbers) this.stack?.refresh(this.indexes.get(number));
  }

  /** Resolves when all of the page that is looked at is there. */
  async ready() {
    await this.stack?.ready(this.current);
  }

  /** The number of the page in the middle of the pane. */
  get number() {
    return this.sheets[this.current]?.number ?? null;
  }

  /** The page of what is chosen; else the one that is looked at. */
  get chosenOrShown() {
    return this.room.selection.chosen?.page ?? this.number;
  }

  /** Goes to a page, or to a part of it, unless it is in sight. */
  async show(number, id = null) {
    const sheet = this.sheet(number);
    if (!sheet) return;
    if (id === null) return this.#scrollTo(sheet.box.offsetTop - EDGE / 2);
    const map = await this.room.pages.map(number);
    const part = map.get(id);
    if (part) this.#center(sheet, part.box, map.page);
  }

  sheet(number) {
    return this.sheets[this.indexes?.get(number)];
  }

  /** The sheet, and the part on it, at a point of the window. */
  at(clientX, clientY) {
    const box = document.elementFromPoint(clientX, clientY)?.closest('.sheet');
    const sheet = box && this.sheet(Number(box.dataset.page));
    const point = sheet?.toPage(clientX, clientY);
    if (!point) return null;
    const part = sheet.map.at(point.x, point.y, this.room.view.layers);
    return part && { page: sheet.number, id: part.id };
  }

  /** Chooses the next or previous part of a page, of a layer. */
  step(number, layer, direction) {
    const map = this.sheet(number)?.map;
    if (!map) return;
    const { chosen } = this.room.selection;
    const ids = map.inOrder(layer);
    const here = chosen?.page === number ? map.chain(chosen.id).find(({ id }) => layerOf(id) === layer) : null;
    const at = here ? ids.indexOf(here.id) : this.#before(map, ids, chosen, number, direction);
    const id = ids[at + direction];
    if (id === undefined) return;
    this.room.selection.choose({ page: number, id }, 'keys');
    announce(map.get(id).text.slice(0, 200) || 'No text');
  }

  fit(kind) {
    this.room.view.fitTo(kind, this.#fitting(kind), this.#across);
  }

  close() {
    this.fitter.disconnect();
    this.stack?.close();
    this.hands.close();
  }

  #listen() {
    const { view, pages, selection } = this.room;
    view.addEventListener('zoom', ({ detail }) => this.#zoomed(detail.about));
    view.addEventListener('turn', () => this.#turned());
    for (const name of ['layers', 'threshold']) {
      view.addEventListener(name, () => this.sheets.forEach((sheet) => sheet.refresh()));
    }
    pages.addEventListener('size', () => this.#sized());
    selection.addEventListener('point', () => this.remark(['pointed']));
    selection.addEventListener('choose', () => this.remark(['chosen']));
    selection.addEventListener('choose', ({ detail }) => {
      if (detail.target && detail.from !== 'picture') this.show(detail.target.page, detail.target.id);
    });
    this.element.addEventListener('scroll', () => this.#scrolled(), { passive: true });
  }

  /** Draws these marks anew, or all. */
  remark(names) {
    for (const sheet of this.sheets) sheet.remark(names);
  }

  #marks(name, number, map) {
    const { selection } = this.room;
    if (!(name in selection)) return this.room.hits(name, number, map);
    const part = selection[name]?.page === number ? map.get(selection[name].id) : null;
    return part ? [part.polygon] : [];
  }

  /** Sizes come one by one; they are laid out together, before the next frame. */
  #sized() {
    if (this.sizing) return;
    this.sizing = requestAnimationFrame(() => {
      this.sizing = null;
      if (this.room.view.fit) this.#refit();
      this.#resize();
    });
  }

  #refit() {
    const { view } = this.room;
    if (!view.fit || !this.element.clientWidth) return;
    const scale = this.#fitting(view.fit);
    const same = Math.abs(scale - view.scale) <= 1e-6 && view.across === this.#across;
    if (!same) view.fitTo(view.fit, scale, this.#across);
  }

  /** The width that a page may take. */
  get #across() {
    return this.element.clientWidth - 2 * EDGE;
  }

  #fitting(kind) {
    const number = this.number ?? this.room.watch.numbers[0];
    const size = this.room.pages.size(number);
    const turn = this.room.view.turnFor(this.room.pages.orientation(number));
    const [width, height] = turn % 180 ? [size.height, size.width] : [size.width, size.height];
    const across = this.#across / width;
    const fits = kind === 'width' ? across : Math.min(across, (this.element.clientHeight - 2 * EDGE) / height);
    return Math.min(MOST, fits);
  }

  #zoomed(about) {
    this.#resize(about);
  }

  /** All pages take on their sizes; who is at the top stays there. */
  #resize(about) {
    const top = !about && this.element.scrollTop === 0;
    this.#keeping(about ?? this.#middle(), () => this.sheets.forEach((sheet) => sheet.resize()));
    if (top) this.element.scrollTop = 0;
  }

  #turned() {
    const { number } = this;
    this.#refit();
    this.sheets.forEach((sheet) => (sheet.resize(), sheet.refresh()));
    if (number !== null) this.show(number);
  }

  #middle() {
    const box = this.element.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 3 };
  }

  /** Does something that changes sizes, and keeps what is at a point of the window there. */
  #keeping({ x, y }, change) {
    const sheet = this.#sheetAt(y);
    if (!sheet) return change();
    const before = sheet.box.getBoundingClientRect();
    const [fx, fy] = [(x - before.left) / before.width, (y - before.top) / before.height];
    change();
    const after = sheet.box.getBoundingClientRect();
    this.element.scrollLeft += after.left + fx * after.width - x;
    this.element.scrollTop += after.top + fy * after.height - y;
  }

  #sheetAt(clientY) {
    const y = clientY - this.element.getBoundingClientRect().top + this.element.scrollTop;
    let [low, high] = [0, this.sheets.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.sheets[middle].box.offsetTop <= y) low = middle;
      else high = middle - 1;
    }
    return this.sheets[low];
  }

  #scrolled() {
    const sheet = this.#sheetAt(this.#middle().y);
    const index = sheet ? this.indexes.get(sheet.number) : 0;
    if (index === this.current) return;
    this.current = index;
    this.#refit();
    this.dispatchEvent(new Event('page'));
  }

  #center(sheet, box, page) {
    const [fx, fy] = turnedMiddle(box, page, sheet.turn);
    const x = sheet.box.offsetLeft + fx * sheet.box.offsetWidth;
    const y = sheet.box.offsetTop + fy * sheet.box.offsetHeight;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    const near = Math.min(80, (box.bottom - box.top) * sheet.scale);
    const inSight = y > scrollTop + near && y < scrollTop + clientHeight - near && x > scrollLeft && x < scrollLeft + clientWidth;
    if (!inSight) this.#scrollTo(y - clientHeight / 2, x - clientWidth / 2);
  }

  #scrollTo(top, left = this.element.scrollLeft) {
    this.element.scrollTo({ top, left, behavior: 'instant' });
    this.#scrolled();
  }

  /** Where to step from when no part of the layer is chosen: just before the first one in what is. */
  #before(map, ids, chosen, number, direction) {
    const end = direction > 0 ? -1 : ids.length;
    if (chosen?.page !== number) return end;
    const first = ids.findIndex((id) => map.chain(id).some((part) => part.id === chosen.id));
    return first < 0 ? end : direction > 0 ? first - 1 : first;
  }
}

function turnedMiddle(box, page, turn) {
  const x = (box.left + box.right) / 2 / page.width;
  return turnedPoint(x, (box.top + box.bottom) / 2 / page.height, turn);
}
