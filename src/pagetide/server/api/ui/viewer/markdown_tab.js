// The Markdown, page by page: as it looks, as it is written, or both.

import { h, replace, say } from '../dom.js';
import { resultOf } from '../formats.js';
import { sentence } from '../problem.js';
import { openColumn } from './column.js';
import { pagesOf } from './markdown_blocks.js';
import { markdownView } from './markdown_view.js';
import { blocksInOrder } from './page_map.js';
import { copyButton, copyResult, saveButton } from './results.js';

const KEPT_AS = 'pagetide.markdown';
const WAYS = [['rendered', 'Rendered'], ['source', 'Source'], ['both', 'Both']];
const ENOUGH = 24; // letters by which a block is known again

export function openMarkdownTab(panel, room) {
  const { watch } = room;
  const column = { follow() {}, show() {}, close() {} };
  let begun = false;

  async function lay() {
    if (begun) return;
    if (!watch.hasResult) {
      const text = watch.ended ? 'This job has no result.' : 'It is created when the whole document is read. Document and Text show the pages as they arrive.';
      return replace(panel, h('p', { class: 'hint empty', text }));
    }
    begun = true;
    replace(panel, h('p', { class: 'hint empty', text: 'Being made…' }));
    try {
      show(await (await resultOf(watch.job.id, 'md', { signal: room.signal })).text());
    } catch (error) {
      begun = false;
      if (sentence(error)) replace(panel, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  function show(markdown) {
    const texts = new Map(pagesOf(markdown).map(({ number, text }) => [number, text]));
    const place = h('div', { class: 'markdown' });
    const problem = h('span', { class: 'bad', role: 'alert' });
    const tell = (said) => say(problem, said);
    replace(panel, h('div', { class: 'pane-tools' }, waysOf(place), copyButton(() => copyResult(room, 'md'), tell), saveButton(room, 'md', 'Download', tell), problem), place);
    Object.assign(column, openColumn(panel, room, 'markdown', (page, figure) => pageOf(page, texts.get(page.number) ?? '', figure), place));
  }

  watch.addEventListener('job', lay);
  lay();
  return {
    follow: (number) => column.follow(number),
    show: () => column.show(),
    close: () => (column.close(), watch.removeEventListener('job', lay)),
  };
}

/** Of the ways to see it, the one that was chosen last. */
function waysOf(place) {
  const buttons = WAYS.map(([way, label]) => h('button', { type: 'button', class: 'small', text: label, on: { click: () => choose(way) } }));
  function choose(way) {
    place.dataset.way = way;
    localStorage.setItem(KEPT_AS, way);
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(WAYS[i][0] === way)));
  }
  const last = localStorage.getItem(KEPT_AS);
  choose(WAYS.some(([way]) => way === last) ? last : 'rendered');
  return h('span', { class: 'ways', role: 'group', ariaLabel: 'How it is shown' }, buttons);
}

function pageOf(page, text, figure) {
  const orders = new Map(page.blocks.map((block) => [block.order, block]));
  const elements = markdownView(text, (order) => {
    const block = orders.get(order);
    const image = block ? figure(block) : h('span');
    if (block) image.dataset.at = `${page.number}:b${page.blocks.indexOf(block)}`;
    return image;
  });
  tie(elements, page);
  return [h('div', { class: 'beside' },
    h('div', { class: 'md-view' }, elements),
    h('pre', { class: 'md-source', tabindex: '0', ariaLabel: `Markdown of page ${page.number}`, text }))];
}

/** Says of each element which block of the page it shows: they come in one order, and begin alike. */
function tie(elements, page) {
  const blocks = blocksInOrder(page).map(({ block, index }) => ({ index, letters: lettersOf(block) }));
  let from = 0;
  for (const element of elements) {
    const letters = bare(element.textContent);
    const at = blocks.findIndex((block, i) => i >= from && alike(block.letters, letters));
    if (at < 0) continue;
    element.dataset.at = `${page.number}:b${blocks[at].index}`;
    from = at + 1;
  }
}

function alike(a, b) {
  const length = Math.min(a.length, b.length, ENOUGH);
  return length > 0 && a.slice(0, length) === b.slice(0, length);
}

function lettersOf(block) {
  const cells = [...(block.table?.cells ?? [])].sort((a, b) => a.row - b.row || a.column - b.column);
  return bare(cells.length ? cells.map(({ text }) => text).join('') : block.text);
}

const bare = (text) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
