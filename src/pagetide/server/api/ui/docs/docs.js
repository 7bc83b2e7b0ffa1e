// The API's own page: opens what the address names, copies examples, and tries requests out.

import * as api from '../api.js';
import { h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { openTryIt } from './try_it.js';

for (const details of document.querySelectorAll('.operation')) {
  const place = details.querySelector('.try');
  details.addEventListener('toggle', () => {
    if (details.open && !place.childElementCount) openTryIt(place, details);
  });
  details.querySelector('.snippet').before(copyButton(details.querySelector('.snippet code')));
}

function copyButton(code) {
  const button = h('button', { type: 'button', class: 'small copy', text: 'Copy', on: { click: copy } });
  async function copy() {
    await navigator.clipboard.writeText(code.textContent);
    say(button, 'Copied');
    setTimeout(() => say(button, 'Copy'), 2000);
  }
  return button;
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName !== 'DETAILS') return;
  named.open = true;
  named.scrollIntoView();
}

/** Where keys are needed, the one that this tab has signed in with is used; else it is asked for. */
async function readyKey() {
  const place = document.getElementById('key');
  const needed = await api.json('v1/limits').then(() => false, (error) => error.status === 401);
  if (!needed) return;
  const problem = h('p', { class: 'field-error', role: 'alert' });
  const input = h('input', { type: 'password', autocomplete: 'off', ariaLabel: 'API key', placeholder: 'pt_…' });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await api.signIn(input.value.trim());
      replace(place, h('p', { class: 'hint', role: 'status', text: 'Requests are sent with your key.' }));
    } catch (error) {
      say(problem, sentence(error));
    }
  };
  replace(place, h('form', { class: 'card key', on: { submit } },
    h('p', { text: 'This server needs an API key. With a key you can try out requests here; it is kept only in this tab.' }),
    h('div', { class: 'with-button' }, input, h('button', { type: 'submit', text: 'Use this key' })), problem));
}

window.addEventListener('hashchange', openNamed);
openNamed();
readyKey();
