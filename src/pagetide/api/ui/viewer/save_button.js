// A button that has a result made, and keeps it as a file.

import { announce, h, say } from '../dom.js';
import { sentence } from '../problem.js';
import { icon } from './icons.js';
import { saveResult } from './results.js';

/** @param tell Is told in one sentence what went wrong; empty when nothing did. */
export function saveButton(room, format, label, tell) {
  const text = h('span', { text: label });
  const button = h('button', { type: 'button', class: 'quiet', on: { click: save } }, icon('save'), text);

  async function save() {
    button.disabled = true;
    say(text, 'Being made…');
    tell('');
    try {
      await saveResult(room, format, { signal: room.signal });
      announce(`${label}: saved.`);
    } catch (error) {
      tell(sentence(error));
    } finally {
      button.disabled = false;
      say(text, label);
    }
  }

  return button;
}
