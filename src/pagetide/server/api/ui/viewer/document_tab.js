// The document as one reads it, and as plain text.

import { h, replace, say } from '../dom.js';
import { pageView } from './block_view.js';
import { openColumn } from './column.js';
import { copyButton, copyResult, saveButton } from './results.js';
import { textView } from './text_view.js';

export const openDocumentTab = (panel, room) => openColumn(panel, room, 'document', pageView);

export function openTextTab(panel, room) {
  const problem = h('span', { class: 'bad', role: 'alert' });
  const tell = (text) => say(problem, text);
  const tools = h('div', { class: 'pane-tools' }, copyButton(() => copyResult(room, 'txt'), tell), saveButton(room, 'txt', 'Download', tell), problem);
  const place = h('div');
  const made = () => (tools.hidden = !room.watch.hasResult);
  replace(panel, tools, place);
  room.watch.addEventListener('job', made);
  made();
  const column = openColumn(panel, room, 'text', textView, place);
  return { ...column, close: () => (column.close(), room.watch.removeEventListener('job', made)) };
}
