// One job in the list, and the attempts to tell its webhook.

import { json } from '../api.js';
import { openDeliveries } from './deliveries.js';
import { confirmErase } from '../dialog.js';
import { announce, h, once, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { thumbnail } from '../thumbnail.js';
import { ENDED, moment, progressLine, reviewWord, seconds, statusWord } from '../words.js';

export function jobRow(job, { onChange }) {
  const name = job.source.name || job.id;
  const title = h('span', { class: 'doc-name' }, h('a', { href: `#/jobs/${job.id}`, text: name }));
  const badge = h('span', { class: 'badge' });
  const review = h('p', { class: 'hint' });
  const why = h('p', { class: 'field-error', hidden: true });
  const pages = cell('Pages');
  const took = cell('Took');
  const buttons = h('div', { class: 'buttons' });
  const extra = h('div', { class: 'deliveries', hidden: true });
  const picture = thumbnail();
  let offered = '';
  let deliveries = null;

  const element = h('tr', { role: 'row' },
    h('td', { role: 'cell' }, h('div', { class: 'with-thumb' }, picture.element,
      h('div', {}, title, h('p', { class: 'doc-line' }, about(job)), extra))),
    h('td', { role: 'cell' }, badge, review, why), pages,
    cell('Submitted', h('time', { datetime: job.created_at, text: moment(job.created_at) })), took,
    h('td', { role: 'cell' }, buttons));

  function update(now) {
    const status = now.erased && now.status !== 'expired' ? 'erased' : now.status;
    badge.className = `badge ${status}`;
    say(badge, statusWord(status));
    say(review, reviewWord(now.review));
    if (now.erased) replace(title, 'A document that is gone');
    if (now.error) complain(`${now.error.message} To try again, choose the document again.`);
    say(pages.firstElementChild, pagesLine(now));
    say(took.firstElementChild, tookLine(now));
    if (now.status === 'succeeded' || now.status === 'partial') picture.show(job.id);
    offer(now);
    deliveries?.update();
  }

  function offer(now) {
    const names = now.erased ? 'nothing' : ENDED.has(now.status) ? 'erase' : 'cancel';
    if (names === offered) return;
    const focused = buttons.contains(document.activeElement);
    offered = names;
    replace(buttons,
      names !== 'nothing' && h('a', { class: 'button small', href: `#/jobs/${job.id}`, text: 'Open', ariaLabel: `Open ${name}` }),
      names !== 'nothing' && now.links.deliveries && button('Webhook', toggle),
      names === 'erase' && button('Erase', erase),
      names === 'cancel' && button('Cancel', cancel));
    if (focused) (buttons.lastElementChild ?? document.getElementById('main')).focus();
  }

  const button = (text, action) => h('button', {
    type: 'button', class: 'small', text, ariaLabel: `${text} ${name}`, on: { click: once(action) },
    ...(text === 'Webhook' && { ariaExpanded: 'false' }),
  });

  function toggle(event) {
    deliveries ??= openDeliveries(extra, job.id);
    extra.hidden = !extra.hidden;
    event.currentTarget.setAttribute('aria-expanded', String(!extra.hidden));
    deliveries.update({ now: true });
  }

  const cancel = () => attempt(() => json(`v1/jobs/${job.id}/cancel`, { method: 'POST' }), `${name} was cancelled.`);

  async function erase() {
    if (!(await confirmErase(name))) return;
    await attempt(() => json(`v1/jobs/${job.id}`, { method: 'DELETE' }), `${name} was erased.`);
    document.getElementById('main').focus({ preventScroll: true });
  }

  async function attempt(action, done) {
    try {
      await action();
      announce(done);
    } catch (problem) {
      complain(sentence(problem));
    }
    await onChange();
  }

  function complain(text) {
    say(why, text);
    why.hidden = !text;
  }

  return { element, update };
}

function cell(label, child = h('span')) {
  return h('td', { role: 'cell', dataset: { label } }, child);
}

function about(job) {
  const languages = job.languages.length ? ` · ${job.languages.join(', ')}` : '';
  const text = `${job.model}${languages}`;
  if (!job.cached) return text;
  return [`${text} · answered from an `, h('a', { href: `#/jobs/${job.cached_from}`, text: 'earlier job' })];
}

function pagesLine(job) {
  if (job.status === 'queued') return progressLine(job);
  const failed = job.pages_failed ? `, ${job.pages_failed} failed` : '';
  return `${job.pages_done} of ${job.pages_total}${failed}`;
}

function tookLine(job) {
  if (!job.finished_at || !job.started_at || job.cached) return job.finished_at ? '–' : '';
  return seconds((new Date(job.finished_at) - new Date(job.started_at)) / 1000);
}
