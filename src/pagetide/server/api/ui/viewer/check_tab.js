// What a person should look at: warnings, pages that failed, words that are uncertain.

import { h, replace, say } from '../dom.js';
import { icon } from './icons.js';
import { threshold } from './layers_menu.js';
import { longList, progressNote } from './lists.js';

export function openCheckTab(panel, room) {
  const { watch, survey, selection, view } = room;
  const note = progressNote(survey);
  const warnings = h('div');
  const words = h('div');
  const count = h('span', { class: 'hint', role: 'status' });
  const step = (name, label, direction) =>
    h('button', { type: 'button', class: 'tool', ariaLabel: label, title: label, on: { click: () => go(at + direction) } }, icon(name));
  let doubts = [];
  let at = -1;
  replace(
    panel,
    note.element,
    h('section', {}, h('h2', { text: 'Warnings' }), warnings),
    h('section', {},
      h('div', { class: 'doubts-bar' }, h('h2', { text: 'Uncertain words' }), count,
        step('up', 'Previous uncertain word', -1), step('down', 'Next uncertain word', 1)),
      threshold(view),
      words),
  );
  survey.begin();

  function lay() {
    const current = doubts[at];
    const told = warningsOf(room);
    replace(warnings, told.length ? longList(told, warningRow, { label: 'Warnings' }) : h('p', { class: 'hint', text: survey.complete ? 'None.' : 'None so far.' }));
    doubts = watch.numbers.flatMap((page) =>
      (survey.notes.get(page)?.doubts ?? []).filter(({ confidence }) => confidence < view.threshold).map((word) => ({ page, ...word })));
    at = current ? doubts.findIndex(({ page, id }) => page === current.page && id === current.id) : -1;
    replace(words, doubts.length ? longList(doubts, wordRow, { label: 'Uncertain words' }) : h('p', { class: 'hint', text: survey.complete ? 'None.' : 'None so far.' }));
    say(count, String(doubts.length || ''));
  }

  function warningRow({ page, id, message }) {
    const where = page ? `Page ${page}` : 'Document';
    const content = [h('span', { class: 'where', text: where }), h('span', { text: message })];
    if (!page) return h('li', {}, h('p', { class: 'row' }, content));
    const go = () => room.goTo(page, id);
    return h('li', {}, h('button', { type: 'button', class: 'row', on: { click: go } }, content));
  }

  function wordRow(word, i) {
    return h('li', {}, h('button', { type: 'button', class: 'row', dataset: { doubt: String(i) }, on: { click: () => go(i) } },
      h('span', { class: 'where', text: `Page ${word.page}` }),
      h('span', { class: 'quote', dir: 'auto', text: word.text }),
      h('span', { class: 'percent-told', text: `${Math.round(100 * word.confidence)} %` })));
  }

  function go(i) {
    if (!doubts.length) return;
    at = (i + doubts.length) % doubts.length;
    words.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const row = words.querySelector(`[data-doubt="${at}"]`);
    row?.setAttribute('aria-current', 'true');
    row?.scrollIntoView({ block: 'nearest' });
    selection.choose({ page: doubts[at].page, id: doubts[at].id }, 'check');
  }

  survey.addEventListener('progress', lay);
  view.addEventListener('threshold', lay);
  watch.addEventListener('pages', lay);
  lay();
  return {
    close: () => {
      note.close();
      survey.removeEventListener('progress', lay);
      view.removeEventListener('threshold', lay);
      watch.removeEventListener('pages', lay);
    },
  };
}

/** What is to be said of the document and of its pages. */
export function warningsOf({ watch, survey }) {
  const own = watch.warnings.map(({ message }) => ({ page: null, id: null, message }));
  const pages = watch.numbers.flatMap((page) => {
    const note = survey.notes.get(page);
    const error = watch.failed.get(page) ?? note?.error;
    const failed = error ? [{ page, id: null, message: `Could not be read. ${error.message}` }] : [];
    return [...failed, ...(note?.warnings ?? []).map(({ id, message }) => ({ page, id, message }))];
  });
  return [...own, ...pages];
}
