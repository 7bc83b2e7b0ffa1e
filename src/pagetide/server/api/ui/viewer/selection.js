// What is pointed at and what is chosen: one part of one page, known to all panes.

export class Selection extends EventTarget {
  pointed = null;
  chosen = null;

  /** Somebody points at a part, or at none. */
  point(target, from) {
    if (same(this.pointed, target)) return;
    this.pointed = target;
    this.#tell('point', target, from);
  }

  /** Somebody chooses a part; the other panes come to it. */
  choose(target, from) {
    this.chosen = target;
    this.#tell('choose', target, from);
  }

  #tell(name, target, from) {
    this.dispatchEvent(new CustomEvent(name, { detail: { target, from } }));
  }
}

export function same(a, b) {
  return a === b || (a !== null && b !== null && a.page === b.page && a.id === b.id);
}

/** A target as text, for `data-at`. */
export function written({ page, id }) {
  return `${page}:${id}`;
}

export function read(text) {
  const [page, id] = text.split(':');
  return { page: Number(page), id };
}

/** The nearest element around a node that stands for a part, as a target. */
export function targetOf(node) {
  const element = node instanceof Element ? node.closest('[data-at]') : null;
  return element ? read(element.dataset.at) : null;
}
