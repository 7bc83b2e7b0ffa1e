// The documents that were given to this page since it was opened: sent, followed to their end,
// and kept so that they can be sent again. It goes on while another view is shown; what was sent
// is there again when the page was loaded anew.

import * as api from './api.js';
import { refusal } from './checks.js';
import { keep, kept } from './kept_tray.js';
import { sentence } from './problem.js';
import { isLock } from './stages.js';
import { ENDED } from './words.js';

const SENT_AT_ONCE = 2;
// A browser opens six connections to a server; each job that is followed holds one.
const FOLLOWED_AT_ONCE = 2;
const LOOK_MS = 3000;

const NOT_SENT = 'It was not sent before the page was reloaded; please choose it again.';

/** @typedef {'checking'|'refused'|'pending'|'sending'|'failed'|'locked'|'submitted'|'gone'} State */

let entries = [];
let watchers = new Set();
let serial = 0;
let looking = null;

window.addEventListener('beforeunload', (event) => {
  if (entries.some(({ state, file }) => file && (state === 'sending' || state === 'pending'))) event.preventDefault();
});

export const all = () => entries;

/** Calls back whenever something has changed; gives what ends that. */
export function watch(callback) {
  watchers.add(callback);
  return () => watchers.delete(callback);
}

/** A document that comes alone `opens` by itself, once it is a job. */
export function addFiles(files, options, { opens = false } = {}) {
  for (const file of files) add({ file, name: file.name, size: file.size, opens: opens && files.length === 1 }, options);
}

export function addAddress(url, options, { opens = false } = {}) {
  add({ url, name: lastPart(url), opens }, options);
}

/** Sends a document that needs a password, with one. */
export function unlock(entry, password) {
  entry.password = password;
  retry(entry);
}

/** Brings back what this tab was about when the page was last there. */
export async function restore() {
  const told = kept();
  if (!told.length || entries.length) return;
  const list = await api.json('v1/jobs?limit=200');
  const known = new Map(list.jobs.map((job) => [job.id, job]));
  const back = told.flatMap(({ id, ...one }) => {
    const job = known.get(id) ?? null;
    if (id && (!job || job.erased)) return []; // gone meanwhile
    return [{ ...blank(one), job, state: job ? 'submitted' : 'gone', error: job ? '' : NOT_SENT }];
  });
  entries = [...entries, ...back];
  changed();
  next();
}

/** Stops the sending, or the job. What has been sent may be a job before we hear of it: then
 *  it is waited for and stopped. */
export async function cancel(entry) {
  if (!entry.job) {
    if (entry.file && entry.fraction < 1) entry.sending?.abort();
    remove(entry);
    return;
  }
  const { id } = entry.job;
  await attempt(entry, async () => hear(entry, id, await api.json(`v1/jobs/${id}/cancel`, { method: 'POST' })));
}

/** Sends the same document anew; the document is still in this page's memory. */
export function retry(entry) {
  // What the server has never answered may have arrived: the same key makes no second job.
  if (entry.job) entry.key = newKey();
  entry.following?.abort();
  entry.following = null;
  Object.assign(entry, { job: null, error: '', fraction: 0, state: 'pending' });
  changed();
  next();
}

export async function erase(entry) {
  await attempt(entry, async () => {
    await api.json(`v1/jobs/${entry.job.id}`, { method: 'DELETE' });
    remove(entry);
  });
}

export function remove(entry) {
  entry.following?.abort();
  entries = entries.filter((one) => one !== entry);
  changed();
  next();
}

/** Lets go of everything; nothing of one key is left to the next. */
export function forget() {
  for (const entry of entries) {
    entry.sending?.abort();
    entry.following?.abort();
  }
  clearTimeout(looking);
  entries = [];
  looking = null;
  changed();
}

function add(document, options) {
  const entry = blank({ ...document, options });
  for (const other of entries) other.opens = false;
  entries = [entry, ...entries];
  changed();
  check(entry);
}

const blank = (known) => ({
  id: ++serial, file: null, url: null, size: null, password: null, opens: false,
  state: 'checking', fraction: 0, job: null, error: '', key: newKey(), ...known,
});

