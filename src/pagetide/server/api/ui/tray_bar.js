// Above many documents: how many are how far, which of them are shown, and what is done to all.

import { saveBlob } from './api.js';
import { bundle } from './bundle.js';
import { announce, h, replace, say } from './dom.js';
import { FORMATS } from './formats.js';
import { stageOf } from './stages.js';
import { all, cancel } from './tray.js';
import { counted } from './words.js';

const STAGES = [['', 'All'], ['active', 'Under way'], ['read', 'Read'], ['failed', 'Not read']];

/** The bar; `onChoose` is told that others are to be shown.
 *  @returns `element`, `shown(entries)` which are, and `update(entries)`. */
export function trayBar({ onChoose }) {
  let chosen = '';
  const problem = h('p', { class: 'field-error', role: 'alert' });
  const bar = h('progress', { max: 1, ariaLabel: 'Documents that are finished' });
  const counts = new Map(STAGES.map(([stage]) => [stage, h('span', { class: 'count' })]));
  const filters = STAGES.map(([stage, label]) => h('button', {
    type: 'button', class: 'small', 'aria-pressed': 'false', dataset: { stage },
    on: { click: () => choose(stage) },
  }, label, ' ', counts.get(stage)));
  const stop = h('button', { type: 'button', class: 'small', text: 'Cancel all', on: { click: cancelAll } });
  const formats = h('select', { ariaLabel: 'Format of the files', class: 'small' },
    FORMATS.filter(([id]) => id !== 'raw').map(([id, name]) => h('option', { value: id, text: name, selected: id === 'md' })));
  const saveText = h('span', { text: 'Download all' });
  const save = h('button', { type: 'button', class: 'small', on: { click: saveAll } }, saveText);
  const saves = h('span', { class: 'together' }, formats, save);
  const element = h('div', { class: 'tray-bar', hidden: true },
    bar, h('div', { class: 'buttons', role: 'group', ariaLabel: 'Which are shown' }, filters), h('div', { class: 'buttons' }, stop, saves), problem);

  function choose(stage) {
    chosen = stage;
    onChoose();
  }

  const shown = (entries) => (chosen ? entries.filter((entry) => stageOf(entry) === chosen) : entries);

  function update(entries) {
    element.hidden = entries.length < 2;
    if (element.hidden) chosen = '';
    const found = Object.groupBy(entries, stageOf);
    for (const [stage, count] of counts) say(count, String(stage ? (found[stage]?.length ?? 0) : entries.length));
    filters.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.stage === chosen)));
    bar.hidden = !found.active;
    bar.value = 1 - (found.active?.length ?? 0) / Math.max(1, entries.length);
    stop.hidden = !found.active;
    saves.hidden = !found.read;
  }

  async function cancelAll() {
    const active = all().filter((entry) => stageOf(entry) === 'active');
    await Promise.all(active.map(cancel));
    announce(`${counted(active.length, 'document')} cancelled.`);
  }

  async function saveAll() {
    const read = all().filter((entry) => stageOf(entry) === 'read');
    save.disabled = true;
    replace(problem);
    const onProgress = (done) => say(saveText, `${done} of ${read.length}…`);
    onProgress(0);
    const { archive, problems } = await bundle(read, formats.value, { onProgress });
    if (archive) saveBlob(archive, `pagetide-${formats.value}.zip`);
    say(problem, problems.length ? `Not in the archive: ${problems.join(' ')}` : '');
    announce(archive ? `${counted(read.length - problems.length, 'result')} saved.` : 'Nothing was saved.');
    save.disabled = false;
    say(saveText, 'Download all');
  }

  return { element, shown, update };
}
