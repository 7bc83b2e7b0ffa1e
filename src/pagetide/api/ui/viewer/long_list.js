// A list that grows as one comes to its end.

import { h } from '../dom.js';

const PART = 100;

/** @param items Anything. @param row Makes an item's `li`. @returns The list. */
export function longList(items, row, { label, ordered = false }) {
  const list = h(ordered ? 'ol' : 'ul', { class: 'long-list', ariaLabel: label });
  const end = h('li', { class: 'list-end', 'aria-hidden': 'true' });
  let shown = 0;
  const more = () => {
    const part = items.slice(shown, shown + PART);
    end.before(...part.map((item, i) => row(item, shown + i)));
    shown += part.length;
    if (shown >= items.length) (watcher.disconnect(), end.remove());
  };
  const watcher = new IntersectionObserver((seen) => {
    if (seen.some(({ isIntersecting }) => isIntersecting)) more();
  }, { rootMargin: '400px' });
  list.append(end);
  more();
  if (end.isConnected || shown < items.length) watcher.observe(end);
  return list;
}
