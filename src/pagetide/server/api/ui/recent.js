// The last jobs beside those of the tray, so that a page that was loaded anew is not empty.

import { json } from './api.js';
import { h, say } from './dom.js';
import { keyedRows } from './rows.js';
import { all } from './tray.js';
import { thumbnail } from './thumbnail.js';
import { ENDED, counted, moment, statusWord } from './words.js';

const MOST = 5;
const LOOK_MS = 3000;

/** Shows them, and looks again while one of them is read; what fails here is no loss. */
export function openRecent(section, signal) {
  const list = h('ul', { class: 'card docs' });
  const show = keyedRows(list, { key: (job) => job.id, make: recentRow });
  section.append(
    h('div', { class: 'head' }, h('h2', { id: 'recent-title', text: 'Recent jobs' }), h('a', { href: '#/jobs', text: 'All jobs' })),
    list);

  async function look() {
    const found = await json('v1/jobs?limit=20', { signal }).catch(() => null);
    if (!found || signal.aborted) return;
    const here = new Set(all().map((entry) => entry.job?.id));
    const rest = found.jobs.filter((job) => !here.has(job.id) && !job.erased).slice(0, MOST);
    section.hidden = !rest.length;
    show(rest);
    if (rest.some((job) => !ENDED.has(job.status))) setTimeout(() => signal.aborted || look(), LOOK_MS);
  }

  look();
}

function recentRow(job) {
  const badge = h('span');
  const picture = thumbnail();
  const element = h('li', { class: 'doc' }, picture.element,
    h('div', { class: 'doc-main' },
      h('div', { class: 'doc-title' },
        h('span', { class: 'doc-name' }, h('a', { class: 'cover', href: `#/jobs/${job.id}`, text: job.source.name || job.id })), badge),
      h('p', { class: 'doc-line', text: `${moment(job.created_at)} · ${counted(job.pages_total, 'page')} · ${job.model}` })));
  return {
    element,
    update(now) {
      badge.className = `badge ${now.status}`;
      say(badge, statusWord(now.status));
      if (now.status === 'succeeded' || now.status === 'partial') picture.show(job.id);
    },
  };
}