async function check(entry) {
  try {
    const why = entry.file ? await refusal(entry.file) : '';
    Object.assign(entry, why ? { state: 'refused', error: why } : { state: 'pending' });
  } catch (error) {
    Object.assign(entry, { state: 'refused', error: sentence(error) });
  }
  changed();
  next();
}

function next() {
  const sending = entries.filter((entry) => entry.state === 'sending').length;
  const waiting = entries.filter((entry) => entry.state === 'pending').reverse();
  for (const entry of waiting.slice(0, Math.max(0, SENT_AT_ONCE - sending))) submit(entry);
  const active = entries.filter((entry) => entry.job && !ENDED.has(entry.job.status) && entry.state === 'submitted');
  const followed = active.filter((entry) => entry.following).length;
  const rest = active.filter((entry) => !entry.following).reverse();
  for (const entry of rest.splice(0, Math.max(0, FOLLOWED_AT_ONCE - followed))) follow(entry);
  if (rest.length && !looking) looking = setTimeout(look, LOOK_MS);
}

async function submit(entry) {
  Object.assign(entry, { state: 'sending', error: '', sending: new AbortController() });
  changed();
  try {
    const job = await api.send(formOf(entry), {
      signal: entry.sending.signal,
      idempotencyKey: entry.key,
      onProgress(fraction) {
        entry.fraction = fraction;
        changed();
      },
    });
    Object.assign(entry, { job, state: 'submitted', name: job.source.name || entry.name });
    if (!entries.includes(entry)) cancel(entry);
  } catch (error) {
    const state = isLock(error) ? 'locked' : 'failed';
    if (state === 'locked') entry.key = newKey(); // with a password it is another request
    Object.assign(entry, { state, error: sentence(error) || 'Cancelled before it was sent.' });
  }
  entry.sending = entry.password = null;
  changed();
  next();
}

function formOf({ file, url, options, name, password }) {
  const form = new FormData();
  form.set('model', options.model);
  if (options.languages.length) form.set('languages', options.languages.join(','));
  if (options.pages) form.set('pages', options.pages);
  for (const [name, value] of Object.entries(options.review)) form.set(name, value);
  if (password) form.set('password', password);
  if (url) form.set('file_url', url);
  else form.set('file', file, name); // the last: what is wrong with the rest is told sooner
  return form;
}

async function follow(entry) {
  const { id } = entry.job;
  const following = new AbortController();
  entry.following = following;
  try {
    await api.events(`v1/jobs/${id}/events`, {
      signal: following.signal,
      onEvent: (name, data) => hear(entry, id, name === 'position' ? { queue_position: data.position } : data),
      onConnection(there) {
        entry.lost = !there;
        changed();
      },
    });
  } catch (error) {
    if (error.name !== 'AbortError') gone(entry, sentence(error));
  }
  if (entry.following === following) entry.following = null;
  next();
}

/** Of a job that a retry has put another in the place of, nothing is heard. */
function hear(entry, id, told) {
  if (entry.job?.id === id) entry.job = { ...entry.job, ...told };
  changed();
}

function gone(entry, why) {
  Object.assign(entry, { state: 'gone', error: why });
  changed();
}

/** Looks at the jobs that are not followed, all in one request. */
async function look() {
  looking = null;
  const list = await api.json('v1/jobs?limit=200').catch(() => ({ jobs: [] }));
  const known = new Map(list.jobs.map((job) => [job.id, job]));
  for (const entry of entries) {
    const job = entry.job && !entry.following && known.get(entry.job.id);
    if (job?.erased) gone(entry, 'The document was erased.');
    else if (job) entry.job = { ...entry.job, ...job };
  }
  changed();
  next();
}

async function attempt(entry, action) {
  const { id } = entry.job;
  entry.error = '';
  try {
    await action();
  } catch (error) {
    if (entry.job?.id !== id) return;
    if (error.status === 404 || error.status === 410) gone(entry, sentence(error));
    else entry.error = sentence(error);
  }
  changed();
}

function changed() {
  keep(entries);
  for (const callback of watchers) callback();
}

function newKey() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function lastPart(url) {
  const { pathname, hostname } = new URL(url);
  try {
    return decodeURIComponent(pathname.split('/').filter(Boolean).pop() ?? hostname);
  } catch {
    return hostname;
  }
}
