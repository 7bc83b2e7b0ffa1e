// Goes over all pages once, in the background, and keeps of each only what lists need. The event
// `progress` tells the numbers of those that are new.

import { folded } from './folding.js';
import { blocksInOrder, linesOf, looseLines } from './page_map.js';

const AT_ONCE = 2;
const TOGETHER_MS = 200; // pages are told of together: lists are made anew each time
const FIGURES = new Set(['figure', 'chart', 'seal']);
const SURE = 0.95; // no threshold of doubt goes higher than what is kept

export class Survey extends EventTarget {
  notes = new Map(); // number to what is kept of the page

  constructor({ watch, pages }) {
    super();
    this.watch = watch;
    this.pages = pages;
    this.running = 0;
    this.begun = false;
    this.news = [];
    this.telling = null;
    this.stopping = new AbortController();
    watch.addEventListener('pages', () => this.#more());
  }

  /** Begins; what is read later is gone over as it comes. */
  begin() {
    this.begun = true;
    this.#more();
  }

  get total() {
    return this.watch.numbers.length;
  }

  /** Whether every page that can be had was gone over. */
  get complete() {
    return [...this.watch.done].every((number) => this.notes.has(number));
  }

  close() {
    this.stopping.abort();
    clearTimeout(this.telling);
  }

  #more() {
    if (!this.begun) return;
    this.coming ??= new Set();
    for (const number of this.watch.numbers) {
      if (this.running >= AT_ONCE) return;
      if (!this.watch.done.has(number) || this.notes.has(number) || this.coming.has(number)) continue;
      this.#look(number);
    }
  }

  async #look(number) {
    this.running += 1;
    this.coming.add(number);
    const { signal } = this.stopping;
    try {
      const page = await this.pages.page(number, { signal });
      this.#note(number, notesOf(page));
    } catch (error) {
      if (signal.aborted) return;
      this.#note(number, { ...EMPTY, error: { message: error.message } });
    } finally {
      this.running -= 1;
      this.coming.delete(number);
    }
    setTimeout(() => this.#more()); // between two pages the window may draw
  }

  #note(number, note) {
    this.notes.set(number, note);
    this.news.push(number);
    if (this.complete) this.#tell();
    else this.telling ??= setTimeout(() => this.#tell(), TOGETHER_MS);
  }

  #tell() {
    clearTimeout(this.telling);
    this.telling = null;
    this.dispatchEvent(new CustomEvent('progress', { detail: this.news.splice(0) }));
  }
}

const EMPTY = { units: [], text: '', tables: [], figures: [], orders: new Map(), doubts: [], warnings: [], error: null };

/** What lists need of a page: its text folded, with where each unit begins, its tables and
 *  figures, its blocks by their order, its uncertain words, what it warns of. */
function notesOf(page) {
  const units = unitsOf(page);
  let text = '';
  const placed = units.map(({ id, text: own }) => {
    const unit = { id, start: text.length, text: own };
    text += `${folded(own)} `;
    return unit;
  });
  return {
    units: placed,
    text,
    tables: page.blocks.flatMap((block, i) => (block.table ? [{ block: i, order: block.order }] : [])),
    figures: page.blocks.flatMap((block, i) => (FIGURES.has(block.kind) ? [{ block: i }] : [])),
    orders: new Map(page.blocks.map((block, i) => [block.order, i])),
    doubts: doubtsOf(page),
    warnings: warningsOf(page),
    error: page.error,
  };
}

/** The words that are less than sure. */
function doubtsOf(page) {
  return page.lines.flatMap(({ words }, i) =>
    words.flatMap(({ text, confidence }, k) =>
      confidence !== null && confidence < SURE ? [{ id: `w${i}-${k}`, text, confidence }] : [],
    ),
  );
}

/** A page's lines as they are read, and the text of blocks that have none. */
function unitsOf(page) {
  const line = (i) => ({ id: `l${i}`, text: page.lines[i].text });
  const units = blocksInOrder(page).flatMap(({ block, index }) => {
    const lines = linesOf(page, block);
    if (lines.length) return lines.map(line);
    return block.text ? [{ id: `b${index}`, text: block.text }] : [];
  });
  return [...units, ...looseLines(page).map(line)];
}

/** Warnings of a page and of its blocks, with the part that each is about. */
function warningsOf(page) {
  const own = page.warnings.map((notice) => ({ ...notice, id: null }));
  const blocks = page.blocks.flatMap((block, i) => block.warnings.map((notice) => ({ ...notice, id: `b${i}` })));
  const left = page.lines_below_confidence + (page.lines_unread ?? 0);
  if (left) own.push({ code: 'lines_left_out', message: `${left} ${left === 1 ? 'line was' : 'lines were'} too uncertain, or unread, and left out.`, id: null });
  return [...own, ...blocks];
}
