// The way in where the server wants an API key.

import { signIn } from './api.js';
import { h, say } from './dom.js';
import { sentence } from './problem.js';

export function openSignIn(root, why) {
  const error = h('p', { class: 'field-error', id: 'key-error', role: 'alert', text: why ?? '' });
  const input = h('input', {
    type: 'password', id: 'key', name: 'key', required: true, autocomplete: 'off', spellcheck: 'false',
    placeholder: 'pt_…', 'aria-describedby': 'key-error key-hint',
  });
  const button = h('button', { class: 'primary', type: 'submit', text: 'Sign in' });
  const form = h('form', { class: 'card sign-in', novalidate: true, on: { submit: (event) => (event.preventDefault(), enter()) } },
    h('h1', { text: 'Sign in' }),
    h('p', { class: 'muted', text: 'This server needs an API key. You see only the jobs of this key.' }),
    h('div', { class: 'field' },
      h('label', { for: 'key', text: 'API key' }), input, error),
    button,
    h('p', { class: 'hint', id: 'key-hint', text: 'The key stays in this tab and is deleted when you sign out or close it.' }));

  async function enter() {
    const key = input.value.trim();
    if (!key) return refuse('Please enter an API key.');
    if (!/^[\x21-\x7e]+$/.test(key)) return refuse('An API key has letters and digits only.');
    button.disabled = true;
    try {
      await signIn(key);
    } catch (problem) {
      refuse(sentence(problem));
    } finally {
      button.disabled = false;
    }
  }

  function refuse(text) {
    input.setAttribute('aria-invalid', 'true');
    say(error, text);
    input.select();
  }

  root.append(form);
  input.focus();
}
