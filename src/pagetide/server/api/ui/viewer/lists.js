// What the lists of a whole document share: they grow as one comes to their end, and say how
// far the pages have been gone over.

import { h, say } from '../dom.js';

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

/** How many pages have been gone over; hidden once all have. */
export function progressNote(survey) {
  const element = h('p', { class: 'hint progress-note' });
  const show = () => {
    const looked = survey.notes.size;
    element.hidden = looked >= survey.total;
    say(element, survey.complete ? `${looked} of ${survey.total} pages are read so far.` : `Looking through the pages: ${looked} of ${survey.total}`);
  };
  survey.addEventListener('progress', show);
  survey.watch.addEventListener('pages', show);
  show();
  return {
    element,
    close: () => {
      survey.removeEventListener('progress', show);
      survey.watch.removeEventListener('pages', show);
    },
  };
}
