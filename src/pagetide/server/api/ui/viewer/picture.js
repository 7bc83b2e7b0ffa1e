// A page's picture, no larger than it is seen. An `img` would leave each page it has shown,
// decoded in full, in the browser's memory for as long as that likes.

import { h } from '../dom.js';

const STILL_MS = 150; // after which a zoom counts as chosen

export class Picture {
  /** @param blob The picture, as it came. */
  constructor(blob) {
    this.blob = blob;
    this.element = h('canvas', { class: 'picture', 'aria-hidden': 'true' });
    this.brush = this.element.getContext('bitmaprenderer');
    this.closed = false;
    this.drawn = 0; // pixels across
  }

  /** Draws it for a place so many pixels of the window wide; gives its own width and height. */
  async open(across) {
    const whole = await createImageBitmap(this.blob);
    this.size = { width: whole.width, height: whole.height };
    if (this.#wanted(across) === whole.width) this.#show(whole);
    else {
      whole.close();
      await this.#draw(across);
    }
    return this.size;
  }

  /** Draws it anew for another place, once that has settled. */
  resize(across) {
    clearTimeout(this.timer);
    if (!this.size || this.#wanted(across) === this.drawn) return;
    this.timer = setTimeout(() => this.#draw(across), STILL_MS);
  }

  /** Lets go of it at once. */
  close() {
    clearTimeout(this.timer);
    this.closed = true;
    this.blob = null;
    this.brush.transferFromImageBitmap(null);
    this.element.width = this.element.height = 0;
  }

  #wanted(across) {
    return Math.min(this.size.width, Math.max(1, Math.round(across * devicePixelRatio)));
  }

  async #draw(across) {
    const width = this.#wanted(across);
    const height = Math.max(1, Math.round((width * this.size.height) / this.size.width));
    const options = { resizeWidth: width, resizeHeight: height, resizeQuality: 'medium' };
    if (!this.closed) this.#show(await createImageBitmap(this.blob, options));
  }

  #show(bitmap) {
    if (this.closed) return bitmap.close();
    this.drawn = bitmap.width;
    this.brush.transferFromImageBitmap(bitmap);
  }
}
