// Pictures and result side by side, with a bar between them to be dragged; on a phone, one of them.

import { h } from '../dom.js';

const KEPT_AS = 'pagetide.split';
const STEP = 4; // percent, for each key
const LEAST = 25;

export function makeSplit(left, right) {
  let share = Math.min(100 - LEAST, Math.max(LEAST, Number(localStorage.getItem(KEPT_AS)) || 54));
  const bar = h('div', {
    class: 'split-bar',
    role: 'separator',
    'aria-orientation': 'vertical',
    'aria-valuemin': String(LEAST),
    'aria-valuemax': String(100 - LEAST),
    ariaLabel: 'Width of the pictures',
    tabindex: '0',
    on: { pointerdown: grab, keydown: press },
  });
  const choices = [['left', 'Pages'], ['right', 'Result']].map(([side, label]) =>
    h('button', { type: 'button', text: label, on: { click: () => show(side) } }));
  const switcher = h('div', { class: 'switcher', role: 'group', ariaLabel: 'What is shown' }, choices);
  const element = h('div', { class: 'split' }, switcher, left, bar, right);

  function set(percent) {
    share = Math.min(100 - LEAST, Math.max(LEAST, percent));
    element.style.setProperty('--share', `${share}%`);
    bar.setAttribute('aria-valuenow', String(Math.round(share)));
  }

  function grab(event) {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const box = element.getBoundingClientRect();
    const move = ({ clientX }) => set((100 * (clientX - box.left)) / box.width);
    bar.addEventListener('pointermove', move);
    bar.addEventListener('lostpointercapture', () => {
      bar.removeEventListener('pointermove', move);
      localStorage.setItem(KEPT_AS, String(share));
    }, { once: true });
  }

  function press(event) {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    set(share + step);
    localStorage.setItem(KEPT_AS, String(share));
  }

  /** Of the two, on a phone, the one that is seen. */
  function show(side) {
    element.dataset.side = side;
    choices.forEach((button, i) => button.setAttribute('aria-pressed', String((i === 0) === (side === 'left'))));
  }

  set(share);
  show('left');
  return { element, show };
}
