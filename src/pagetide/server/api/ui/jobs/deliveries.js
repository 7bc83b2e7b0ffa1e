// What was tried to tell a job's webhook, and the button to try it again.

import { json } from '../api.js';
import { announce, h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { moment, seconds } from '../words.js';

const LOOK_MS = 2000;
const MOST_LOOKS = 30;

/** Shows them in `root`; `update()` looks again, at most every two seconds. */
export function openDeliveries(root, jobId) {
  const list = h('ul');
  const line = h('p', { class: 'muted small', role: 'status' });
  const again = h('button', { type: 'button', class: 'small', text: 'Deliver again', on: { click: redeliver } });
  const path = `v1/jobs/${jobId}/deliveries`;
  let last = 0;
  let drawn = '';
  root.append(line, list, again);

  async function update({ now = false } = {}) {
    if (root.hidden || (!now && Date.now() - last < LOOK_MS)) return;
    last = Date.now();
    try {
      show((await json(path)).deliveries);
    } catch (problem) {
      say(line, sentence(problem));
    }
  }

  async function redeliver() {
    again.disabled = true;
    try {
      const before = (await json(path, { method: 'POST' })).deliveries.length;
      announce('The webhook is called once more.');
      await beyond(before);
    } catch (problem) {
      say(line, sentence(problem));
    }
    again.disabled = false;
    if (document.activeElement === document.body) again.focus(); // where it was, unless it moved on
  }

  /** Until there is one more than there were; a webhook may take a while to answer. */
  async function beyond(before) {
    for (let look = 0; look < MOST_LOOKS && root.isConnected; look += 1) {
      const { deliveries } = await json(path);
      show(deliveries);
      if (deliveries.length > before) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 2));
    }
  }

  function show(tried) {
    const told = JSON.stringify(tried);
    if (told === drawn) return;
    drawn = told;
    say(line, tried.length ? 'Attempts to call the webhook:' : 'The webhook has not been called yet.');
    replace(list, tried.map((one) => h('li', { class: 'small', text: attemptLine(one) })));
  }

  return { update };
}

function attemptLine(one) {
  const what = one.succeeded ? `Delivered; it answered with ${one.status}.` : `Not delivered. ${one.error || `It answered with ${one.status}.`}`;
  return `${moment(one.at)}: ${what} It took ${seconds(one.elapsed_ms / 1000)}.`;
}
