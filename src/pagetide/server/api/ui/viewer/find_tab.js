// The hits of a search, and the field it is written in.

import { announce, h, replace, say } from '../dom.js';
import { icon } from './icons.js';
import { longList, progressNote } from './lists.js';

const PAUSE_MS = 150; // after the last key

export function openFindTab(panel, { search, survey }) {
  let timer = null;
  const input = h('input', {
    type: 'search',
    class: 'find',
    ariaLabel: 'Find in the document',
    placeholder: 'Find in the document',
    on: { input: () => later(), keydown: pressed },
  });
  const count = h('span', { class: 'hint', role: 'status' });
  const note = progressNote(survey);
  const place = h('div');
  const step = (name, label, direction) =>
    h('button', { type: 'button', class: 'tool', ariaLabel: label, title: label, on: { click: () => search.step(direction) } }, icon(name));
  const bar = h('div', { class: 'find-bar', role: 'search' }, icon('search'), input, count, step('up', 'Previous hit', -1), step('down', 'Next hit', 1));
  replace(panel, bar, note.element, place);
  note.element.classList.add('only-searching');

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => search.find(input.value), PAUSE_MS);
  }

  function pressed(event) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    clearTimeout(timer);
    if (!search.hits.length || input.value !== input.dataset.sought) search.find(input.value);
    search.step(event.shiftKey ? -1 : 1);
  }

  function list() {
    input.dataset.sought = input.value;
    panel.classList.toggle('searching', search.needle !== '');
    replace(place, search.hits.length ? longList(search.hits, row, { label: 'Hits' }) : nothing());
    tell();
  }

  function nothing() {
    if (!search.needle) return h('p', { class: 'hint empty', text: 'Case and accents make no difference. Enter goes to the next hit.' });
    return survey.complete ? h('p', { class: 'hint empty', text: 'Not found.' }) : null;
  }

  function row(hit, i) {
    const go = () => search.go(i);
    return h('li', {}, h('button', { type: 'button', class: 'row', dataset: { hit: String(i) }, on: { click: go } },
      h('span', { class: 'where', text: `Page ${hit.page}` }),
      h('span', { class: 'quote', dir: 'auto' }, hit.before, h('mark', { text: hit.found }), hit.after)));
  }

  function tell() {
    const { hits, index, needle } = search;
    say(count, !needle ? '' : index >= 0 ? `${index + 1} of ${hits.length}` : `${hits.length} found`);
    place.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const current = place.querySelector(`[data-hit="${index}"]`);
    current?.setAttribute('aria-current', 'true');
    current?.scrollIntoView({ block: 'nearest' });
  }

  const current = () => {
    tell();
    const hit = search.current;
    if (hit) announce(`Page ${hit.page}: ${hit.before}${hit.found}${hit.after}`);
  };
  search.addEventListener('hits', list);
  search.addEventListener('current', current);
  list();
  return {
    show: () => input.focus({ preventScroll: true }),
    focus: () => (input.focus(), input.select()),
    close: () => {
      clearTimeout(timer);
      note.close();
      search.removeEventListener('hits', list);
      search.removeEventListener('current', current);
    },
  };
}
