// A page's blocks as a person reads them. Every word knows where it stands on the page.

import { h } from '../dom.js';
import { MARGINS, labelOf } from './kinds.js';
import { mathOf } from './math.js';
import { blocksInOrder, linesOf, looseLines } from './page_map.js';
import { tableOf } from './table_view.js';

const ITEM = /^\s*([-•*–—·▪◦‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s/;
const CLOSE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff]$/; // written without spaces

/** @param figure Gives an element that shows what a block looks like, by its order. */
export function pageView(page, figure) {
  const at = (id) => `${page.number}:${id}`;
  const own = { page, at, figure };
  const blocks = blocksInOrder(page).map(({ block, index }) => blockView(block, index, own));
  const loose = looseLines(page);
  if (loose.length) blocks.push(h('p', { class: 'loose', dir: 'auto' }, flow(loose, own)));
  return blocks;
}

function blockView(block, index, own) {
  const element = VIEWS[block.kind]?.(block, own, index) ?? h('p', {}, told(block, own));
  element.dataset.at = own.at(`b${index}`);
  if (block.kind !== 'table') element.dir = 'auto'; // its columns stand as on the page
  if (MARGINS.has(block.kind)) element.classList.add('margin');
  for (const notice of block.warnings) element.append(h('small', { class: 'notice-here', text: notice.message }));
  return element;
}

const picture = (block, own) =>
  h('figure', {}, own.figure(block), block.text ? h('details', {}, h('summary', { text: 'Text in it' }), told(block, own)) : null);

const VIEWS = {
  title: (block, own) => h('h3', { class: 'reading-title' }, told(block, own)),
  heading: (block, own) => h(`h${Math.min(6, Math.max(3, (block.level ?? 2) + 1))}`, {}, told(block, own)),
  list: (block, own) => h('ul', { class: 'items' }, items(block, own)),
  table: (block, own, index) => h('div', { class: 'wide-table', tabindex: '0', role: 'group', ariaLabel: 'Table' }, grid(block, own, index)),
  formula: (block, own) => h('p', { class: 'formula' }, block.text ? mathOf(block.text) : own.figure(block)),
  code: (block) => h('pre', {}, h('code', { text: block.text })),
  toc: (block, own) => h('p', { class: 'lines' }, lines(block, own)),
  caption: (block, own) => h('p', { class: 'caption' }, told(block, own)),
  footnote: (block, own) => h('p', { class: 'footnote' }, told(block, own)),
  aside: (block, own) => h('aside', { ariaLabel: labelOf('aside') }, told(block, own)),
  figure: picture,
  chart: picture,
  seal: picture,
};

/** What a block says: its lines' words, or its text where it has no lines. */
function told(block, own) {
  const indexes = linesOf(own.page, block);
  if (indexes.length) return flow(indexes, own);
  if (block.continues !== null && !block.text) return [h('small', { class: 'hint', text: 'Its text is in an earlier block.' })];
  return [block.text];
}

function flow(indexes, own) {
  return indexes.flatMap((index, i) => {
    const text = own.page.lines[index].text;
    const space = i === indexes.length - 1 || /\p{L}-$/u.test(text) || CLOSE.test(text) ? '' : ' ';
    return [lineView(index, own), space];
  });
}

function lines(block, own) {
  const indexes = linesOf(own.page, block);
  return indexes.length ? indexes.map((i) => [lineView(i, own), h('br')]) : [block.text];
}

function items(block, own) {
  const indexes = linesOf(own.page, block);
  if (!indexes.length) return block.text.split('\n').map((text) => h('li', { text, dir: 'auto' }));
  const groups = [];
  for (const index of indexes) {
    if (!groups.length || ITEM.test(`${own.page.lines[index].text} `)) groups.push([]);
    groups.at(-1).push(index);
  }
  return groups.map((group) => h('li', { dir: 'auto' }, flow(group, own)));
}

function grid(block, own, index) {
  if (!block.table) return h('p', { class: 'lines' }, lines(block, own));
  return tableOf(block.table, {
    at: (k) => own.at(`c${index}-${k}`),
    content: (cell) => (holdsWhole(cell, own.page) ? flow(linesOf(own.page, cell), own) : [cell.text]),
  });
}

/** Whether a cell's lines are its alone: one that runs through several cells is in each of them. */
function holdsWhole(cell, page) {
  const indexes = linesOf(page, cell);
  const bare = (some) => some.replace(/\s/g, '');
  return indexes.length > 0 && bare(indexes.map((i) => page.lines[i].text).join('')) === bare(cell.text);
}

export function lineView(index, own) {
  const line = own.page.lines[index];
  return h('span', { class: 'line', dataset: { at: own.at(`l${index}`) } }, wordViews(line, index, own));
}

/** A line's words with what stands between them, as it is written. */
function wordViews(line, index, own) {
  const parts = [];
  let at = 0;
  for (const [k, word] of line.words.entries()) {
    const start = line.text.indexOf(word.text, at);
    if (start < 0) return [line.text];
    if (start > at) parts.push(line.text.slice(at, start));
    const confidence = word.confidence === null ? {} : { c: String(Math.round(100 * word.confidence)) };
    parts.push(h('span', { class: 'word', text: word.text, dataset: { at: own.at(`w${index}-${k}`), ...confidence } }));
    at = start + word.text.length;
  }
  parts.push(line.text.slice(at));
  return parts;
}
