// The Markdown as it is written. A long one is shown in parts.

import { h, replace, say } from '../dom.js';
import { resultOf } from '../formats.js';
import { sentence } from '../problem.js';
import { copyButton, copyResult, saveButton } from './results.js';
import { Stack } from './stack.js';

const LINES = 120; // in a part
const LINE_HEIGHT = 20; // as in result.css

export function openMarkdownTab(panel, room) {
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
      show(await (await resultOf(watch.job.id, 'md', { signal: room.signal })).text());
    } catch (error) {
      begun = false;
      if (sentence(error)) replace(panel, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  function show(text) {
    const parts = inParts(text);
    const boxes = parts.map((part) => {
      const box = h('div', { class: 'part' });
      box.style.height = `${part.length * LINE_HEIGHT}px`;
      return box;
    });
    const problem = h('span', { class: 'bad', role: 'alert' });
    const tell = (said) => say(problem, said);
    const source = h('div', { class: 'source', tabindex: '0', role: 'document', ariaLabel: 'Markdown' }, boxes);
    const tools = h('div', { class: 'pane-tools' }, copyButton(() => copyResult(room, 'md'), tell), saveButton(room, 'md', 'Download', tell), problem);
    replace(panel, tools, source);
    stack = new Stack(panel, boxes, (i, box) => replace(box, h('pre', { text: parts[i].join('\n') })), { margin: '100%' });
  }

  watch.addEventListener('job', lay);
  lay();
  return { close: () => (stack?.close(), watch.removeEventListener('job', lay)) };
}

function inParts(text) {
  const lines = text.split('\n');
  const parts = [];
  for (let i = 0; i < lines.length; i += LINES) parts.push(lines.slice(i, i + LINES));
  return parts;
}
