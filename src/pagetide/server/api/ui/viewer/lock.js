// Asks for the password of an encrypted document, whose pictures are locked once its job has ended.

import { h, say } from '../dom.js';
import { passwordForm } from '../password_form.js';

const WHY = 'The pictures are locked: the document has a password, which the server deleted when the job ended.';
const FROM_DOCUMENT = new Set(['pdf', 'figures']);
const FORGOTTEN =
  'This is created from the document itself, whose password the server deleted when the job ended. A program can get it by requesting the format when it submits the document.';

/** Why a format cannot be had; empty where it can. */
export function lackOf({ watch, pages }, format) {
  return pages.locked && FROM_DOCUMENT.has(format) && !(format in watch.job.results) ? FORGOTTEN : '';
}

export function makeLock({ pages }) {
  const why = h('p', { role: 'status' });
  const form = passwordForm('the document', (password) => {
    element.hidden = true;
    pages.unlock(password);
  });
  const element = h('div', { class: 'lock', hidden: true }, why, form);
  pages.addEventListener('locked', ({ detail: { code } }) => {
    say(why, code === 'password_wrong' ? 'This password does not open the document.' : WHY);
    element.hidden = false;
  });
  return element;
}
