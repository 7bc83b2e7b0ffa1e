// Several languages out of many: searched for, ticked, and shown to be taken away again.

import { announce, h, replace } from './dom.js';
import { counted } from './words.js';

/** The control; `onChange` is given the codes. */
export function languagePicker(every, codes, onChange) {
  const known = every.filter((language) => language.code !== 'auto');
  let picked = [...codes];
  const chips = h('div', { class: 'chips' });
  const summary = h('summary', { id: 'languages-summary' });
  const rows = known.map((language) => row(language));
  const none = h('p', { class: 'hint', hidden: true, text: 'There is no such language.' });
  const search = h('input', {
    type: 'search', id: 'language-search', placeholder: 'Search', autocomplete: 'off',
    ariaLabel: 'Search languages', on: { input: filter },
  });

  function row(language) {
    const id = `language-${language.code}`;
    const box = h('input', {
      type: 'checkbox', id, value: language.code, checked: picked.includes(language.code),
      on: { change: () => pick(language.code, box.checked) },
    });
    const note = language.installed ? language.script : `${language.script}, not installed here`;
    const element = h('div', { class: 'language' }, box,
      h('label', { for: id }, language.name, ' ', h('span', { class: 'hint', text: note })));
    return { element, box, language, words: `${language.name} ${language.code} ${language.script}`.toLowerCase() };
  }

  function pick(code, on) {
    picked = on ? [...picked, code] : picked.filter((one) => one !== code);
    for (const one of rows) one.box.checked = picked.includes(one.language.code);
    onChange([...picked]);
    show();
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    for (const one of rows) one.element.hidden = !one.words.includes(wanted);
    const left = rows.filter((one) => !one.element.hidden).length;
    none.hidden = left > 0;
    announce(counted(left, 'language'));
  }

  function show() {
    const names = picked.map((code) => known.find((language) => language.code === code)?.name ?? code);
    summary.textContent = picked.length ? `${picked.length} chosen` : 'All that the model reads';
    summary.setAttribute('aria-label', `Languages: ${summary.textContent}`);
    replace(chips, names.map((name, i) => h('button', {
      type: 'button', class: 'chip', ariaLabel: `Take ${name} away`,
      on: { click: () => (pick(picked[i], false), summary.focus()) },
    }, name, h('span', { ariaHidden: 'true', text: '×' }))));
    chips.hidden = !picked.length;
  }

  show();
  return h('div', { class: 'field languages' },
    h('p', { class: 'label', text: 'Languages' }),
    h('details', {}, summary,
      h('div', { class: 'language-box' }, search,
        h('div', { class: 'language-list', role: 'group', ariaLabel: 'Languages' }, rows.map((one) => one.element), none))),
    chips);
}
