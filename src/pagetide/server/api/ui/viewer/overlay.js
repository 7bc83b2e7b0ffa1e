// What was found on a page, drawn over its picture in the page's own pixels.

import { h, svg } from '../dom.js';
import { boxOf, outline, pointsOf, turnedPoint } from './geometry.js';
import { classOf } from './kinds.js';
import { blocksInOrder } from './page_map.js';
import { nameTags, numberTag } from './tags.js';

const GRADES = 5; // of confidence, each drawn as one path: a page has thousands of words

export class Overlay {
  /** @param map The page's parts. @param view How it is looked at. */
  constructor(map, view) {
    this.map = map;
    this.view = view;
    this.drawn = {};
    const { width, height } = map.page;
    this.marks = svg('g', { class: 'marks' });
    this.drawing = svg('svg', {
      class: 'overlay',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    });
    this.drawing.append(this.marks);
    this.tags = h('div', { class: 'tags', 'aria-hidden': 'true' });
    this.refresh();
  }

  /** Draws the layers that are shown, and takes away those that are not. */
  refresh() {
    this.#layer('blocks', () => this.#blocks());
    this.#layer('cells', () => this.#graded('cells'));
    this.#layer('lines', () => this.#graded('lines'));
    this.#layer('words', () => this.#graded('words'));
    this.#layer('order', () => this.#order());
    this.#doubts();
    this.#tags();
  }

  /** Places the letters anew, once the page has another size. */
  resize() {
    this.#tags();
  }

  /** Draws marks of a kind anew: `pointed`, `chosen`, `hit`, `hit-now`. */
  mark(name, polygons) {
    this.marks.querySelectorAll(`.${name}`).forEach((old) => old.remove());
    if (polygons.length) this.marks.append(svg('path', { class: `mark ${name}`, d: polygons.map(outline).join('') }));
  }

  #layer(name, draw) {
    const shown = this.view.layers.has(name);
    if (shown && !this.drawn[name]) {
      this.drawn[name] = svg('g', { class: `layer ${name}` }, draw());
      this.drawing.insertBefore(this.drawn[name], this.marks);
    } else if (!shown && this.drawn[name]) {
      this.drawn[name].remove();
      delete this.drawn[name];
    }
  }

  #blocks() {
    return this.map.page.blocks.map((block, i) =>
      svg('polygon', {
        class: `block ${classOf(block.kind)}`,
        points: pointsOf(this.map.get(`b${i}`).polygon),
        'stroke-opacity': faint(block.confidence),
      }),
    );
  }

  #graded(layer) {
    const paths = Array.from({ length: GRADES }, () => []);
    for (const { polygon, confidence } of this.map.layer(layer)) {
      paths[Math.min(GRADES - 1, Math.floor((confidence ?? 1) * GRADES))].push(outline(polygon));
    }
    return paths.map((parts, grade) =>
      parts.length > 0 &&
      svg('path', { d: parts.join(''), 'stroke-opacity': faint((grade + 1) / GRADES) }),
    );
  }

  #order() {
    const points = blocksInOrder(this.map.page).map(({ index }) => middle(this.map.get(`b${index}`).box));
    return [
      svg('polyline', { class: 'way-under', points: pointsOf(points) }),
      svg('polyline', { class: 'way', points: pointsOf(points) }),
    ];
  }

  #doubts() {
    this.drawn.doubts?.remove();
    delete this.drawn.doubts;
    if (!this.view.layers.has('doubts')) return;
    const words = doubtful(this.map, this.view.threshold);
    if (!words.length) return;
    const d = words.map(({ polygon }) => outline(polygon)).join('');
    this.drawn.doubts = svg('g', { class: 'layer doubts' }, svg('path', { d }));
    this.drawing.insertBefore(this.drawn.doubts, this.marks);
  }

  /** Names of blocks and their numbers: as letters, which neither turn nor grow with the page. */
  #tags() {
    const { layers } = this.view;
    const { width, height } = this.map.page;
    const wide = this.view.turnFor(this.map.page.orientation) % 180 ? height : width;
    const across = wide * this.view.scaleFor(wide);
    const seen = this.map.page.blocks.map((block, i) => ({ block, box: this.#seen(this.map.get(`b${i}`).box) }));
    const lines = () => this.map.layer('lines').map(({ box }) => this.#seen(box));
    const names = layers.has('blocks') ? nameTags(seen, across, lines()) : [];
    const numbers = layers.has('order') ? seen.map(({ block, box }) => numberTag(block, box)) : [];
    this.tags.replaceChildren(...names, ...numbers);
  }

  /** A box of the page, in pixels of the window from the corner of the page as it is seen. */
  #seen(box) {
    const { page } = this.map;
    const turn = this.view.turnFor(page.orientation);
    const [width, height] = turn % 180 ? [page.height, page.width] : [page.width, page.height];
    const scale = this.view.scaleFor(width);
    const corners = [[box.left, box.top], [box.right, box.bottom]].map(([x, y]) => {
      const [fx, fy] = turnedPoint(x / page.width, y / page.height, turn);
      return [fx * width * scale, fy * height * scale];
    });
    return boxOf(corners);
  }
}

/** The words of a page that are less certain than a threshold, as they are read. */
export function doubtful(map, threshold) {
  return map.page.lines.flatMap(({ words }, i) =>
    words.flatMap(({ confidence }, k) => (confidence !== null && confidence < threshold ? [map.get(`w${i}-${k}`)] : [])),
  );
}

function faint(confidence) {
  return (0.35 + 0.65 * (confidence ?? 1)).toFixed(2);
}

function middle(box) {
  return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
}
