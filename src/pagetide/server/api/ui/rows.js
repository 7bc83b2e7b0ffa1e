// A list that follows what it shows without moving what stays: focus and open parts are kept.

/** Shows these items; `make(item)` gives `{element, update(item)}`. Items keep their order. */
export function keyedRows(parent, { key, make }) {
  let rows = new Map();
  return function show(items) {
    const wanted = new Set(items.map(key));
    for (const [id, row] of rows) if (!wanted.has(id)) row.element.remove();
    const next = new Map();
    let before = parent.firstElementChild;
    for (const item of items) {
      const id = key(item);
      const known = rows.get(id);
      const row = known ?? make(item);
      if (row.element !== before) parent.insertBefore(row.element, before);
      else before = before.nextElementSibling;
      row.update(item);
      next.set(id, row);
    }
    rows = next;
  };
}
