// A job's results as files, made when first asked for.

import { announce, h, say } from '../dom.js';
import { sentence } from '../problem.js';
import { icon } from './icons.js';

const WAIT_S = 25;

export const FORMATS = [
  ['pdf', 'Searchable PDF', 'The pages as they look, with their text to be found and copied', '.pdf'],
  ['md', 'Markdown', 'Headings, lists and tables as text', '.md'],
  ['txt', 'Plain text', 'In reading order', '.txt'],
  ['html', 'HTML', 'One page that any browser shows', '.html'],
  ['json', 'JSON', 'Everything that was found, and where', '.json'],
  ['csv', 'Tables as CSV', 'A ZIP archive, a file for each table', '.csv.zip'],
  ['xlsx', 'Tables as XLSX', 'A workbook, a sheet for each table', '.xlsx'],
  ['figures', 'Figures', 'A ZIP archive, a picture for each figure', '.figures.zip'],
  ['hocr', 'hOCR', 'Words and boxes for other tools', '.hocr'],
  ['raw', 'The model’s own answer', 'As the engine gave it, for the curious', '.raw.json'],
];

/** A result, as a Blob; waits while the server makes it. */
export async function resultOf({ api, watch }, format, { signal } = {}) {
  for (;;) {
    const blob = await api.blob(`${watch.path}/result?format=${format}&wait=${WAIT_S}`, { signal });
    const waiting = blob.type.startsWith('application/json') && format !== 'json' && format !== 'raw';
    if (!waiting) return blob;
  }
}

/** Has the browser keep a result as a file, named after the document. */
async function saveResult(room, format, options) {
  const blob = await resultOf(room, format, options);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = nameOf(room.watch.job.source.name, format);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function nameOf(name, format) {
  const stem = name.replace(/^.*[\\/]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'document';
  return stem + FORMATS.find(([id]) => id === format)[3];
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
  const blob = await resultOf(room, format, { signal: room.signal });
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
      return tell(error.name === 'NotAllowedError' ? 'The browser does not let this page copy.' : sentence(error));
    }
    say(text, 'Copied');
    announce('Copied.');
    setTimeout(() => say(text, 'Copy'), 2000);
  };
  return h('button', { type: 'button', class: 'quiet', on: { click } }, icon('copy'), text);
}
