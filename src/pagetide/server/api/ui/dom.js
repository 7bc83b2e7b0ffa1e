// Elements without markup: nothing on this page is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'selected', 'multiple']);

/** An element. Props: `class`, `text`, `on: {click: fn}`, `dataset`, `style` as an object,
 *  `ariaLabel` and the like, and any attribute. Children that are null or false are left out. */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for drawings. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Puts these in place of all that a parent holds. */
export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(shown));
  return parent;
}

/** Changes a text only where it is another one, so that selections and readers stay calm. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** For a button that another takes the place of: a double click presses the first alone. */
export const once = (action) => (event) => event.detail > 1 || action(event);

let last = '';

/** Tells a screen reader, when it has finished what it reads now. */
export function announce(text) {
  const region = document.getElementById('live');
  if (!region) return;
  region.textContent = text === last ? `${text}\u00a0` : text; // the same twice is heard twice
  last = region.textContent;
}

const shown = (child) => child !== null && child !== undefined && child !== false;

export function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  element.append(...children.flat(Infinity).filter(shown));
  return element;
}

function set(element, name, value) {
  if (name === 'class') element.setAttribute('class', value);
  else if (name === 'text') element.textContent = value;
  else if (name === 'on') listen(element, value);
  else if (name === 'dataset') marked(element, value);
  else if (name === 'style') styled(element, value);
  else if (PROPERTIES.has(name) && name in element) element[name] = value;
  else if (value !== null && value !== undefined && value !== false) {
    element.setAttribute(attribute(name), value === true ? (name.startsWith('aria') ? 'true' : '') : value);
  }
}

function attribute(name) {
  return /^aria[A-Z]/.test(name) ? `aria-${name.slice(4).toLowerCase()}` : name;
}

/** As attributes: an element's own `dataset` is another object, and a page has thousands of words. */
function marked(element, values) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(`data-${name}`, value);
}

function listen(element, listeners) {
  for (const [event, listener] of Object.entries(listeners)) element.addEventListener(event, listener);
}

function styled(element, values) {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value);
}
