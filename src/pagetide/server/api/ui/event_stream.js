// Server-sent events over fetch: EventSource can show no key.

import { Problem } from './problem.js';
import { ENDED } from './words.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const SILENCE_MS = 45_000; // the server says something every 15 seconds
const LASTING_MS = 5000; // a connection that broke sooner is no reason to try again sooner

/** Reads a job's events up to its end, over as many connections as that takes. Raises the
 *  Problem that ended them early. */
export async function readEvents(open, { onEvent, onConnection, signal }) {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    const began = performance.now();
    try {
      const ended = await oneConnection(open, signal, (name, data) => {
        onConnection(true);
        onEvent(name, data);
      });
      if (ended) return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isBreak(error)) throw error;
    }
    onConnection(false);
    if (performance.now() - began > LASTING_MS) wait = FIRST_WAIT_MS;
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

async function oneConnection(open, signal, onEvent) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const answer = await open(AbortSignal.any([signal, silence.signal]));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let unread = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const parts = (unread + value).split('\n\n');
      unread = parts.pop();
      for (const part of parts) if (tell(part, onEvent)) return true;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Tells of one event; whether it was the last. */
function tell(part, onEvent) {
  const name = /^event: (.*)$/m.exec(part)?.[1];
  const text = /^data: (.*)$/m.exec(part)?.[1];
  if (!name || !text) return false;
  const data = JSON.parse(text);
  if (name === 'problem') throw new Problem(data);
  onEvent(name, data);
  return name === 'status' && ENDED.has(data.status);
}

function isBreak(error) {
  if (!(error instanceof Problem)) return error.name !== 'SyntaxError';
  return error.retryable || error.status >= 500;
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), stop()), { once: true });
  });
}
