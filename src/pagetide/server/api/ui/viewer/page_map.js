// A page's parts by name: `b2` a block, `l7` a line, `w7-3` a word of it, `c2-5` a cell of block 2.

import { areaOf, boxOf, holds, within } from './geometry.js';

const LAYERS = ['words', 'cells', 'lines', 'blocks']; // what lies on top is met first
const LAYER_OF = { b: 'blocks', l: 'lines', w: 'words', c: 'cells' };

const CELLS = new Set(['cells']);

export function layerOf(id) {
  return LAYER_OF[id[0]];
}

export class PageMap {
  /** @param page As the API gives it. */
  constructor(page) {
    this.page = page;
    this.parts = new Map();
    this.layers = { blocks: [], lines: [], words: [], cells: [] };
    const blockOfLine = new Map();
    page.blocks.forEach((block, i) => {
      this.#add(`b${i}`, block.polygon, block.confidence, block.text, null);
      for (const line of linesOf(page, block)) blockOfLine.set(line, `b${i}`);
      block.table?.cells.forEach((cell, k) => {
        if (cell.polygon) this.#add(`c${i}-${k}`, cell.polygon, cell.confidence, cell.text, `b${i}`);
      });
    });
    page.lines.forEach((line, i) => {
      this.#add(`l${i}`, line.polygon, line.confidence, line.text, blockOfLine.get(i) ?? null);
      line.words.forEach((word, k) => {
        this.#add(`w${i}-${k}`, word.polygon, word.confidence, word.text, `l${i}`);
      });
    });
  }

  get(id) {
    return this.parts.get(id) ?? null;
  }

  /** The part, and all it is a part of, the smallest first. */
  chain(id) {
    const chain = [];
    for (let part = this.get(id); part; part = this.get(part.parent)) chain.push(part);
    return chain;
  }

  /** The table cell that a word or line lies in. */
  cellAround(id) {
    const part = this.get(id);
    if (!part || 'bc'.includes(id[0])) return null;
    const { left, top, right, bottom } = part.box;
    return this.at((left + right) / 2, (top + bottom) / 2, CELLS);
  }

  /** What stands at a point, of the layers that are shown. */
  at(x, y, shown) {
    for (const layer of LAYERS) {
      if (!shown.has(layer)) continue;
      const met = this.layers[layer].filter(
        ({ box, polygon }) =>
          x >= box.left && x <= box.right && y >= box.top && y <= box.bottom && holds(polygon, x, y),
      );
      if (met.length) return met.sort((a, b) => areaOf(a.box) - areaOf(b.box))[0];
    }
    return null;
  }

  /** Blocks, or words, as they are read. */
  inOrder(layer) {
    if (layer === 'blocks') {
      const blocks = this.page.blocks.map((block, i) => [block.order, `b${i}`]);
      return blocks.sort((a, b) => a[0] - b[0]).map(([, id]) => id);
    }
    return linesInOrder(this.page).flatMap((line) =>
      this.page.lines[line].words.map((_, k) => `w${line}-${k}`),
    );
  }

  #add(id, polygon, confidence, text, parent) {
    const kept = within(polygon, this.page);
    const part = { id, polygon: kept, box: boxOf(kept), confidence, text, parent };
    this.parts.set(id, part);
    this.layers[layerOf(id)].push(part);
  }
}

/** The indexes of the lines of a block or cell: of those that there are. */
export function linesOf(page, { line_indexes: indexes }) {
  return indexes.filter((index) => index in page.lines);
}

/** A page's blocks as they are read. */
export function blocksInOrder(page) {
  return page.blocks.map((block, index) => ({ block, index })).sort((a, b) => a.block.order - b.block.order);
}

/** The indexes of a page's lines as they are read; those of no block come last. */
export function linesInOrder(page) {
  const owned = blocksInOrder(page).flatMap(({ block }) => linesOf(page, block));
  return [...owned, ...looseLines(page)];
}

/** The indexes of the lines that belong to no block. */
export function looseLines(page) {
  const owned = new Set(page.blocks.flatMap((block) => block.line_indexes));
  return page.lines.map((_, i) => i).filter((i) => !owned.has(i));
}
