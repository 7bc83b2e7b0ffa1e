// What keys do anywhere in the viewer.

/** @param actions What is done, by name. @returns What ends it. */
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
