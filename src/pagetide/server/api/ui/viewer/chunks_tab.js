// The parts in which the document is searched and cited, with the blocks that each is made of.

import { h, replace, say } from '../dom.js';
import { resultOf } from '../formats.js';
import { sentence } from '../problem.js';
import { counted } from '../words.js';
import { come } from './column.js';
import { couple, nearest } from './coupling.js';
import { labelOf } from './kinds.js';
import { longList } from './lists.js';
import { markdownView } from './markdown_view.js';
import { copyButton, copyResult, saveButton } from './results.js';

export function openChunksTab(panel, room) {
  const { watch, survey, pages } = room;
  let begun = false;

  async function lay() {
    if (begun) return;
    if (!watch.hasResult) {
      const text = watch.ended ? 'This job has no result.' : 'They are available when the whole document is read.';
      return replace(panel, h('p', { class: 'hint empty', text }));
    }
    begun = true;
    replace(panel, h('p', { class: 'hint empty', text: 'Being made…' }));
    try {
      const lines = await (await resultOf(watch.job.id, 'chunks', { signal: room.signal })).text();
      show(lines.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
    } catch (error) {
      begun = false;
      if (sentence(error)) replace(panel, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  function show(chunks) {
    const problem = h('span', { class: 'bad', role: 'alert' });
    const tell = (text) => say(problem, text);
    replace(panel,
      h('div', { class: 'pane-tools' }, copyButton(() => copyResult(room, 'chunks'), tell), saveButton(room, 'chunks', 'Download', tell), problem),
      h('p', { class: 'hint', text: `${counted(chunks.length, 'part')} for search and retrieval: each with the headings above it and the blocks it consists of.` }),
      chunks.length ? longList(chunks, chunkView, { label: 'Chunks' }) : h('p', { class: 'hint empty', text: 'This document has no text.' }));
    survey.begin();
    place();
  }

  function chunkView({ index, text, headings, places, tokens }) {
    return h('li', { class: 'chunk' },
      h('p', { class: 'chunk-head' }, h('strong', { text: `${index + 1}` }), h('span', { class: 'path', dir: 'auto', text: headings.join(' › ') }), h('span', { class: 'hint', text: counted(tokens, 'word') })),
      h('div', { class: 'chunk-text', tabindex: '0', role: 'group', ariaLabel: `Chunk ${index + 1}` }, text.split('\n\n').map(partView)),
      h('p', { class: 'buttons' }, places.map(placeView)));
  }

  const partView = (part) => (/^(\||<table>)/.test(part) ? markdownView(part) : h('p', { class: 'plain', dir: 'auto', text: part }));

  const placeView = ({ page, kind, order }) => h('button', {
    type: 'button', class: 'chip', text: `${labelOf(kind)}, page ${page}`, dataset: order === null ? {} : { place: `${page}:${order}` },
    on: { click: () => go(page, order) },
  });

  async function go(page, order) {
    const { page: { blocks } } = await pages.map(page);
    const block = blocks.findIndex((one) => one.order === order);
    room.goTo(page, block < 0 ? null : `b${block}`);
  }

  /** A place is known by its block's order, a part of a page by its index. */
  function place() {
    for (const button of panel.querySelectorAll('[data-place]:not([data-at])')) {
      const [page, order] = button.dataset.place.split(':').map(Number);
      const block = survey.notes.get(page)?.orders.get(order);
      if (block !== undefined) button.dataset.at = `${page}:b${block}`;
    }
  }

  async function find(target) {
    place();
    const element = nearest(panel, target, await pages.map(target.page));
    if (element) come(panel, element.closest('.chunk'));
    return element;
  }

  const coupled = couple(panel, 'chunks', room, find);
  survey.addEventListener('progress', place);
  watch.addEventListener('job', lay);
  panel.addEventListener('scroll', place, { passive: true }); // the list grows
  lay();
  return {
    show: () => coupled.again(true),
    close: () => {
      coupled.close();
      survey.removeEventListener('progress', place);
      watch.removeEventListener('job', lay);
    },
  };
}
