// The pages of a job: their contents, pictures and sizes, fetched as they are needed.

import { Loader } from '../loader.js';
import { isLock } from '../stages.js';
import { PageMap } from './page_map.js';

const PAGES_KEPT = 6; // with 12, 300 dense pages took 411 MB when all were searched; with 6, 342 to 367
const USUAL = { width: 1190, height: 1684 }; // A4 at 144 dpi, until a page is known

export class Pages extends EventTarget {
  constructor(api, path) {
    super();
    this.sizes = new Map();
    this.orientations = new Map();
    this.password = ''; // of an encrypted document, whose job has forgotten it
    this.locked = false; // whether it is such a document, as far as is known
    this.maps = new Loader((n, signal) => this.#map(api, path, n, signal), { atOnce: 3, keep: PAGES_KEPT });
    this.passing = new Loader((n, signal) => this.#page(api, `${path}/pages/${n}?polygons=false`, n, signal), { atOnce: 2, keep: 0 });
    this.pictures = new Loader((n, signal) => this.#open(api.picture, `${path}/pages/${n}/image`, signal), {
      atOnce: 2,
      keep: 0, // those that are seen hold their own
    });
    this.crops = new Loader((key, signal) => this.#open(api.blob, `${path}/pages/${key}.png`, signal), {
      atOnce: 2,
      keep: 0,
    });
  }

  /** What a page shows where a block stands, as a Blob. */
  crop(number, order, options) {
    return this.crops.get(`${number}/figures/${order}`, options);
  }

  /** A page that is read, with its parts by name. */
  map(number, options) {
    return this.maps.get(number, options);
  }

  /** A page that is only looked through, and not kept: what it says, not where. */
  async page(number, options) {
    if (this.maps.has(number)) return (await this.map(number, options)).page;
    return this.passing.get(number, options);
  }

  /** A page that is read, with its parts, if it is here. */
  peek(number) {
    return this.maps.peek(number);
  }

  /** A page's picture, as a Blob. */
  picture(number, options) {
    return this.pictures.get(number, options);
  }

  /** A page's width and height in its pixels; a guess until it was seen. */
  size(number) {
    return this.sizes.get(number) ?? this.sizes.values().next().value ?? USUAL;
  }

  /** How far a page's content stands turned clockwise on it; 0 until it is read. */
  orientation(number) {
    return this.orientations.get(number) ?? 0;
  }

  /** What a page's size, and its content's turn, turned out to be. Nobody is told of a page that
   *  is as it was taken to be: 300 pages laid out anew for each of them are much to clear away. */
  learn(number, { width, height, orientation = this.orientation(number) }) {
    const guess = this.size(number);
    const same = guess.width === width && guess.height === height && orientation === this.orientation(number);
    this.sizes.set(number, { width, height });
    this.orientations.set(number, orientation);
    if (!same) this.dispatchEvent(new CustomEvent('size', { detail: number }));
  }

  /** Pictures are asked for with this password from now on; `unlocked` tells those that were locked. */
  unlock(password) {
    this.password = password;
    this.dispatchEvent(new Event('unlocked'));
  }

  close() {
    this.maps.close();
    this.passing.close();
    this.pictures.close();
    this.crops.close();
  }

  /** A picture that is asked for while another password is given is asked for with that one. */
  async #open(ask, path, signal) {
    const { password } = this;
    try {
      return await ask(path, { signal, password });
    } catch (error) {
      if (!isLock(error)) throw error;
      if (password !== this.password) return this.#open(ask, path, signal);
      this.locked = true;
      this.dispatchEvent(new CustomEvent('locked', { detail: error }));
      throw error;
    }
  }

  async #map(api, path, number, signal) {
    return new PageMap(await this.#page(api, `${path}/pages/${number}`, number, signal));
  }

  async #page(api, path, number, signal) {
    const page = await api.json(path, { signal });
    this.learn(number, page);
    return page;
  }
}
