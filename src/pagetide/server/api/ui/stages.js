// What an entry of the tray needs next: waiting, looking at, another try, or a password.

import { ENDED } from './words.js';

const LOCKS = new Set(['password_needed', 'password_wrong']);
const ON_ITS_WAY = new Set(['checking', 'pending', 'sending']);

/** How far an entry is: `active`, `read`, or `failed`. */
export function stageOf({ state, job }) {
  if (state !== 'submitted') return ON_ITS_WAY.has(state) ? 'active' : 'failed';
  if (!ENDED.has(job.status)) return 'active';
  return job.status === 'succeeded' || job.status === 'partial' ? 'read' : 'failed';
}

/** Whether a problem is that a password is needed, or another one. */
export const isLock = (problem) => LOCKS.has(problem?.code);

/** Whether it takes a password to read the document. */
export const isLocked = ({ state, job }) => state === 'locked' || (state === 'submitted' && isLock(job.error));

/** Whether an entry's document can be sent again: it is still in this page's memory. */
export const atHand = ({ file, url }) => Boolean(file || url);
