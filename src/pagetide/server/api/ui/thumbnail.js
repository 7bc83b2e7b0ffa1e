// A small picture of a document's page, loaded once somebody can see it.

import { picture } from './api.js';
import { h } from './dom.js';
import { Loader } from './loader.js';
import { isLock } from './stages.js';

const WIDTH = 160; // pixels: enough for screens with two to each of CSS

let pictures = made();
window.addEventListener('signed-out', () => {
  pictures.close();
  pictures = made();
});

function made() {
  return new Loader(pictureOf, { atOnce: 2, keep: 200 });
}

/** A picture by its path and, after a space, the password that opens it; null where that does
 *  not, or none is given: it is not asked for again. */
async function pictureOf(key) {
  const [path, password] = key.split(/ (.*)/s);
  try {
    return await picture(path, { password });
  } catch (error) {
    if (isLock(error)) return null;
    throw error;
  }
}

/** An empty place for the picture; `show(jobId)` fills it, once, when it is in sight. What has no
 *  picture, as an encrypted document without its `password`, leaves it empty. */
export function thumbnail(number = 1, password = '') {
  const image = h('canvas', { hidden: true }); // what an `img` has shown, the browser keeps
  const brush = image.getContext('bitmaprenderer');
  const element = h('span', { class: 'thumb', 'aria-hidden': 'true' }, image);
  let wanted = null;
  let closed = false;

  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    load(wanted);
  });

  async function load(jobId) {
    const path = `v1/jobs/${jobId}/pages/${number}/image?width=${WIDTH}`;
    const shown = await pictures.get(`${path} ${password}`).catch(() => null);
    const bitmap = shown && !closed && (await createImageBitmap(shown).catch(() => null));
    if (!bitmap) return;
    if (closed) return bitmap.close();
    Object.assign(image, { width: bitmap.width, height: bitmap.height });
    brush.transferFromImageBitmap(bitmap);
    image.hidden = false;
  }

  function show(jobId) {
    if (wanted === jobId) return;
    wanted = jobId;
    seen.observe(element);
  }

  /** Lets go of it at once. */
  function close() {
    closed = true;
    seen.disconnect();
    brush.transferFromImageBitmap(null);
    image.width = image.height = 0;
  }

  return { element, show, close };
}
