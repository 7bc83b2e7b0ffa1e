// A page's blocks as plain text, letter for letter as the text file has them.

import { h } from '../dom.js';
import { lineView } from './block_view.js';
import { blocksInOrder, linesOf, looseLines } from './page_map.js';

export function textView(page) {
  const own = { page, at: (id) => `${page.number}:${id}` };
  const blocks = blocksInOrder(page).filter(({ block }) => block.text);
  return [
    ...blocks.map(({ block, index }) => plain(parts(block, own), { at: own.at(`b${index}`) })),
    ...looseLines(page).map((index) => plain(lineView(index, own), {})),
  ];
}

const plain = (content, dataset) => h('p', { class: 'plain', dir: 'auto', dataset }, content);

/** A block's text, with its lines as elements where they stand in it one after the other. */
function parts({ text, ...block }, own) {
  const found = [];
  let at = 0;
  for (const index of linesOf(own.page, block)) {
    const line = own.page.lines[index].text;
    const start = text.indexOf(line, at);
    if (start < 0) continue;
    found.push(text.slice(at, start), lineView(index, own));
    at = start + line.length;
  }
  return [...found, text.slice(at)];
}
