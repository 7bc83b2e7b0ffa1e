// The last hour of a pool, or of pages, as a drawing with a table that says the same.

import { h, replace, say, svg } from '../dom.js';
import { PAGES_HEIGHT, POOL_HEIGHT, pagesDrawing, poolDrawing } from './drawing.js';
import { clock, counted } from '../words.js';

const NARROWEST = 240;
const ROWS = 60;

/** A card; `update` takes a pool's history with `from`, `begun` and `now`, or pages by minute. */
export function chartCard(name) {
  const pages = name === 'pages';
  const title = pages ? 'Pages per minute' : `Pool ${name}`;
  const id = `chart-${name}`;
  const height = pages ? PAGES_HEIGHT : POOL_HEIGHT;
  const drawing = svg('svg', { height, role: 'img', 'aria-labelledby': `${id}-title ${id}-text` });
  const text = h('p', { class: 'hint', id: `${id}-text` });
  const table = h('div', { class: 'table', tabindex: '0', role: 'group', ariaLabel: `${title} as a table` });
  const details = h('details', {}, h('summary', { text: 'As a table' }), table);
  const element = h('section', { class: 'card chart', 'aria-labelledby': `${id}-title` },
    h('div', { class: 'head' }, h('h2', { id: `${id}-title`, text: title }), pages ? null : legend()),
    text, drawing, details);
  let shown = null;
  let width = NARROWEST;
  details.addEventListener('toggle', () => details.open && tabulate());
  // Drawn as wide as it is shown, so that its letters are as large on a phone.
  new ResizeObserver(([entry]) => {
    width = Math.max(NARROWEST, Math.round(entry.contentRect.width));
    if (shown) draw();
  }).observe(drawing);

  function tabulate() {
    if (shown) replace(table, pages ? pagesTable(shown) : poolTable(shown));
  }

  function update(told) {
    shown = told;
    draw();
    say(text, pages ? pagesText(told) : poolText(told));
    if (details.open) tabulate();
  }

  function draw() {
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    replace(drawing, pages ? pagesDrawing(shown, width) : poolDrawing(shown, width));
  }

  return { element, update };
}

function legend() {
  return h('p', { class: 'legend', ariaHidden: 'true' },
    h('span', { class: 'held', text: 'held tasks' }),
    h('span', { class: 'waiting', text: 'waiting tasks' }),
    h('span', { class: 'workers', text: 'workers' }));
}

function poolText({ at, waiting, leased, workers }) {
  if (!at.length) return 'No data yet.';
  const sizes = at.map((_, i) => waiting[i] + leased[i]);
  const peak = Math.max(...sizes);
  const told = workers.filter((count) => count !== null);
  const now = told.length ? `, ${counted(told.at(-1), 'worker')}` : '';
  const before = peak ? ` At most ${counted(peak, 'task')} at ${clock(at[sizes.indexOf(peak)])}${told.length ? ` and ${counted(Math.max(...told), 'worker')}` : ''}.` : ' There was no work.';
  return `Now ${counted(sizes.at(-1), 'task')}${now}.${before}`;
}

function pagesText({ counts, covers }) {
  const sum = Math.round(counts.reduce((all, count) => all + count, 0));
  return `${counted(sum, 'page')} in the last hour, at most ${Math.max(...counts)} in a minute. ${covers}`.trim();
}

function poolTable({ at, waiting, leased, workers }) {
  const every = Math.max(1, Math.ceil(at.length / ROWS));
  const picked = at.map((_, i) => i).filter((i) => (at.length - 1 - i) % every === 0).reverse();
  return tableOf(['Time', 'Waiting', 'Held', 'Workers'], picked.map((i) => [clock(at[i]), waiting[i], leased[i], workers[i] ?? 'not told']));
}

function pagesTable({ counts, from }) {
  const rows = counts.map((count, i) => [clock(from + 60 * (i + 1)), count]).reverse();
  return tableOf(['Minute to', 'Pages'], rows);
}

function tableOf(names, rows) {
  return h('table', {},
    h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col', text: name })))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((value) => h('td', { text: String(value) }))))));
}
