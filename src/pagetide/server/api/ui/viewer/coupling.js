// Couples a pane's elements, which say by `data-at` what they stand for, with the selection.

import { same, targetOf, written } from './selection.js';

/** @param panel What holds the elements. @param from The pane's name.
 *  @param show Brings a target's element into sight: `async (target, map) => element | null`. */
export function couple(panel, from, { selection, pages }, show) {
  const ending = new AbortController();
  const { signal } = ending;
  const mark = async (name, target, come) => {
    panel.querySelectorAll(`.is-${name}`).forEach((old) => old.classList.remove(`is-${name}`));
    if (!target || panel.closest('[hidden]')) return;
    const element = come ? await show(target) : nearest(panel, target, pages.peek(target.page));
    if (element && same(selection[name], target)) element.classList.add(`is-${name}`);
  };
  panel.addEventListener('pointerover', (event) => selection.point(targetOf(event.target), from), { signal });
  panel.addEventListener('pointerleave', () => selection.point(null, from), { signal });
  panel.addEventListener('focusin', (event) => selection.point(targetOf(event.target), from), { signal });
  panel.addEventListener('click', (event) => {
    if (event.target.closest('button, summary, a') || !getSelection().isCollapsed) return;
    const target = targetOf(event.target);
    if (target) selection.choose(target, from);
  }, { signal });
  selection.addEventListener('point', ({ detail }) => mark('pointed', detail.target, false), { signal });
  selection.addEventListener('choose', ({ detail }) => mark('chosen', detail.target, detail.from !== from), { signal });
  return {
    /** Marks again what is made anew, and comes to it where asked. */
    again: (come = false) => (mark('pointed', selection.pointed, false), mark('chosen', selection.chosen, come)),
    close: () => ending.abort(),
  };
}

/** The element of a part, or of the smallest there is around it. */
export function nearest(panel, { page, id }, map) {
  const chain = map ? map.chain(id).map((part) => part.id) : [id];
  const cell = map?.cellAround(id);
  if (cell) chain.splice(-1, 0, cell.id);
  for (const one of chain) {
    const element = panel.querySelector(`[data-at="${written({ page, id: one })}"]`);
    if (element) return element;
  }
  return null;
}
