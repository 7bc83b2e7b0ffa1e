// When a person is to review what was read: as the server is set, unless something is said here.

import { h, say } from './dom.js';

const AS_SET = 'Server default';

/** @param review What was said so far, as the API's fields. @param changed Is told what is said now. */
export function reviewFields(review, changed) {
  const told = { ...review };
  const tell = (name, value) => {
    if (value === '') delete told[name];
    else told[name] = value;
    changed({ ...told });
  };
  return h('details', { class: 'review-fields', open: Object.keys(review).length > 0 },
    h('summary', { text: 'Review by a person' }),
    h('p', { class: 'hint', text: 'Selected documents wait under Review after reading.' }),
    percentField('review_below', 'Lines with confidence below, in %', told, tell),
    sumsField(told, tell),
    percentField('review_sample', 'A sample of all, in %', told, tell));
}

function percentField(name, label, told, tell) {
  const error = h('p', { class: 'field-error', id: `${name}-error`, role: 'alert' });
  const input = h('input', {
    type: 'number', id: name, min: '0', max: '100', step: 'any', placeholder: AS_SET, 'aria-describedby': error.id,
    value: name in told ? String(Number((100 * told[name]).toFixed(6))) : '',
    on: { input: () => take() },
  });
  const take = () => {
    const valid = input.checkValidity();
    input.setAttribute('aria-invalid', String(!valid));
    say(error, valid ? '' : 'Please enter a number from 0 to 100.');
    tell(name, valid && input.value !== '' ? Number(input.value) / 100 : '');
  };
  return h('div', { class: 'field' }, h('label', { for: name, text: label }), input, error);
}

function sumsField(told, tell) {
  const name = 'review_sums';
  const choices = [['', AS_SET], ['true', 'Yes'], ['false', 'No']];
  const select = h('select', { id: name, on: { change: () => tell(name, select.value) } },
    choices.map(([value, text]) => h('option', { value, text, selected: value === String(told[name] ?? '') })));
  return h('div', { class: 'field' }, h('label', { for: name, text: 'Bills whose sums do not add up' }), select);
}
