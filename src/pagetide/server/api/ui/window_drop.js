// The whole window takes documents: dropped, or pasted as a picture, a file or an address.

import { addressRefusal } from './checks.js';
import { announce, h } from './dom.js';
import { blob } from './api.js';
import { sentence } from './problem.js';
import { chosen, opensAlone } from './options.js';
import { addAddress, addFiles } from './tray.js';

/** Listens for as long as the page is there; `ready` says whether documents are taken now. */
export function watchWindow({ ready }) {
  const veil = h('div', { class: 'veil', hidden: true, ariaHidden: 'true' }, h('p', { text: 'Drop to read' }));
  document.body.append(veil);
  let depth = 0; // dragging over a child leaves the parent

  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const listen = (name, react) => window.addEventListener(name, (event) => {
    if (!carries(event)) return;
    event.preventDefault(); // else the browser leaves the page for the file
    if (!ready()) return;
    react(event);
    veil.hidden = depth === 0;
  });
  listen('dragenter', () => (depth += 1));
  listen('dragleave', () => (depth = Math.max(0, depth - 1)));
  listen('dragover', (event) => (event.dataTransfer.dropEffect = 'copy'));
  listen('drop', (event) => {
    depth = 0;
    take([...event.dataTransfer.files]);
  });
  window.addEventListener('paste', (event) => {
    if (ready()) paste(event);
  });
}

export function take(files) {
  if (!files.length) return;
  addFiles(files, chosen(), { opens: opensAlone() });
  announce(files.length === 1 ? `${files[0].name} was added.` : `${files.length} documents were added.`);
  location.hash = '#/';
}

export function takeAddress(text) {
  addAddress(text, chosen(), { opens: opensAlone() });
  announce('The address was added.');
  location.hash = '#/';
}

/** Reads the document that comes with this page. */
export async function readSample() {
  try {
    const sample = await blob('ui/sample.pdf');
    take([new File([sample], 'sample.pdf', { type: 'application/pdf' })]);
  } catch (error) {
    announce(sentence(error));
  }
}

function paste(event) {
  const files = [...event.clipboardData.files].map(named);
  const text = event.clipboardData.getData('text/plain').trim();
  if (files.length) take(files);
  else if (text && !isField(event.target) && !addressRefusal(text)) takeAddress(text);
  else return;
  event.preventDefault();
}

/** A picture out of the clipboard is always called `image.png`. */
function named(file) {
  if (file.name !== 'image.png') return file;
  const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '.');
  return new File([file], `Pasted ${time}.png`, { type: file.type });
}

function isField(target) {
  return target.matches?.('textarea, input:not([type=radio], [type=checkbox])') ?? false;
}
