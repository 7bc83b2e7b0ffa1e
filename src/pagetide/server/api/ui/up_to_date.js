// Keeps what is shown up to date while somebody looks: it is asked for again after a while, and
// as soon as the window is seen again.

import { h, say } from './dom.js';
import { sentence } from './problem.js';

/** @param ask Asks for it, until a signal. @param show Shows it; gives after how many
 *  milliseconds it is to be asked for again. @param calm The same, where it could not be had.
 *  @returns `error`, an element that says when what is shown may be old; `again()`; `close()`. */
export function upToDate({ ask, show, calm }) {
  const ends = new AbortController();
  const error = h('p', { class: 'notice bad', role: 'alert', hidden: true });
  let turn = 0;
  let timer = null;

  async function again() {
    const mine = ++turn;
    clearTimeout(timer);
    let wait = calm;
    try {
      const told = await ask(ends.signal);
      if (mine !== turn) return; // it was asked for anew meanwhile
      wait = show(told);
      error.hidden = true;
    } catch (problem) {
      if (mine !== turn || ends.signal.aborted) return;
      say(error, `${sentence(problem)} The data shown may be outdated.`);
      error.hidden = false;
    }
    if (!ends.signal.aborted && !document.hidden) timer = setTimeout(again, wait);
  }

  const wake = () => document.hidden || again();
  document.addEventListener('visibilitychange', wake);
  return {
    error,
    again,
    close() {
      ends.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
    },
  };
}
