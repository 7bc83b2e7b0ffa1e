// How what is given next is to be read: model, languages, pages.

import { pagesRefusal } from './checks.js';
import { h, replace, say } from './dom.js';
import { languagePicker } from './language_picker.js';
import { languages, models } from './limits.js';
import { capital } from './words.js';

const DEFAULT = 'structure-lite';
const NOTHING = { model: DEFAULT, languages: [], pages: '' };

let choice = { ...NOTHING };
window.addEventListener('signed-out', () => (choice = { ...NOTHING }));

/** What was chosen; pages that cannot be understood are left to the server to refuse. */
export const chosen = () => ({ ...choice, languages: [...choice.languages] });

/** The controls. */
export async function openOptions(root) {
  const [everyModel, everyLanguage] = await Promise.all([models(), languages()]);
  if (!everyModel.some((model) => model.name === choice.model && model.available)) {
    choice.model = (everyModel.find((model) => model.available) ?? everyModel[0]).name;
  }
  replace(root,
    modelField(everyModel),
    languagePicker(everyLanguage, choice.languages, (codes) => (choice.languages = codes)),
    pagesField());
}

function modelField(every) {
  const there = every.filter((model) => model.available);
  const missing = every.filter((model) => !model.available);
  return h('fieldset', { class: 'models' },
    h('legend', { class: 'label', text: 'Model' }),
    there.map(modelRow),
    missing.length > 0 && h('details', {},
      h('summary', { text: `${missing.length} more are not set up on this server` }),
      missing.map(modelRow)));
}

function modelRow(model) {
  const id = `model-${model.name}`;
  const about = capital(model.available ? model.summary : model.missing);
  return h('div', { class: model.available ? 'model' : 'model off' },
    h('input', {
      type: 'radio', name: 'model', id, value: model.name, disabled: !model.available,
      checked: model.name === choice.model, 'aria-describedby': `${id}-about`,
      on: { change: () => (choice.model = model.name) },
    }),
    h('div', {},
      h('label', { for: id, text: model.name }),
      h('p', { class: 'hint', id: `${id}-about`, text: about })));
}

function pagesField() {
  const error = h('p', { class: 'field-error', id: 'pages-error', role: 'alert' });
  const input = h('input', {
    type: 'text', id: 'pages', value: choice.pages, placeholder: 'All', autocomplete: 'off',
    'aria-describedby': 'pages-hint pages-error',
  });
  input.addEventListener('input', () => {
    choice.pages = input.value.trim();
    const why = pagesRefusal(choice.pages);
    input.setAttribute('aria-invalid', String(Boolean(why)));
    if (!why) say(error, '');
  });
  input.addEventListener('change', () => say(error, pagesRefusal(choice.pages)));
  return h('div', { class: 'field' },
    h('label', { for: 'pages', text: 'Pages' }), input,
    h('p', { class: 'hint', id: 'pages-hint', text: 'Such as 1-3,7,-1. Empty means all.' }), error);
}
