// All jobs of the key, newest first, kept up to date while they are looked at.

import { json, signedIn } from '../api.js';
import { h, say } from '../dom.js';
import { jobRow } from './job_row.js';
import { keyedRows } from '../rows.js';
import { upToDate } from '../up_to_date.js';
import { ENDED, STATUS_NAMES, statusWord } from '../words.js';

const A_PAGE = 20;
const BUSY_MS = 2000;
const CALM_MS = 10_000;

export async function openJobs(root) {
  const cursors = ['']; // how to ask for the pages up to the one that is shown
  let status = '';
  let next = null;
  let leafing = false;

  const body = h('tbody', { role: 'rowgroup' });
  const nothing = h('p', { class: 'nothing muted', hidden: true });
  const newer = h('button', { type: 'button', text: 'Newer', on: { click: () => leaf(-1) } });
  const older = h('button', { type: 'button', text: 'Older', on: { click: () => leaf(1) } });
  const table = h('table', { role: 'table', 'aria-labelledby': 'jobs-title' }, heads(), body);
  const show = keyedRows(body, { key: (job) => job.id, make: (job) => jobRow(job, { onChange: () => list.again() }) });
  const list = upToDate({ ask, show: draw, calm: CALM_MS });

  root.append(
    h('header', { class: 'head' },
      h('div', {}, h('h1', { id: 'jobs-title', text: 'Jobs' }), h('p', { class: 'lead', text: `Everything that this server was given${signedIn() ? ' with your key' : ''}, the newest first.` })),
      filter((wanted) => {
        status = wanted;
        cursors.splice(1);
        list.again();
      })),
    list.error,
    h('div', { class: 'card jobs' }, table, nothing),
    h('nav', { class: 'pager', ariaLabel: 'Pages of the list' }, newer, older));

  function ask(signal) {
    const query = new URLSearchParams({ limit: A_PAGE, ...(status && { status }), ...(cursors.at(-1) && { cursor: cursors.at(-1) }) });
    return json(`v1/jobs?${query}`, { signal });
  }

  function draw({ jobs, next_cursor: cursor }) {
    next = cursor;
    leafing = false;
    show(jobs);
    table.hidden = !jobs.length;
    nothing.hidden = jobs.length > 0;
    say(nothing, status ? `No job has the status “${statusWord(status)}”.` : 'There are no jobs yet. Drop a document anywhere in this window, or send one with the curl commands on the API page; it is then listed here.');
    newer.disabled = cursors.length === 1;
    older.disabled = !next;
    newer.parentElement.hidden = newer.disabled && older.disabled;
    return jobs.some((job) => !ENDED.has(job.status)) ? BUSY_MS : CALM_MS;
  }

  /** From what is shown: a second click before the first was answered leads nowhere. */
  function leaf(step) {
    if (leafing) return;
    leafing = true;
    if (step > 0) cursors.push(next);
    else cursors.pop();
    list.again();
  }

  await list.again();
  return list;
}

function heads() {
  const names = ['Document', 'Status', 'Pages', 'Submitted', 'Took'];
  return h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
    names.map((name) => h('th', { role: 'columnheader', scope: 'col', text: name })),
    h('th', { role: 'columnheader', scope: 'col' }, h('span', { class: 'unseen', text: 'Actions' }))));
}

function filter(onChange) {
  const select = h('select', { id: 'status' },
    h('option', { value: '', text: 'All' }),
    STATUS_NAMES.map((name) => h('option', { value: name, text: statusWord(name) })));
  select.addEventListener('change', () => onChange(select.value));
  return h('div', { class: 'filter' }, h('label', { for: 'status', text: 'Status' }), select);
}
