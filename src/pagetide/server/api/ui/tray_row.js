// One document in the tray: how far it is, and what can be done.

import { confirmErase } from './dialog.js';
import { announce, h, once, replace, say } from './dom.js';
import { passwordForm } from './password_form.js';
import { atHand, isLocked, stageOf } from './stages.js';
import { thumbnail } from './thumbnail.js';
import { cancel, erase, remove, retry, unlock } from './tray.js';
import { ENDED, bytes, counted, progressLine, statusWord } from './words.js';

const WORDS = {
  checking: 'Looking at it',
  refused: 'Not sent',
  pending: 'Next to be sent',
  sending: 'Sending',
  failed: 'Not sent',
  locked: 'Needs a password',
  gone: 'Gone',
};

export function trayRow(entry) {
  const title = h('span', { class: 'doc-name' });
  const badge = h('span', { class: 'badge' });
  const line = h('p', { class: 'doc-line' });
  const error = h('p', { class: 'field-error' });
  const bar = h('progress', { max: 1, ariaLabel: `How far ${entry.name} is` });
  const buttons = h('div', { class: 'buttons' });
  const picture = thumbnail();
  const lock = passwordForm(entry.name, (password) => unlock(entry, password));
  const element = h('li', { class: 'doc' }, picture.element,
    h('div', { class: 'doc-main' }, h('div', { class: 'doc-title' }, title, badge), line, bar, error, lock), buttons);
  let offered = '';
  let told = '';

  function update() {
    const { job } = entry;
    const isJob = job && entry.state === 'submitted';
    const status = isJob ? job.status : entry.state;
    nameIt(title, entry);
    say(badge, (!isJob && WORDS[status]) || statusWord(status));
    badge.className = `badge ${status}`;
    say(line, lineOf(entry));
    const why = entry.error || job?.error?.message || '';
    say(error, why);
    error.hidden = !why;
    measure(bar, entry);
    lock.hidden = !(isLocked(entry) && atHand(entry));
    if (stageOf(entry) === 'read') picture.show(job.id); // rendering takes nothing from reading
    offer(status);
    tell(status, why);
  }

  function offer(status) {
    const actions = actionsOf(entry, status);
    const names = actions.map(([name, action]) => (typeof action === 'string' ? action : name)).join();
    if (names === offered) return;
    const focused = buttons.contains(document.activeElement);
    offered = names;
    replace(buttons, actions.map(actionView));
    if (focused) (buttons.querySelector('button, a') ?? title.querySelector('a'))?.focus();
  }

  function actionView([name, action]) {
    const shared = { class: 'small', ariaLabel: `${name} ${entry.name}`, text: name };
    if (typeof action === 'string') return h('a', { ...shared, class: 'button small', href: action });
    return h('button', { ...shared, type: 'button', on: { click: once(action) } });
  }

  function tell(status, why) {
    if (status === told) return;
    const before = told;
    told = status;
    const end = status === 'refused' || status === 'failed' || status === 'gone' || ENDED.has(status);
    if (before && end) announce(`${entry.name}: ${why || lineOf(entry)}.`.replace('..', '.'));
  }

  return { element, update };
}

function nameIt(title, entry) {
  const wanted = entry.job && entry.state === 'submitted' ? `#/jobs/${entry.job.id}` : '';
  const link = title.querySelector('a');
  if (wanted && link?.getAttribute('href') === wanted) say(link, entry.name);
  else replace(title, wanted ? h('a', { class: 'cover', href: wanted, text: entry.name }) : entry.name);
}

function lineOf(entry) {
  const { job, state } = entry;
  const size = entry.size === null ? 'From an address' : bytes(entry.size);
  const how = `${size} · ${entry.options.model}`;
  if (state === 'sending') {
    const sent = entry.file && entry.fraction < 1 ? `${Math.round(100 * entry.fraction)} % sent` : 'The server is processing the upload';
    return `${how} · ${sent}`;
  }
  if (!job || state !== 'submitted') return how;
  if (entry.lost && !ENDED.has(job.status)) return `${how} · The connection is lost; retrying`;
  if (job.status === 'failed' || job.status === 'cancelled') return how;
  if (job.cached) return `${how} · ${counted(job.pages_total, 'page')}, answered from an earlier job`;
  return `${how} · ${progressLine(job)}`;
}

function measure(bar, entry) {
  const { job, state } = entry;
  const reading = job && state === 'submitted' && !ENDED.has(job.status);
  bar.hidden = !(state === 'sending' || reading);
  if (reading) bar.value = job.pages_total ? job.pages_done / job.pages_total : 0;
  else bar.value = entry.fraction;
}

/** What can be done, each as a name with what does it or where it leads; what harms comes last. */
function actionsOf(entry, status) {
  const again = ['Retry', () => retry(entry)];
  const away = ['Remove', () => remove(entry)];
  if (['checking', 'refused', 'gone', 'locked'].includes(status)) return [away];
  if (status === 'failed' && !entry.job) return [again, away];
  const look = entry.job && ['Open', `#/jobs/${entry.job.id}`];
  if (!ENDED.has(status)) return [look, ['Cancel', () => cancel(entry)]].filter(Boolean);
  const wipe = ['Erase', async () => (await confirmErase(entry.name)) && erase(entry)];
  return status === 'succeeded' || !atHand(entry) ? [look, wipe] : [look, again, wipe];
}
