// What hands do: to the pictures by pointing, clicking, wheel, pinch and arrows; and by keys anywhere.

const WHEEL = 0.0025; // of a doubling, for each pixel that a wheel turned

const STEPS = {
  ArrowDown: ['blocks', 1],
  ArrowUp: ['blocks', -1],
  ArrowRight: ['words', 1],
  ArrowLeft: ['words', -1],
};

/** Makes a pane listen to hands; `close()` ends it. */
export function readyHands(pane) {
  const { view, selection } = pane.room;
  const { element } = pane;
  const ending = new AbortController();
  const on = (name, listener, options = {}) =>
    element.addEventListener(name, listener, { ...options, signal: ending.signal });

  on('pointermove', (event) => {
    if (event.pointerType !== 'touch') selection.point(pane.at(event.clientX, event.clientY), 'picture');
  });
  on('pointerleave', () => selection.point(null, 'picture'));
  on('click', (event) => {
    const target = pane.at(event.clientX, event.clientY);
    selection.choose(target, 'picture');
  });
  on('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === 0 ? event.deltaY : 30 * event.deltaY;
    view.zoom(view.scale * 2 ** (-pixels * WHEEL), { x: event.clientX, y: event.clientY });
  }, { passive: false });
  on('keydown', (event) => {
    const sheet = event.target.closest('.sheet');
    const step = STEPS[event.key];
    if (!sheet || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    pane.step(Number(sheet.dataset.page), ...step);
  });
  readyPinch(on, view);
  return { close: () => ending.abort() };
}

/** Two fingers zoom; one scrolls, as everywhere. */
function readyPinch(on, view) {
  let apart = 0;
  const spread = ({ touches: [a, b] }) => ({
    apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
    x: (a.clientX + b.clientX) / 2,
    y: (a.clientY + b.clientY) / 2,
  });
  on('touchstart', (event) => {
    if (event.touches.length === 2) apart = spread(event).apart;
  }, { passive: true });
  on('touchmove', (event) => {
    if (event.touches.length !== 2 || !apart) return;
    event.preventDefault();
    const now = spread(event);
    view.zoom((view.scale * now.apart) / apart, { x: now.x, y: now.y });
    apart = now.apart;
  }, { passive: false });
  on('touchend', () => (apart = 0), { passive: true });
}

/** Makes keys do things anywhere in the viewer.
 *  @param actions What is done, by name. @returns What ends it. */
export function readyKeys(actions) {
  const typing = (target) => target.closest('input:not([type=checkbox]):not([type=range]), textarea, select, dialog');
  const table = {
    '+': () => actions.zoom(1),
    '=': () => actions.zoom(1),
    '-': () => actions.zoom(-1),
    '0': () => actions.fit('width'),
    '9': () => actions.fit('page'),
    '1': () => actions.zoomTo(1),
    r: () => actions.turn(90),
    R: () => actions.turn(-90),
    j: () => actions.step('blocks', 1),
    k: () => actions.step('blocks', -1),
    n: () => actions.hit(1),
    N: () => actions.hit(-1),
    '/': () => actions.find(),
  };
  function pressed(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
      if (actions.finding()) return; // asked twice: the browser's own search
      event.preventDefault();
      return actions.find();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const action = table[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}
