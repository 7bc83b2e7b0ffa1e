// A result as it is written: Markdown's source, or plain text. Long ones are shown in parts.

import { announce, h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { icon } from './icons.js';
import { resultOf } from './results.js';
import { saveButton } from './save_button.js';
import { Stack } from './stack.js';

const LINES = 120; // in a part
const LINE_HEIGHT = 20; // as in viewer.css

/** A tab's `open` for a format. */
export const openPlainTab = (format) => (panel, room) => {
  const { watch } = room;
  let stack = null;
  let begun = false;

  async function lay() {
    if (begun) return;
    if (!watch.hasResult) {
      const text = watch.ended ? 'This job has no result.' : 'It can be had when the whole document is read.';
      return replace(panel, h('p', { class: 'hint empty', text }));
    }
    begun = true;
    replace(panel, h('p', { class: 'hint empty', text: 'Being made…' }));
    try {
      showText(await (await resultOf(room, format, { signal: room.signal })).text());
    } catch (error) {
      begun = false;
      if (sentence(error)) replace(panel, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  function showText(text) {
    const parts = inParts(text.replaceAll('\f', '\n'));
    const boxes = parts.map((part) => {
      const box = h('div', { class: 'part' });
      box.style.height = `${part.length * LINE_HEIGHT}px`;
      return box;
    });
    const problem = h('span', { class: 'bad', role: 'alert' });
    const source = h('div', { class: 'source', tabindex: '0', role: 'document', ariaLabel: format === 'md' ? 'Markdown' : 'Text' }, boxes);
    const tools = h('div', { class: 'pane-tools' }, copyButton(text), saveButton(room, format, 'Download', (said) => say(problem, said)), problem);
    replace(panel, tools, source);
    stack = new Stack(panel, boxes, (i, box) => replace(box, h('pre', { text: parts[i].join('\n') })), { margin: '100%' });
  }

  const changed = () => lay();
  watch.addEventListener('job', changed);
  lay();
  return { close: () => (stack?.close(), watch.removeEventListener('job', changed)) };
};

export function copyButton(text, label = 'Copy') {
  const said = h('span', { text: label });
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say(said, 'Copied');
    announce('Copied.');
    setTimeout(() => say(said, label), 2000);
  };
  return h('button', { type: 'button', class: 'quiet', on: { click: copy } }, icon('copy'), said);
}

function inParts(text) {
  const lines = text.split('\n');
  const parts = [];
  for (let i = 0; i < lines.length; i += LINES) parts.push(lines.slice(i, i + LINES));
  return parts;
}
