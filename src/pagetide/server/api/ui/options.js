// How what is given next is to be read: model, languages, pages; and whether it is opened.

import { pagesRefusal } from './checks.js';
import { h, replace, say } from './dom.js';
import { languagePicker } from './language_picker.js';
import { languages, models } from './limits.js';
import { reviewFields } from './review_fields.js';
import { capital } from './words.js';

const DEFAULT = 'structure-lite';
// What the models that come with this program are for, in words; of others their name is told.
const WORDS = {
  auto: ['Whatever suits each page', 'The page’s own text where it can be trusted, otherwise the best model here.'],
  'structure-lite': ['With tables and layout', 'Text, headings, lists, tables and reading order. The usual choice.'],
  'pp-ocrv6': ['Fast: lines of text', 'No layout, no tables. Latin script, Chinese and Japanese; more can be pulled.'],
  'pp-ocrv5': ['Earlier networks: lines of text'],
  'pp-structurev3': ['PaddleOCR, with formulas and seals', 'Layout, tables, formulas, seals and charts; slower.'],
  'pp-ocr': ['PaddleOCR: lines of text'],
  'paddleocr-vl': ['Vision-language', 'Formulas, charts, handwriting and hard tables, on a GPU elsewhere.'],
  'text-layer': ['The PDF’s own text', 'The text in the file, at once; pictures of text are not read.'],
};
const OPENS = 'pagetide.opens';
const NOTHING = { model: DEFAULT, languages: [], pages: '', review: {} };

let choice = { ...NOTHING };
window.addEventListener('signed-out', () => (choice = { ...NOTHING }));

/** What was chosen; pages that cannot be understood are left to the server to refuse. */
export const chosen = () => ({ ...choice, languages: [...choice.languages], review: { ...choice.review } });

/** Whether a document that comes alone is opened by itself. */
export const opensAlone = () => localStorage.getItem(OPENS) !== 'no';

/** The controls. */
export async function openOptions(root) {
  const [everyModel, everyLanguage] = await Promise.all([models(), languages()]);
  if (!everyModel.some((model) => model.name === choice.model && model.available)) {
    choice.model = (everyModel.find((model) => model.available) ?? everyModel[0]).name;
  }
  replace(root,
    modelField(everyModel),
    languagePicker(everyLanguage, choice.languages, (codes) => (choice.languages = codes)),
    pagesField(),
    reviewFields(choice.review, (review) => (choice.review = review)),
    opensField());
}

function modelField(every) {
  const there = every.filter((model) => model.available);
  const missing = every.filter((model) => !model.available);
  return h('fieldset', { class: 'models' },
    h('legend', { class: 'label', text: 'Model' }),
    there.map(modelRow),
    missing.length > 0 && h('details', {},
      h('summary', { text: `${missing.length} more are not configured on this server` }),
      missing.map(modelRow)));
}

function modelRow(model) {
  const id = `model-${model.name}`;
  const [words, told] = WORDS[model.name] ?? [];
  const about = model.available ? (told ?? capital(model.summary)) : capital(model.missing);
  return h('div', { class: model.available ? 'model' : 'model off' },
    h('input', {
      type: 'radio', name: 'model', id, value: model.name, disabled: !model.available,
      checked: model.name === choice.model, 'aria-describedby': `${id}-about`,
      on: { change: () => (choice.model = model.name) },
    }),
    h('div', {},
      h('label', { for: id }, words ? [words, ' ', h('code', { text: model.name })] : model.name),
      h('p', { class: 'hint', id: `${id}-about`, text: about })));
}

function opensField() {
  const box = h('input', {
    type: 'checkbox', id: 'opens', checked: opensAlone(),
    on: { change: () => localStorage.setItem(OPENS, box.checked ? 'yes' : 'no') },
  });
  return h('div', { class: 'check' }, box, h('label', { for: 'opens', text: 'Open a document that comes alone' }));
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
