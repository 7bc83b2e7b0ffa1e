// The document's figures, charts and seals, cut out of their pages.

import { h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { come } from './column.js';
import { couple } from './coupling.js';
import { cropOf } from './crop.js';
import { labelOf } from './kinds.js';
import { progressNote } from './lists.js';
import { lackOf } from './lock.js';
import { saveButton } from './results.js';
import { Stack } from './stack.js';

const USUAL_HEIGHT = 280;

export function openFiguresTab(panel, room) {
  const { watch, pages, survey } = room;
  const note = progressNote(survey);
  const problem = h('span', { class: 'bad', role: 'alert' });
  const save = saveButton(room, 'figures', 'Download all', (text) => say(problem, text));
  const tools = h('div', { class: 'pane-tools' }, save, problem);
  const list = h('div', { class: 'tables' });
  const empty = h('p', { class: 'hint empty', text: 'There are no figures in this document. Pictures, charts and seals that a model finds are shown here; models that read only lines find none.' });
  let figures = [];
  let stack = null;
  replace(panel, tools, note.element, empty, list);
  survey.begin();

  function lay() {
    const found = watch.numbers.flatMap((page) => (survey.notes.get(page)?.figures ?? []).map((figure) => ({ page, ...figure })));
    tools.hidden = !watch.hasResult || !found.length;
    const lack = lackOf(room, 'figures');
    if (lack) replace(tools, h('p', { class: 'hint', text: lack }));
    empty.hidden = found.length > 0 || !survey.complete || !watch.ended;
    if (found.length === figures.length) return;
    figures = found;
    stack?.close();
    const boxes = figures.map(({ page, block }) => h('section', { class: 'table-box', dataset: { at: `${page}:b${block}` } }));
    for (const box of boxes) box.style.height = `${USUAL_HEIGHT}px`;
    replace(list, boxes);
    stack = new Stack(panel, boxes, (i, box, signal) => fill(figures[i], i, box, signal));
  }

  async function fill({ page: number, block: index }, i, box, signal) {
    try {
      const { page } = await pages.map(number, { signal });
      signal.throwIfAborted();
      const block = page.blocks[index];
      const caption = page.blocks.find((one) => one.caption_of === block.order)?.text;
      replace(box,
        h('header', {}, h('h2', { text: `${labelOf(block.kind)} ${i + 1}` }), h('span', { class: 'hint', text: `Page ${number}` })),
        cropOf(pages, number, block, signal),
        caption ? h('p', { class: 'caption', dir: 'auto', text: caption }) : null);
    } catch (error) {
      if (!signal.aborted) replace(box, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  async function show({ page, id }) {
    const i = figures.findIndex((figure) => figure.page === page && `b${figure.block}` === id);
    if (!stack || i < 0) return null;
    const box = await stack.ready(i);
    come(panel, box);
    return box;
  }

  const coupled = couple(panel, 'figures', room, show);
  survey.addEventListener('progress', lay);
  pages.addEventListener('locked', lay);
  watch.addEventListener('job', lay);
  lay();
  return {
    show: () => coupled.again(true),
    close: () => {
      survey.removeEventListener('progress', lay);
      pages.removeEventListener('locked', lay);
      watch.removeEventListener('job', lay);
      note.close();
      coupled.close();
      stack?.close();
    },
  };
}
