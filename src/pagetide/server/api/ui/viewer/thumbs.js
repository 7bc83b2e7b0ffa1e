// The document's pages as a strip of small pictures, which leads to each.

import { h } from '../dom.js';
import { thumbnail } from '../thumbnail.js';
import { Stack } from './stack.js';

/** @param pane The picture pane, which it follows. */
export function makeThumbs({ watch, pages, view }, pane) {
  const element = h('nav', { class: 'thumbs', ariaLabel: 'Pages', hidden: true });
  let buttons = new Map();
  let stack = null;
  let shown = new Set();

  function lay() {
    const { numbers } = watch;
    if (buttons.size === numbers.length) return renew();
    buttons = new Map(numbers.map((number) => [number, h('button', {
      type: 'button', ariaLabel: `Page ${number}`, on: { click: () => pane.show(number) },
    })]));
    element.replaceChildren(...buttons.values());
    element.hidden = numbers.length < 2;
    stack?.close();
    stack = new Stack(element, [...buttons.values()], (i, box, signal) => fill(numbers[i], box, signal), { measured: false });
    shown = new Set(watch.done);
    mark();
  }

  /** A page's picture comes once it is read: drawing it takes nothing from the reading. */
  function fill(number, box, signal) {
    const picture = thumbnail(number, pages.password);
    signal.addEventListener('abort', picture.close, { once: true });
    box.replaceChildren(picture.element, h('span', { text: String(number) }));
    const shut = pages.locked && !pages.password;
    if (watch.done.has(number) && !shut) picture.show(watch.job.id);
    turn(number);
  }

  /** As upright as the page is shown, once it is known how its content stands. */
  function turn(number) {
    const image = buttons.get(number)?.querySelector('canvas');
    if (image) image.style.rotate = `${view.turnFor(pages.orientation(number))}deg`;
  }

  const learnt = ({ detail }) => turn(detail);
  const unlocked = () => watch.numbers.forEach((_, i) => stack?.refresh(i));
  const turned = () => watch.numbers.forEach(turn);

  function renew() {
    watch.numbers.forEach((number, i) => watch.done.has(number) && !shown.has(number) && stack.refresh(i));
    shown = new Set(watch.done);
  }

  function mark() {
    element.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const button = buttons.get(pane.number);
    if (!button) return;
    button.setAttribute('aria-current', 'true');
    const { offsetTop: top, offsetHeight: height } = button;
    if (top < element.scrollTop || top + height > element.scrollTop + element.clientHeight) element.scrollTop = top - height;
  }

  watch.addEventListener('pages', lay);
  pages.addEventListener('size', learnt);
  pages.addEventListener('unlocked', unlocked);
  view.addEventListener('turn', turned);
  pane.addEventListener('page', mark);
  lay();
  return {
    element,
    close: () => {
      watch.removeEventListener('pages', lay);
      stack?.close();
    },
  };
}
