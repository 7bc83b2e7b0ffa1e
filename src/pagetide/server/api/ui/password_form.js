// Asks for the password of an encrypted document. It is sent once, and kept nowhere.

import { h } from './dom.js';

/** @param onGiven Is told the password. @returns The form. */
export function passwordForm(name, onGiven) {
  const input = h('input', { type: 'password', autocomplete: 'off', ariaLabel: `Password of ${name}`, placeholder: 'Password' });
  const submit = (event) => {
    event.preventDefault();
    if (!input.value) return input.focus();
    onGiven(input.value);
    input.value = '';
  };
  return h('form', { class: 'password with-button', on: { submit } }, input, h('button', { type: 'submit', text: 'Unlock' }));
}
