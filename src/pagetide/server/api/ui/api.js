// The only door to the server. It shows the key, tells of problems, and lets nothing of one
// key reach the next: signing out ends every request that is under way.

import { readEvents } from './event_stream.js';
import { Problem, problemOf } from './problem.js';

export { Problem };

const BASE = new URL('../', import.meta.url); // wherever a proxy has put the server
const KEPT_AS = `pagetide.key ${BASE.pathname}`;
const FAILED = new Problem({
  code: 'server_unreachable',
  detail: 'The server cannot be reached.',
  retryable: true,
});

const SIGNED_OUT = new DOMException('signed out', 'AbortError');

let session = new AbortController();

export function signedIn() {
  return key() !== null;
}

/** Keeps the key for this tab if it opens; raises the Problem if it does not. */
export async function signIn(text) {
  const headers = { Authorization: `Bearer ${text}` };
  const answer = await fetch(address('v1/limits'), { headers, cache: 'no-store' }).catch(() => {
    throw FAILED;
  });
  if (!answer.ok) throw await problemOf(answer);
  sessionStorage.setItem(KEPT_AS, text);
  window.dispatchEvent(new CustomEvent('signed-in'));
}

/** Forgets the key and ends whatever was asked with it. */
export function signOut(why = '') {
  sessionStorage.removeItem(KEPT_AS);
  session.abort(SIGNED_OUT);
  session = new AbortController();
  window.dispatchEvent(new CustomEvent('signed-out', { detail: why }));
}

/** Whatever is answered to a request that somebody made up: a refusal, too. */
export async function request(path, { method, headers = {}, body }) {
  return fetch(address(path), { method, headers: { ...headers, ...credentials() }, body, signal: session.signal, cache: 'no-store' }).catch((error) => {
    throw error.name === 'AbortError' ? error : FAILED;
  });
}

/** An answer in JSON; null where it has no body. */
export async function json(path, { method = 'GET', body, signal } = {}) {
  const answer = await ask(path, { method, body, signal });
  return answer.status === 204 ? null : answer.json();
}

/**
 * What is there, as a Blob; null where it is still being made.
 *
 * @param password Of an encrypted document, whose job has forgotten it.
 */
export async function blob(path, { signal, password } = {}) {
  const answer = await ask(path, { signal, password });
  return answer.status === 202 ? null : answer.blob();
}

/** A page's picture, to be looked at: a JPEG is made sooner, and smaller, than its exact pixels. */
export async function picture(path, { signal, password } = {}) {
  return (await ask(path, { signal, password, accept: 'image/jpeg' })).blob();
}

/** @param range The bytes that are asked for, such as `0-99`; all unless told. */
export async function text(path, { signal, range } = {}) {
  return (await ask(path, { signal, range })).text();
}

/** Has the browser keep something as a file. */
export function saveBlob(content, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  const forget = () => URL.revokeObjectURL(link.href);
  setTimeout(forget, 60_000); // once the browser has read it
  session.signal.addEventListener('abort', forget, { once: true });
}

/** Submits a form as a job. `fetch` cannot tell how much it has sent; XMLHttpRequest can. */
export function send(form, { onProgress = () => {}, signal, idempotencyKey } = {}) {
  const request = new XMLHttpRequest();
  const ends = either(signal);
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.abort();
      reject(ends.reason);
    };
    if (ends.aborted) return stop();
    ends.addEventListener('abort', stop, { once: true });
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onerror = () => reject(FAILED);
    request.onloadend = () => ends.removeEventListener('abort', stop);
    const mine = session;
    request.onload = () => answered(request, mine).then(resolve, reject);
    request.open('POST', address('v1/jobs'));
    for (const [name, value] of Object.entries(credentials())) request.setRequestHeader(name, value);
    if (idempotencyKey) request.setRequestHeader('Idempotency-Key', idempotencyKey);
    request.send(form);
  });
}

/** Follows a job's events to its end; resolves then. A broken connection is made again.
 *  `onConnection(false)` and `(true)` tell of that. */
export async function events(path, { onEvent, onConnection = () => {}, signal } = {}) {
  const ends = either(signal);
  await readEvents((inner) => ask(path, { signal: inner }), { onEvent, onConnection, signal: ends });
}

function key() {
  return sessionStorage.getItem(KEPT_AS);
}

function credentials() {
  return signedIn() ? { Authorization: `Bearer ${key()}` } : {};
}

/** Nobody but this server is ever shown the key, whatever a path is made of. */
function address(path) {
  const url = new URL(path.replace(/^\//, ''), BASE);
  if (!url.href.startsWith(BASE.href)) throw new Error(`${url} is not of this server`);
  return url;
}

function either(signal) {
  return signal ? AbortSignal.any([session.signal, signal]) : session.signal;
}

async function ask(path, { method = 'GET', body, signal, range, accept, password }) {
  const headers = credentials();
  if (range) headers.Range = `bytes=${range}`;
  if (accept) headers.Accept = accept;
  if (password) headers['Pagetide-Password'] = encodeURIComponent(password);
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const options = { method, headers, signal: either(signal), cache: 'no-store' };
  if (body !== undefined) options.body = JSON.stringify(body);
  const mine = session;
  const answer = await fetch(address(path), options).catch((error) => {
    throw error.name === 'AbortError' ? error : FAILED;
  });
  if (!answer.ok) throw refused(await problemOf(answer), mine);
  return answer;
}

async function answered(request, mine) {
  const answer = new Response(request.response || null, {
    status: request.status,
    headers: { 'Content-Type': request.getResponseHeader('Content-Type') ?? '' },
  });
  if (!answer.ok) throw refused(await problemOf(answer), mine);
  return answer.json();
}

/** A key that opens nothing any more is forgotten with all that it showed; of the last key's
 *  requests nobody is told. */
function refused(problem, mine) {
  if (mine !== session) return SIGNED_OUT;
  if (problem.status === 401) signOut(signedIn() ? problem.message : '');
  return problem;
}
