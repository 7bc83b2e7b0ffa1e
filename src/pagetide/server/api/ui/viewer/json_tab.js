// The document's JSON as a tree, made branch by branch.

import { h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { come } from './column.js';
import { couple } from './coupling.js';
import { aroundPages } from './json_around.js';
import { copyButton, copyResult, saveButton } from './results.js';

const PART = 100; // of a long list, in a branch

export function openJsonTab(panel, room) {
  const { watch, pages } = room;
  const branches = new Map(); // number to the branch of a page

  const head = h('ul', { class: 'tree' });
  const tail = h('ul', { class: 'tree' });
  let asked = false;

  function lay() {
    if (branches.size) return;
    const list = watch.numbers.map((number, i) => pageBranch(number, i));
    const tree = h('ul', { class: 'tree' }, h('li', {}, h('span', { class: 'key', text: 'pages' }), ` (${list.length})`, chunked(list)));
    const problem = h('span', { class: 'bad', role: 'alert' });
    const tell = (text) => say(problem, text);
    const tools = h('div', { class: 'pane-tools' }, copyButton(() => copyResult(room, 'json'), tell), saveButton(room, 'json', 'Download', tell), problem);
    replace(panel, tools, head, tree, tail);
    whole();
  }

  /** What stands around the pages, once it is known. */
  async function whole() {
    panel.querySelector('.pane-tools')?.toggleAttribute('hidden', !watch.hasResult);
    if (asked || !watch.hasResult) return;
    asked = true;
    try {
      const around = await aroundPages(room);
      replace(head, around.before ? children(around.before, [], 0) : leftOut('before'));
      replace(tail, around.after ? children(around.after, [], 0) : leftOut('behind'));
    } catch (error) {
      if (!room.signal.aborted) replace(tail, h('li', { class: 'hint', text: sentence(error) }));
    }
  }

  function pageBranch(number, i) {
    const item = branch(String(i), `page ${number}`, async () => {
      try {
        const { page } = await pages.map(number, { signal: room.signal });
        return children(page, [], number);
      } catch (error) {
        return [h('li', { class: 'hint', text: sentence(error) })];
      }
    });
    branches.set(number, item);
    return item;
  }

  async function show({ page, id }) {
    const path = pathOf(id);
    let item = branches.get(page);
    if (!item) return null;
    await openUp(item);
    for (const step of path) {
      await item.unfold();
      item = find(item, step) ?? (await findInPart(item, step));
      if (!item) return null;
    }
    come(panel, item.firstElementChild);
    return item;
  }

  const coupled = couple(panel, 'json', room, show);
  watch.addEventListener('pages', lay);
  watch.addEventListener('job', whole);
  if (watch.numbers.length) lay();
  return {
    show: () => coupled.again(true),
    close: () => (coupled.close(), watch.removeEventListener('pages', lay), watch.removeEventListener('job', whole)),
  };
}

const leftOut = (where) => h('li', { class: 'hint', text: `What stands ${where} the pages is too long to be shown: download the JSON.` });

/** The way from a page to a part of it: keys of objects and indexes of lists. */
export function pathOf(id) {
  const [first, second] = id.slice(1).split('-');
  return {
    b: ['blocks', first],
    l: ['lines', first],
    w: ['lines', first, 'words', second],
    c: ['blocks', first, 'table', 'cells', second],
  }[id[0]];
}

/** What a value at a path stands for; null for all but blocks, lines, words and cells. */
function partAt(path) {
  const [list, first, within, ...rest] = path;
  if (list === 'blocks' && path.length === 2) return `b${first}`;
  if (list === 'lines' && path.length === 2) return `l${first}`;
  if (list === 'lines' && within === 'words' && rest.length === 1) return `w${first}-${rest[0]}`;
  if (list === 'blocks' && within === 'table' && rest[0] === 'cells' && rest.length === 2) return `c${first}-${rest[1]}`;
  return null;
}

function children(value, path, page) {
  const items = Object.entries(value).map(([key, one]) => node(key, one, [...path, key], page));
  return Array.isArray(value) && items.length > PART ? [...chunked(items).children] : items;
}

function node(key, value, path, page) {
  const nested = value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  const item = nested ? branch(key, hint(value), async () => children(value, path, page)) : leaf(key, value);
  item.dataset.key = key;
  const part = partAt(path);
  if (part) item.dataset.at = `${page}:${part}`;
  return item;
}

function leaf(key, value) {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'empty' : typeof value;
  return h('li', {}, h('span', {}, h('span', { class: 'key', text: key }), ' ', h('code', { class: `value ${kind}`, text: JSON.stringify(value) })));
}

/** A branch whose children are made when it is first opened, and go when it is closed. */
function branch(key, told, make) {
  const list = h('ul');
  const opener = h('button', { type: 'button', class: 'twig', 'aria-expanded': 'false', on: { click: () => (isOpen() ? fold() : item.unfold()) } },
    h('span', { class: 'key', text: key }), ' ', h('span', { class: 'hint', text: told }));
  const item = h('li', { class: 'branch', dataset: { key } }, opener, list);
  const isOpen = () => opener.getAttribute('aria-expanded') === 'true';
  let opening = null;
  item.unfold = () => (opening ??= unfold());
  async function unfold() {
    opener.setAttribute('aria-expanded', 'true');
    replace(list, await make());
  }
  function fold() {
    opening = null;
    opener.setAttribute('aria-expanded', 'false');
    list.replaceChildren();
  }
  return item;
}

/** A long list in branches of a hundred. */
function chunked(items) {
  if (items.length <= PART) return h('ul', {}, items);
  const parts = [];
  for (let i = 0; i < items.length; i += PART) {
    const some = items.slice(i, i + PART);
    const part = branch(`${i}–${i + some.length - 1}`, '', async () => some);
    part.dataset.part = String(i / PART);
    some.forEach((item) => (item.inPart = part));
    parts.push(part);
  }
  return h('ul', {}, parts);
}

async function openUp(item) {
  await item.inPart?.unfold();
}

function find(item, key) {
  return [...item.lastElementChild.children].find((child) => child.dataset.key === key && !child.dataset.part);
}

async function findInPart(item, key) {
  const part = [...item.lastElementChild.children].find((child) => child.dataset.part === String(Math.floor(Number(key) / PART)));
  if (!part) return null;
  await part.unfold();
  return find(part, key);
}

function hint(value) {
  if (Array.isArray(value)) return typeof value[0] === 'number' ? JSON.stringify(value).slice(0, 60) : `[${value.length}]`;
  const said = value.kind ?? value.text ?? value.message ?? value.name;
  return said === undefined ? `{${Object.keys(value).length}}` : String(said).slice(0, 60);
}
