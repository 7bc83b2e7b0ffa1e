// What a page shows where a block stands, cut out by the server.

import { h, say } from '../dom.js';
import { sentence } from '../problem.js';
import { isLock } from '../stages.js';

/** A picture of a block, until the signal; where there is none, why. */
export function cropOf(pages, number, block, signal) {
  const image = h('img', { alt: `Page ${number}, ${block.kind} ${block.order + 1}`, class: 'crop' });
  const why = h('p', { class: 'hint' });

  async function load() {
    try {
      const blob = await pages.crop(number, block.order, { signal });
      if (signal.aborted) return;
      image.src = URL.createObjectURL(blob);
      signal.addEventListener('abort', () => URL.revokeObjectURL(image.src), { once: true });
      why.replaceWith(image);
    } catch (error) {
      if (signal.aborted) return;
      say(why, sentence(error));
      image.replaceWith(why);
      if (isLock(error)) pages.addEventListener('unlocked', load, { once: true, signal });
    }
  }

  load();
  return image;
}
