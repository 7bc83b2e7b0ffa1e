// What a page shows where a block stands, cut out by the server.

import { h } from '../dom.js';
import { sentence } from '../problem.js';

/** A picture of a block, until the signal; where there is none, why. */
export function cropOf(pages, number, block, signal) {
  const image = h('img', { alt: `Page ${number}, ${block.kind} ${block.order + 1}`, class: 'crop' });
  pages.crop(number, block.order, { signal }).then(
    (blob) => {
      if (signal.aborted) return;
      image.src = URL.createObjectURL(blob);
      signal.addEventListener('abort', () => URL.revokeObjectURL(image.src), { once: true });
    },
    (error) => signal.aborted || image.replaceWith(h('p', { class: 'hint', text: sentence(error) })),
  );
  return image;
}
