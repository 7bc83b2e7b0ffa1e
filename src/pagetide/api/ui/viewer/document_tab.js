// The document as one reads it: all pages in one column, made as one comes to them.

import { h, replace } from '../dom.js';
import { sentence } from '../problem.js';
import { pageView } from './block_view.js';
import { couple, nearest } from './coupling.js';
import { Stack } from './stack.js';

const USUAL_HEIGHT = 700;

export function openDocumentTab(panel, room) {
  const { watch, pages } = room;
  let stack = null;
  let shown = new Set();

  function lay() {
    if (stack) return renew();
    const boxes = watch.numbers.map((number) => {
      const box = h('section', { class: 'reading-page', ariaLabel: `Page ${number}` });
      box.style.height = `${USUAL_HEIGHT}px`;
      return box;
    });
    replace(panel, h('div', { class: 'reading' }, boxes));
    stack = new Stack(panel, boxes, (i, box, signal) => fill(watch.numbers[i], box, signal));
    shown = new Set(watch.done);
  }

  /** Pages that were read meanwhile. */
  function renew() {
    watch.numbers.forEach((number, i) => {
      if ((watch.done.has(number) && !shown.has(number)) || watch.failed.has(number)) stack.refresh(i);
    });
    shown = new Set(watch.done);
  }

  async function fill(number, box, signal) {
    const label = h('p', { class: 'page-label', text: `Page ${number}` });
    try {
      replace(box, label, ...(await content(number, signal)));
      coupled.again();
    } catch (error) {
      if (!signal.aborted) replace(box, label, h('p', { class: 'notice bad', text: sentence(error) }));
    }
  }

  async function content(number, signal) {
    const failed = watch.failed.get(number);
    if (failed) return [h('p', { class: 'notice bad', text: `This page could not be read. ${failed.message}` })];
    if (!watch.done.has(number)) return [h('p', { class: 'hint', text: 'Not read yet.' })];
    const { page } = await pages.map(number, { signal });
    signal.throwIfAborted();
    if (page.error) return [h('p', { class: 'notice bad', text: `This page could not be read. ${page.error.message}` })];
    const blocks = pageView(page, (block) => figure(number, block, signal));
    return blocks.length ? blocks : [h('p', { class: 'hint', text: 'Nothing is written on this page.' })];
  }

  function figure(number, block, signal) {
    const image = h('img', { alt: `Page ${number}, ${block.kind} ${block.order + 1}`, class: 'crop' });
    pages.crop(number, block.order, { signal }).then(
      (blob) => {
        image.src = URL.createObjectURL(blob);
        signal.addEventListener('abort', () => URL.revokeObjectURL(image.src), { once: true });
      },
      (error) => signal.aborted || image.replaceWith(h('p', { class: 'hint', text: sentence(error) })),
    );
    return image;
  }

  async function show(target) {
    const index = watch.numbers.indexOf(target.page);
    if (!stack || index < 0) return null;
    const box = await stack.ready(index);
    const element = nearest(panel, target, await pages.map(target.page)) ?? box;
    come(panel, element);
    return element === box ? null : element;
  }

  /** Follows the pictures to a page, unless some of it is in sight. */
  function follow(number) {
    const box = stack?.boxes[watch.numbers.indexOf(number)];
    if (!box || panel.hidden) return;
    const [outer, inner] = [panel.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top > outer.bottom - 40 || inner.bottom < outer.top + 40) panel.scrollTop += inner.top - outer.top;
  }

  const coupled = couple(panel, 'text', room, show);
  watch.addEventListener('pages', lay);
  if (watch.numbers.length) lay();
  return {
    follow,
    show: () => coupled.again(true),
    close: () => (coupled.close(), stack?.close(), watch.removeEventListener('pages', lay)),
  };
}

/** Scrolls a pane so that an element is in sight. */
export function come(panel, element) {
  const outer = panel.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top >= outer.top + 20 && inner.bottom <= outer.bottom - 20) return;
  panel.scrollTop += inner.top - outer.top - Math.max(20, (outer.height - inner.height) / 2);
}
