// Above the pictures: which page, how large, how turned, what is drawn.

import { h, say } from '../dom.js';
import { icon } from './icons.js';
import { layersButton } from './layers_menu.js';

/** @param room As the picture pane has it. @param pane The picture pane. */
export function makeToolbar(room, pane) {
  const { view, watch } = room;
  const page = pageBox(room, pane);
  const percent = h('button', {
    type: 'button',
    class: 'percent',
    title: '100 %: one pixel of the page for each of the screen',
    on: { click: () => view.zoom(1) },
  });
  const fits = ['width', 'page'].map((kind) =>
    button(kind, `Fit the ${kind}`, () => pane.fit(kind), { 'aria-pressed': 'false' }),
  );
  const show = () => {
    say(percent, `${Math.round(100 * view.scale)} %`);
    percent.setAttribute('aria-label', `${percent.textContent}; zoom to 100 %`);
    fits[0].setAttribute('aria-pressed', String(view.fit === 'width'));
    fits[1].setAttribute('aria-pressed', String(view.fit === 'page'));
  };
  view.addEventListener('zoom', show);
  watch.addEventListener('pages', page.show);
  pane.addEventListener('page', page.show);
  show();
  return h(
    'div',
    { class: 'toolbar', role: 'toolbar', ariaLabel: 'Pictures' },
    page.element,
    h('span', { class: 'group' }, button('minus', 'Zoom out', () => view.zoomStep(-1)), percent,
      button('plus', 'Zoom in', () => view.zoomStep(1))),
    h('span', { class: 'group' }, fits),
    h('span', { class: 'group' }, button('left', 'Turn left', () => view.turnBy(-90)),
      button('right', 'Turn right', () => view.turnBy(90))),
    layersButton(room),
  );
}

export function button(name, label, click, more = {}) {
  return h('button', { type: 'button', class: 'tool', ariaLabel: label, title: label, on: { click }, ...more }, icon(name));
}

function pageBox({ watch }, pane) {
  const input = h('input', {
    type: 'number',
    min: '1',
    ariaLabel: 'Page',
    on: { change: () => typed(), focus: () => input.select() },
  });
  const total = h('span', { class: 'of' });
  const show = () => {
    if (document.activeElement !== input) input.value = String(pane.number ?? '');
    const { numbers } = watch;
    input.max = String(numbers.at(-1) ?? 1);
    say(total, `of ${numbers.length === numbers.at(-1) ? numbers.length : `1–${numbers.at(-1)}`}`);
  };
  const element = h(
    'span',
    { class: 'group pages' },
    button('up', 'Previous page', () => go(-1)),
    button('down', 'Next page', () => go(1)),
    input,
    total,
  );
  const typed = () => {
    pane.show(Number(input.value));
    pane.element.focus({ preventScroll: true }); // so that keys are the pictures' again
    show();
  };
  const go = (step) => {
    const at = watch.numbers.indexOf(pane.number);
    const number = watch.numbers[at + step];
    if (number !== undefined) pane.show(number);
  };
  return { element, show };
}
