// What the server has to do, and what it costs where there is nothing.

import { json } from '../api.js';
import { chartCard } from './chart.js';
import { h, replace, say } from '../dom.js';
import { pagesByMinute } from './page_rate.js';
import { limits } from '../limits.js';
import { upToDate } from '../up_to_date.js';
import { clock, counted } from '../words.js';

const LOOK_MS = 3000;
const PAGES_MS = 30_000;
const HOUR_S = 3600;
const SYSTEM = 'system'; // what servers do themselves: putting results together, webhooks

export async function openOperations(root) {
  const tiles = h('div', { class: 'tiles' });
  const charts = h('div', { class: 'charts' });
  const since = h('p', { class: 'lead' });
  const figures = { work: tile('Tasks now'), workers: tile('Workers now'), rate: tile('Pages per minute'), rest: tile('At rest') };
  const drawn = new Map();
  const watched = upToDate({ ask, show, calm: LOOK_MS });
  let pagesAt = -Infinity;

  replace(tiles, Object.values(figures).map((one) => one.element));
  root.append(h('header', {}, h('h1', { text: 'Operations' }), since), watched.error, tiles, charts);

  /** What the server has to do; beside it, less often, how many pages were read. */
  async function ask(signal) {
    const history = await json('v1/history', { signal });
    if (Date.now() - pagesAt <= PAGES_MS) return { history };
    pagesAt = Date.now();
    const { scopes } = await limits();
    return { history, rate: scopes.includes('read') ? await pagesByMinute(signal) : null };
  }

  function show({ history, rate }) {
    showWork(history);
    if (rate) showPages(rate);
    else if (rate === null) figures.rate.update('?', 'This key does not have the scope to see jobs.');
    return LOOK_MS;
  }

  function showWork(history) {
    const now = Date.parse(history.now) / 1000;
    const begun = Date.parse(history.since) / 1000;
    const pools = Object.entries(history.pools).filter(([name, pool]) => name !== SYSTEM || worked(pool));
    say(since, `The last hour, as observed by this server process since ${clock(begun)}. It checks every ${history.every_s} seconds while there is work, and not when idle.`);
    tell(figures, pools);
    for (const [name, pool] of pools) chart(name).update({ ...pool, now, begun, from: now - HOUR_S, every: history.every_s });
  }

  function showPages(rate) {
    figures.rate.update(String(rate.last), `Read in the last minute, ${rate.whose}. ${rate.covers}`);
    chart('pages').update(rate);
  }

  function chart(name) {
    if (!drawn.has(name)) {
      const made = chartCard(name);
      drawn.set(name, made);
      charts.append(made.element);
    }
    return drawn.get(name);
  }

  await watched.again();
  return watched;
}

const worked = (pool) => pool.waiting.some(Boolean) || pool.leased.some(Boolean);

function tell(figures, pools) {
  const last = (list) => list.at(-1) ?? 0;
  const sum = (pick) => pools.reduce((all, [, pool]) => all + (pick(pool) ?? 0), 0);
  const waiting = sum((pool) => last(pool.waiting));
  const held = sum((pool) => last(pool.leased));
  const told = pools.filter(([, pool]) => pool.workers.at(-1) !== null);
  figures.work.update(String(waiting + held), `${waiting} waiting, ${held} held by workers`);
  if (told.length) figures.workers.update(String(sum((pool) => pool.workers.at(-1))), told.map(([name, pool]) => `${name}: ${pool.workers.at(-1)}`).join(', '));
  else figures.workers.update('?', 'This server does not know the number of workers; see the system that starts them.');
  const kept = pools.filter(([, pool]) => pool.kept > 0);
  const count = kept.reduce((all, [, pool]) => all + pool.kept, 0);
  figures.rest.update(counted(count, 'worker'), count
    ? `Kept without work: ${kept.map(([name, pool]) => `${pool.kept} in ${name}`).join(', ')}. They cost even when idle.`
    : 'When idle, only this server runs: no work, no workers.');
}

function tile(label) {
  const big = h('p', { class: 'big', text: '…' });
  const note = h('p', { class: 'hint' });
  return {
    element: h('section', { class: 'card tile', ariaLabel: label }, h('p', { class: 'muted small', text: label }), big, note),
    update(value, text) {
      say(big, value);
      say(note, text);
    },
  };
}
