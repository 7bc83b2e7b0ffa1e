// A table as a real one, and as what a spreadsheet takes from the clipboard.

import { h } from '../dom.js';

/** @param at What a cell stands for, by its index. @param content What a cell holds. */
export function tableOf(table, { at, content }) {
  const rows = Array.from({ length: table.rows }, () => h('tr'));
  const cells = table.cells.map((cell, index) => ({ cell, index }));
  cells.sort((a, b) => a.cell.row - b.cell.row || a.cell.column - b.cell.column);
  for (const { cell, index } of cells) {
    const element = h(
      cell.header ? 'th' : 'td',
      {
        rowspan: cell.row_span > 1 ? String(cell.row_span) : null,
        colspan: cell.column_span > 1 ? String(cell.column_span) : null,
        dir: 'auto',
        class: isNumber(cell.text) ? 'numeric' : '',
        dataset: { at: at(index) },
      },
      content(cell, index),
    );
    rows[cell.row]?.append(element);
  }
  return h('table', { class: 'grid', dir: directionOf(table) }, h('tbody', {}, rows));
}

/** `rtl` where a row's cells stand on the page from right to left, seen as its text is read. */
function directionOf({ cells }) {
  const at = new Map(cells.map((cell) => [`${cell.row}:${cell.column}`, cell]));
  let along = 0;
  for (const cell of cells) {
    const next = at.get(`${cell.row}:${cell.column + cell.column_span}`);
    if (!next?.polygon || !cell.polygon) continue;
    const [[ax, ay], [bx, by]] = cell.polygon;
    const [[nx, ny]] = next.polygon;
    along += Math.sign((nx - ax) * (bx - ax) + (ny - ay) * (by - ay));
  }
  return along < 0 ? 'rtl' : 'ltr';
}

/** A table with tabs between columns and line feeds between rows. */
export function tsvOf(table) {
  const rows = Array.from({ length: table.rows }, () => Array(table.columns).fill(''));
  for (const cell of table.cells) {
    if (rows[cell.row]) rows[cell.row][cell.column] = cell.text.replace(/[\t\n\r]+/g, ' ');
  }
  return rows.map((row) => row.join('\t')).join('\n');
}

/** Puts a table on the clipboard, as text and as a table. */
export async function copyTable(table) {
  const plain = tableOf(table, { at: () => '', content: (cell) => cell.text });
  for (const element of [plain, ...plain.querySelectorAll('*')]) {
    element.removeAttribute('class');
    element.removeAttribute('dir');
    element.removeAttribute('data-at');
  }
  const item = new ClipboardItem({
    'text/plain': new Blob([tsvOf(table)], { type: 'text/plain' }),
    'text/html': new Blob([plain.outerHTML], { type: 'text/html' }),
  });
  await navigator.clipboard.write([item]);
}

/** Whether a cell holds a number, which stands with its digits below those of others. */
export function isNumber(text) {
  return /^[\s(+−–-]*[\p{Sc}]?\s*[\d.,'\s]+\s*[%\p{Sc})]?\s*$/u.test(text) && /\d/.test(text);
}
