// A page's Markdown as a person sees it.

import { h } from '../dom.js';
import { blocksOf } from './markdown_blocks.js';
import { inlineOf } from './markdown_inline.js';
import { mathOf } from './math.js';
import { isNumber } from './table_view.js';

const PICTURE = /^(?:figure|chart|seal): page \d+, block (\d+)$/;
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
const CELLS = /<(\/?)(tr|th|td|br)((?:\s[^>]*)?)>|([^<]+)|<[^>]*>/g;

/** @param figure Gives an element that shows a block of the page, by its order.
 *  @returns The page's elements. */
export function markdownView(text, figure) {
  return blocksOf(text).filter(({ kind, text: said }) => kind !== 'comment' || !/^(page \d+)?$/.test(said)).map((block) => {
    const place = block.kind === 'comment' && PICTURE.exec(block.text);
    const element = place ? h('figure', {}, figure(Number(place[1]))) : VIEWS[block.kind](block);
    if (!element.classList.contains('wide-table')) element.dir = 'auto';
    return element;
  });
}

const VIEWS = {
  comment: ({ text }) => h('p', { class: 'comment', text }),
  heading: ({ level, text }) => h(`h${Math.min(6, level + 1)}`, { class: level === 1 ? 'reading-title' : '' }, inlineOf(text)),
  code: ({ text }) => h('pre', {}, h('code', { text })),
  formula: ({ text }) => h('p', { class: 'formula' }, mathOf(text)),
  table: ({ text }) => wide(h('table', { class: 'grid' }, h('tbody', {}, pipeRows(text)))),
  'html-table': ({ text }) => wide(h('table', { class: 'grid' }, h('tbody', {}, htmlRows(text)))),
  quote: ({ text }) => h('blockquote', {}, inlineOf(text)),
  list: ({ items }) => listOf(items),
  paragraph: ({ text }) => h('p', {}, inlineOf(text)),
};

function wide(table) {
  table.dir = isLeftward(table.textContent) ? 'rtl' : 'ltr';
  return h('div', { class: 'wide-table', tabindex: '0', role: 'group', ariaLabel: 'Table' }, table);
}

/** Whether most letters of a text are of scripts that are written from right to left. */
function isLeftward(text) {
  const left = text.match(LEFTWARD)?.length ?? 0;
  return left > 0 && 2 * left > (text.match(/\p{L}/gu)?.length ?? 0);
}

function listOf(items) {
  const [{ number }] = items;
  const item = ({ text, below }) => h('li', { dir: 'auto' }, inlineOf(text), below.length ? listOf(below) : null);
  return h(number === null ? 'ul' : 'ol', { start: number === null ? null : String(number) }, items.map(item));
}

function pipeRows(text) {
  const [head, , ...rows] = text.split('\n').map((line) => line.replace(/^\|\s?|\s?\|$/g, '').split(/(?<!\\)\|/));
  const row = (tag) => (cells) => h('tr', {}, cells.map((cell) => h(tag, { dir: 'auto', class: isNumber(cell.trim()) ? 'numeric' : '' }, inlineOf(cell.trim()))));
  return [...(head.some((cell) => cell.trim()) ? [row('th')(head)] : []), ...rows.map(row('td'))];
}

/** The rows of a table in HTML as this server writes it; what is no part of one is left out. */
function htmlRows(text) {
  const rows = [];
  let cell = null;
  for (const [, closes, tag, attributes, plain] of text.matchAll(CELLS)) {
    if (tag === 'tr' && !closes) rows.push(h('tr'));
    else if ((tag === 'th' || tag === 'td') && !closes) {
      cell = h(tag, { dir: 'auto', rowspan: spanOf(attributes, 'rowspan'), colspan: spanOf(attributes, 'colspan') });
      rows.at(-1)?.append(cell);
    } else if (tag === 'th' || tag === 'td') cell = null;
    else if (tag === 'br') cell?.append(h('br'));
    else if (plain && cell) cell.append(...inlineOf(plain).filter(Boolean));
  }
  return rows;
}

const spanOf = (attributes, name) => new RegExp(`${name}="(\\d{1,4})"`).exec(attributes)?.[1] ?? null;
