// Finding words in the whole document, whatever their case and accents.

import { folded, origins, places } from './folding.js';

const MOST = 2000;
const AROUND = 40; // letters quoted on either side

export class Search extends EventTarget {
  needle = '';
  hits = []; // `{page, id, start, length, before, after}` as they are read
  index = -1;
  looked = new Set(); // numbers of the pages that were looked at

  constructor({ survey, watch }) {
    super();
    this.survey = survey;
    this.watch = watch;
    survey.addEventListener('progress', ({ detail }) => this.#grew(detail));
  }

  /** Looks for a text in the pages gone over so far, and in the others as they come. */
  find(text) {
    this.needle = folded(text).trim().replace(/ +/g, ' ');
    this.hits = [];
    this.index = -1;
    this.looked.clear();
    if (this.needle) {
      this.survey.begin();
      for (const number of this.watch.numbers) this.#look(number);
    }
    this.#tell('hits');
  }

  get current() {
    return this.hits[this.index] ?? null;
  }

  /** Goes to the next hit, or the one before, and round the end. */
  step(direction) {
    if (!this.hits.length) return;
    this.go((this.index + direction + this.hits.length) % this.hits.length);
  }

  go(index) {
    this.index = index;
    this.#tell('current');
  }

  /** The hits on a page. */
  on(number) {
    return this.hits.filter(({ page }) => page === number);
  }

  #grew(numbers) {
    if (!this.needle) return;
    const { current } = this;
    const before = this.hits.length;
    for (const number of numbers) this.#look(number);
    const found = this.hits.length > before;
    if (found) {
      const place = new Map(this.watch.numbers.map((n, i) => [n, i]));
      this.hits.sort((a, b) => place.get(a.page) - place.get(b.page) || a.at - b.at);
      this.index = current ? this.hits.indexOf(current) : -1;
    }
    if (found || this.survey.complete) this.#tell('hits'); // else the list stays as it is
  }

  #look(number) {
    const note = this.survey.notes.get(number);
    if (!note || this.looked.has(number)) return;
    this.looked.add(number);
    const found = places(note.text, this.needle, MOST - this.hits.length);
    for (const at of found) this.hits.push(hitAt(note, number, at, this.needle.length));
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}

function hitAt({ units }, page, at, length) {
  const unit = units.findLast(({ start }) => start <= at);
  const start = at - unit.start;
  return { page, id: unit.id, at, start, length, ...quoted(unit, start, start + length) };
}

/** Worked out once for a line, however often something is found in it. */
function originsOf(unit) {
  return (unit.origins ??= origins(unit.text));
}

/** A hit in its line, as it is written. */
function quoted(unit, start, end) {
  const { text } = unit;
  const from = originsOf(unit);
  const first = from[start] ?? text.length;
  const last = from[end] ?? text.length;
  const left = Math.max(0, first - AROUND);
  const right = Math.min(text.length, last + AROUND);
  return {
    before: `${left > 0 ? '…' : ''}${text.slice(left, first)}`,
    found: text.slice(first, last),
    after: `${text.slice(last, right)}${right < text.length ? '…' : ''}`,
  };
}

/** The parts of a page that a hit covers: its words, over as many lines as it runs. */
export function coveredBy(map, units, hit) {
  const covered = [];
  let { start, length } = hit;
  for (let i = units.findIndex(({ id }) => id === hit.id); i >= 0 && i < units.length && length > 0; i++) {
    const long = originsOf(units[i]).length;
    covered.push(...wordsIn(map, units[i], start, start + length));
    length -= long - start + 1; // and the space after it
    start = 0;
  }
  return covered;
}

function wordsIn(map, unit, start, end) {
  const part = map.get(unit.id);
  const words = part.id[0] === 'l' ? map.page.lines[Number(part.id.slice(1))].words : [];
  if (!words.length) return [part];
  const from = originsOf(unit);
  const first = from[start] ?? part.text.length;
  const last = from[Math.min(end, from.length) - 1] ?? part.text.length;
  const covered = [];
  let at = 0;
  words.forEach((word, k) => {
    at = Math.max(at, part.text.indexOf(word.text, at));
    if (at <= last && at + word.text.length > first) covered.push(map.get(`w${part.id.slice(1)}-${k}`));
    at += word.text.length;
  });
  return covered;
}
