// Asks before something is gone for good.

import { h } from './dom.js';

/** Whether somebody agreed. The button that does no harm has the focus. */
export function confirmed({ title, text, yes }) {
  return new Promise((resolve) => {
    const ends = new AbortController();
    const close = (answer) => () => dialog.close(answer);
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
      h('h2', { id: 'dialog-title', text: title }),
      h('p', { id: 'dialog-text', text }),
      h('div', { class: 'buttons' },
        h('button', { type: 'button', autofocus: true, text: 'Keep it', on: { click: close('') } }),
        h('button', { type: 'button', class: 'danger', text: yes, on: { click: close('yes') } })));
    dialog.addEventListener('close', () => {
      ends.abort();
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    for (const left of ['signed-out', 'hashchange']) window.addEventListener(left, close(''), { signal: ends.signal });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function confirmErase(name) {
  return confirmed({
    title: `Erase ${name}?`,
    text: 'The document, its pages and all results are removed from the server. This cannot be undone.',
    yes: 'Erase',
  });
}
