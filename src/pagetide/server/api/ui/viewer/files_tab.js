// Every format of the result.

import { h, replace } from '../dom.js';
import { FORMATS } from '../formats.js';
import { bytes } from '../words.js';
import { lackOf } from './lock.js';
import { saveButton } from './results.js';

export function openFilesTab(panel, room) {
  const { watch, pages } = room;

  function lay() {
    if (!watch.hasResult) {
      const text = watch.ended ? 'This job has no result.' : 'The files are available when the whole document is read.';
      return replace(panel, h('p', { class: 'hint empty', text }));
    }
    replace(panel, h('ul', { class: 'files' }, FORMATS.map((format) => row(format))));
  }

  function row([id, name, about]) {
    const problem = h('p', { class: 'bad', role: 'alert' });
    const lack = lackOf(room, id);
    const kept = watch.job.results[id];
    return h(
      'li',
      { dataset: { format: id } },
      h('div', { class: 'file-name' }, h('strong', { text: name }), h('span', { class: 'hint', text: about }), lack ? h('p', { class: 'hint', text: lack }) : problem),
      h('span', { class: 'size', text: kept ? bytes(kept.bytes) : '' }),
      !lack && saveButton(room, id, 'Download', (text) => (problem.textContent = text)),
    );
  }

  let had = null;
  const changed = () => {
    if (had !== (had = watch.hasResult)) lay();
  };
  watch.addEventListener('job', changed);
  pages.addEventListener('locked', lay);
  had = watch.hasResult;
  lay();
  return { close: () => (watch.removeEventListener('job', changed), pages.removeEventListener('locked', lay)) };
}
