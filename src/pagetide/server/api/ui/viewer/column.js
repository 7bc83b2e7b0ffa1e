// All pages in one column, made as one comes to them, which follows the pictures.

import { h, replace } from '../dom.js';
import { sentence } from '../problem.js';
import { couple, nearest } from './coupling.js';
import { cropOf } from './crop.js';
import { Stack } from './stack.js';

const USUAL_HEIGHT = 700;
const ABOVE = 20; // pixels left free above a page; as in result.css

/** @param view Makes a page's elements: `(page, figure)`. @param place Where in the panel. */
export function openColumn(panel, room, name, view, place = panel) {
  const { watch, pages } = room;
  let stack = null;
  let shown = new Map();
  let followed = null;
  const sizes = new ResizeObserver(keep);

  function lay() {
    if (stack) return renew();
    const boxes = watch.numbers.map((number) => {
      const box = h('section', { class: 'reading-page', ariaLabel: `Page ${number}` });
      box.style.height = `${USUAL_HEIGHT}px`;
      return box;
    });
    replace(place, h('div', { class: `reading reading-${name}` }, boxes));
    stack = new Stack(panel, boxes, (i, box, signal) => fill(watch.numbers[i], box, signal));
    for (const box of boxes) sizes.observe(box);
    shown = lacks();
    begin(watch.numbers.indexOf(room.looksAt?.()));
  }

  const lacks = () => new Map(watch.numbers.map((number) => [number, watch.lack(number)?.text]));

  /** Pages of which more is known now. */
  function renew() {
    const now = lacks();
    watch.numbers.forEach((number, i) => now.get(number) !== shown.get(number) && stack.refresh(i));
    shown = now;
  }

  async function fill(number, box, signal) {
    const label = h('h2', { class: 'page-label', text: `Page ${number}` });
    try {
      replace(box, label, ...(await content(number, signal)));
      coupled.again();
    } catch (error) {
      if (!signal.aborted) replace(box, label, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  async function content(number, signal) {
    const lack = watch.lack(number);
    if (lack) return [h('p', { class: lack.tone === 'bad' ? 'notice bad' : 'hint', text: lack.text })];
    const { page } = await pages.map(number, { signal });
    signal.throwIfAborted();
    if (page.error) return [h('p', { class: 'notice bad', text: `This page could not be read. ${page.error.message}` })];
    const blocks = view(page, (block) => cropOf(pages, number, block, signal));
    return blocks.length ? blocks : [h('p', { class: 'hint', text: 'This page has no text.' })];
  }

  async function show(target) {
    const index = watch.numbers.indexOf(target.page);
    if (!stack || index < 0) return null;
    const box = await stack.ready(index);
    const element = nearest(panel, target, await pages.map(target.page)) ?? box;
    followed = null;
    come(panel, element);
    return element === box ? null : element;
  }

  /** Follows the pictures to a page, unless some of it is in sight. */
  function follow(number) {
    const box = stack?.boxes[watch.numbers.indexOf(number)];
    if (!box || panel.hidden) return;
    const [outer, inner] = [panel.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top <= outer.bottom - 40 && inner.bottom >= outer.top + 40) return;
    followed = box;
    keep();
  }

  /** A tab that is opened late begins where the pictures are, however long the pages are. */
  function begin(index) {
    if (index <= 0) return;
    followed = stack.boxes[index];
    keep();
  }

  /** Pages above that turn out longer than was thought push it away, until somebody scrolls. */
  function keep() {
    if (followed) panel.scrollTop += followed.getBoundingClientRect().top - panel.getBoundingClientRect().top - ABOVE;
  }

  const coupled = couple(panel, name, room, show);
  const changed = () => watch.numbers.length && lay();
  for (const event of ['pages', 'job']) watch.addEventListener(event, changed);
  const scrolled = (event) => event.target.closest('button') || (followed = null);
  for (const event of ['wheel', 'pointerdown', 'keydown']) panel.addEventListener(event, scrolled, { passive: true });
  changed();
  return {
    follow,
    show: () => (follow(room.looksAt?.()), coupled.again(true)),
    close: () => {
      coupled.close();
      stack?.close();
      sizes.disconnect();
      for (const event of ['pages', 'job']) watch.removeEventListener(event, changed);
      for (const event of ['wheel', 'pointerdown', 'keydown']) panel.removeEventListener(event, scrolled);
    },
  };
}

/** Scrolls a pane so that an element is in sight. */
export function come(panel, element) {
  const outer = panel.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top >= outer.top + 20 && inner.bottom <= outer.bottom - 20) return;
  panel.scrollTop += inner.top - outer.top - Math.max(20, (outer.height - inner.height) / 2);
}
