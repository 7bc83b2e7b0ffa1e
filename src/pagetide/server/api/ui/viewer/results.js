// Buttons that keep a job's results as files, or put them on the clipboard.

import { saveBlob } from '../api.js';
import { announce, h, say } from '../dom.js';
import { fileName, resultOf } from '../formats.js';
import { sentence } from '../problem.js';
import { icon } from './icons.js';

/** Has the browser keep a result as a file, named after the document. */
async function saveResult({ watch }, format, options) {
  saveBlob(await resultOf(watch.job.id, format, options), fileName(watch.job.source.name, format));
}

/** A button that has a result made, and keeps it as a file.
 *  @param tell Is told in one sentence what went wrong; empty when nothing did. */
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

/** Puts a whole result on the clipboard. */
export async function copyResult(room, format) {
  const blob = await resultOf(room.watch.job.id, format, { signal: room.signal });
  await navigator.clipboard.writeText(await blob.text());
}

/** A button that puts something on the clipboard. @param tell As for `saveButton`. */
export function copyButton(copy, tell) {
  const text = h('span', { text: 'Copy' });
  const click = async () => {
    tell('');
    try {
      await copy();
    } catch (error) {
      return tell(error.name === 'NotAllowedError' ? 'The browser does not allow this page to copy.' : sentence(error));
    }
    say(text, 'Copied');
    announce('Copied.');
    setTimeout(() => say(text, 'Copy'), 2000);
  };
  return h('button', { type: 'button', class: 'quiet', on: { click } }, icon('copy'), text);
}
