// The document's tables, each as a grid.

import { h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { come } from './column.js';
import { couple, nearest } from './coupling.js';
import { progressNote } from './lists.js';
import { copyButton, saveButton } from './results.js';
import { Stack } from './stack.js';
import { copyTable, tableOf } from './table_view.js';

const USUAL_HEIGHT = 320;

export function openTablesTab(panel, room) {
  const { watch, pages, survey } = room;
  const note = progressNote(survey);
  const problem = h('span', { class: 'bad', role: 'alert' });
  const tell = (text) => say(problem, text);
  const saves = ['csv', 'xlsx'].map((format) => saveButton(room, format, format.toUpperCase(), tell));
  const tools = h('div', { class: 'pane-tools' }, saves, problem);
  const list = h('div', { class: 'tables' });
  const empty = h('p', { class: 'hint empty', text: 'There are no tables in this document.' });
  let tables = [];
  let stack = null;
  replace(panel, tools, note.element, empty, list);
  survey.begin();

  function lay() {
    const found = watch.numbers.flatMap((page) => (survey.notes.get(page)?.tables ?? []).map((table) => ({ page, ...table })));
    tools.hidden = !watch.hasResult || !found.length;
    empty.hidden = found.length > 0 || !survey.complete || !watch.ended;
    if (found.length === tables.length) return;
    tables = found;
    stack?.close();
    const boxes = tables.map(() => h('section', { class: 'table-box' }));
    for (const box of boxes) box.style.height = `${USUAL_HEIGHT}px`;
    replace(list, boxes);
    stack = new Stack(panel, boxes, (i, box, signal) => fill(i, box, signal));
  }

  async function fill(i, box, signal) {
    const { page: number, block: index } = tables[i];
    try {
      const { page } = await pages.map(number, { signal });
      signal.throwIfAborted();
      replace(box, tableSection(page, index, i));
    } catch (error) {
      if (!signal.aborted) replace(box, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  function tableSection(page, index, i) {
    const { table, order } = page.blocks[index];
    const caption = page.blocks.find((block) => block.caption_of === order)?.text;
    const at = (k) => `${page.number}:c${index}-${k}`;
    return [
      h('header', { dataset: { at: `${page.number}:b${index}` } },
        h('h2', { text: `Table ${i + 1}` }),
        h('span', { class: 'hint', text: `Page ${page.number} · ${table.rows} × ${table.columns}` }),
        copyButton(() => copyTable(table), tell)),
      caption ? h('p', { class: 'caption', text: caption }) : null,
      h('div', { class: 'wide-table', tabindex: '0', role: 'group', ariaLabel: `Table ${i + 1}` },
        tableOf(table, { at, content: (cell) => cell.text })),
    ];
  }

  async function show(target) {
    const map = await pages.map(target.page);
    const block = map.chain(target.id).map(({ id }) => id).find((id) => id[0] === 'b');
    const i = tables.findIndex((table) => table.page === target.page && `b${table.block}` === block);
    if (!stack || i < 0) return null;
    const box = await stack.ready(i);
    const element = nearest(panel, target, map);
    come(panel, element ?? box);
    return element;
  }

  const coupled = couple(panel, 'tables', room, show);
  const changed = () => lay();
  survey.addEventListener('progress', changed);
  watch.addEventListener('job', changed);
  lay();
  return {
    show: () => coupled.again(true),
    close: () => {
      survey.removeEventListener('progress', changed);
      watch.removeEventListener('job', changed);
      note.close();
      coupled.close();
      stack?.close();
    },
  };
}
