// What is drawn over the pictures, which doubles as the legend of its colours.

import { h, replace, say } from '../dom.js';
import { icon } from './icons.js';
import { classOf, nameOf } from './kinds.js';

const LAYERS = [
  ['blocks', 'Blocks'],
  ['lines', 'Lines'],
  ['words', 'Words'],
  ['cells', 'Table cells'],
  ['order', 'Reading order'],
  ['doubts', 'Uncertain words'],
];

export function layersButton(room) {
  const { view } = room;
  const menu = h('div', { class: 'menu', id: 'layers-menu', popover: 'auto', role: 'dialog', ariaLabel: 'What is drawn' });
  const opener = h(
    'button',
    { type: 'button', class: 'tool wide', popovertarget: 'layers-menu', 'aria-haspopup': 'dialog', ariaLabel: 'Layers' },
    icon('layers'),
    h('span', { text: 'Layers' }),
  );
  const slider = threshold(view);
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') open(menu, opener, slider, room);
  });
  view.addEventListener('layers', () => sync(menu, view));
  return h('span', { class: 'group end' }, opener, menu);
}

function open(menu, opener, slider, room) {
  replace(
    menu,
    h('fieldset', {}, h('legend', { text: 'Draw over the page' }), LAYERS.map(([name, label]) => layer(room.view, name, label))),
    uprightBox(room.view),
    slider,
    legend(room),
  );
  const box = opener.getBoundingClientRect();
  menu.style.top = `${box.bottom + 6}px`;
  menu.style.left = `${Math.max(8, Math.min(box.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`;
}

function layer(view, name, label) {
  const box = h('input', {
    type: 'checkbox',
    dataset: { layer: name },
    checked: view.layers.has(name),
    on: { change: () => view.toggle(name) },
  });
  return h('label', { class: 'choice' }, box, h('span', { class: `swatch swatch-${name}` }), label);
}

function uprightBox(view) {
  const box = h('input', { type: 'checkbox', checked: view.upright, on: { change: () => view.setUpright(box.checked) } });
  return h('label', { class: 'choice' }, box, 'Pages upright, as they were read');
}

function sync(menu, view) {
  for (const box of menu.querySelectorAll('[data-layer]')) box.checked = view.layers.has(box.dataset.layer);
}

/** A slider for what counts as uncertain. */
export function threshold(view) {
  const told = h('output', {});
  const slider = h('input', {
    type: 'range',
    min: '0',
    max: '95',
    step: '1',
    value: String(Math.round(100 * view.threshold)),
    on: { input: () => view.doubt(Number(slider.value) / 100) },
  });
  const show = () => {
    slider.value = String(Math.round(100 * view.threshold));
    say(told, `${slider.value} %`);
  };
  view.addEventListener('threshold', show);
  show();
  return h('label', { class: 'threshold' }, h('span', {}, 'Uncertain below ', told), slider);
}

/** The kinds of block on the pages that are here, each with its colour and name. */
function legend({ pages, watch }) {
  const found = new Map();
  for (const number of watch.numbers) {
    for (const block of pages.maps.kept.get(number)?.page.blocks ?? []) found.set(nameOf(block), block.kind);
  }
  if (!found.size) return null;
  const kinds = [...found].sort(([a], [b]) => a.localeCompare(b));
  return h(
    'div',
    { class: 'legend' },
    h('p', { text: 'Kinds of block' }),
    h('ul', {}, kinds.map(([name, kind]) => h('li', {}, h('span', { class: `swatch ${classOf(kind)}` }), name))),
    h('p', { class: 'hint', text: 'Fainter outlines are less certain.' }),
  );
}
