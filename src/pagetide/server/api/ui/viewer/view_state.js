// How pages are looked at: zoom, turn, layers, and what counts as uncertain.

const LEAST = 0.25;
const TINIEST = 0.02; // a large scan on a phone still fits
export const MOST = 4;
const STEPS = [0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
const KEPT_AS = 'pagetide.layers';
const UPRIGHT = 'pagetide.upright';
const LAYERS = ['blocks', 'lines', 'words', 'cells', 'order', 'doubts'];
const FIRST = ['blocks', 'doubts'];

export class ViewState extends EventTarget {
  fit = 'width'; // or `page`, or null where a zoom was chosen
  scale = 1; // CSS pixels for each pixel of the page
  across = 0; // CSS pixels that a page may take, where widths are fitted
  turn = 0; // degrees clockwise
  upright = localStorage.getItem(UPRIGHT) !== 'no';
  threshold = 0.8; // words with less confidence are marked
  layers = kept();

  /** Zooms to a scale, about a point of the window where one is given. */
  zoom(scale, about = null) {
    this.fit = null;
    this.#scale(scale, about);
  }

  zoomStep(direction, about = null) {
    const next =
      direction > 0
        ? STEPS.find((step) => step > this.scale * 1.01)
        : STEPS.findLast((step) => step < this.scale * 0.99);
    if (next) this.zoom(next, about);
  }

  /** The scale of a page so wide: where widths are fitted, each page's own. */
  scaleFor(width) {
    return this.fit === 'width' && this.across ? Math.min(MOST, Math.max(TINIEST, this.across / width)) : this.scale;
  }

  /** Fits pages into the pane, so wide; it follows the pane's size from then on. `scale` is that
   *  of the page that is looked at. */
  fitTo(fit, scale, across) {
    this.fit = fit;
    this.across = across;
    this.#scale(scale, null, TINIEST);
  }

  /** How far a page is turned clockwise to be seen: its content stands so far turned on it. */
  turnFor(orientation) {
    return (this.turn + (this.upright ? 360 - orientation : 0)) % 360;
  }

  /** Whether pages are shown as they were turned for reading, or as they are. */
  setUpright(upright) {
    this.upright = upright;
    localStorage.setItem(UPRIGHT, upright ? 'yes' : 'no');
    this.#tell('turn');
  }

  turnBy(degrees) {
    this.turn = (this.turn + degrees + 360) % 360;
    this.#tell('turn');
  }

  toggle(layer) {
    if (!this.layers.delete(layer)) this.layers.add(layer);
    localStorage.setItem(KEPT_AS, [...this.layers].join(' '));
    this.#tell('layers');
  }

  /** Marks words that are less certain than this, 0–1. */
  doubt(threshold) {
    this.threshold = threshold;
    this.#tell('threshold');
  }

  #scale(scale, about, least = LEAST) {
    this.scale = Math.min(MOST, Math.max(least, scale));
    this.#tell('zoom', { about });
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function kept() {
  const text = localStorage.getItem(KEPT_AS);
  const layers = text === null ? FIRST : text.split(' ').filter((name) => LAYERS.includes(name));
  return new Set(layers);
}
