// A page's parts by name: `b2` a block, `l7` a line, `w7-3` a word of it, `c2-5` a cell of block 2.

import { areaOf, boxOf, holds, within } from './geometry.js';

const LAYERS = ['words', 'cells', 'lines', 'blocks']; // what lies on top is met first
const LAYER_OF = { b: 'blocks', l: 'lines', w: 'words', c: 'cells' };

const CELLS = new Set(['cells']);

export function layerOf(id) {
  return LAYER_OF[id[0]];
}

/** Parts are made when they are asked for: of a page that is passed by, hardly one is. */
export class PageMap {
  /** @param page As the API gives it. */
  constructor(page) {
    this.page = page;
    this.parts = new Map();
    this.layers = new Map();
    this.blockOfLine = new Map(page.blocks.flatMap((block, i) => linesOf(page, block).map((line) => [line, `b${i}`])));
  }

  get(id) {
    if (!this.parts.has(id)) this.parts.set(id, this.#part(id));
    return this.parts.get(id);
  }

  /** All parts of a layer. */
  layer(name) {
    if (!this.layers.has(name)) this.layers.set(name, IDS[name](this.page).map((id) => this.get(id)));
    return this.layers.get(name);
  }

  /** The part, and all it is a part of, the smallest first. */
  chain(id) {
    const chain = [];
    for (let part = this.get(id); part; part = part.parent && this.get(part.parent)) chain.push(part);
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
      const met = this.layer(layer).filter(
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

  #part(id) {
    const [first, second] = id.slice(1).split('-').map(Number);
    const { lines, blocks } = this.page;
    if (id[0] === 'b') return this.#made(id, blocks[first], null);
    if (id[0] === 'l') return this.#made(id, lines[first], this.blockOfLine.get(first) ?? null);
    if (id[0] === 'w') return this.#made(id, lines[first]?.words[second], `l${first}`);
    return this.#made(id, blocks[first]?.table?.cells[second], `b${first}`);
  }

  #made(id, found, parent) {
    if (!found?.polygon) return null;
    const polygon = within(found.polygon, this.page);
    return { id, polygon, box: boxOf(polygon), confidence: found.confidence, text: found.text, parent };
  }
}

const IDS = {
  blocks: ({ blocks }) => blocks.map((_, i) => `b${i}`),
  lines: ({ lines }) => lines.map((_, i) => `l${i}`),
  words: ({ lines }) => lines.flatMap(({ words }, i) => words.map((_, k) => `w${i}-${k}`)),
  cells: ({ blocks }) => blocks.flatMap(({ table }, i) => cellIds(table, i)),
};

/** The names of a table's cells, but for those of which nobody knows where they are. */
function cellIds(table, block) {
  return (table?.cells ?? []).flatMap(({ polygon }, k) => (polygon ? [`c${block}-${k}`] : []));
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
