// Pages per minute, from the jobs that this key may see: nothing of another key's is counted.

import { json, signedIn } from '../api.js';

const MOST_LISTS = 3;
const A_LIST = 200;
const MINUTES = 60;

/** Pages read in each of the last sixty minutes. A job's pages count evenly over the time that
 *  it was read in. */
export async function pagesByMinute(signal) {
  const now = Date.now();
  const from = now - MINUTES * 60_000;
  const { jobs, whole } = await recent(from, signal);
  const minutes = new Array(MINUTES).fill(0);
  for (const job of jobs) spread(job, minutes, from, now);
  return {
    kind: 'pages',
    from: from / 1000,
    now: now / 1000,
    counts: minutes.map((count) => Math.round(count * 10) / 10),
    last: Math.round(minutes.at(-1) * 10) / 10,
    whose: signedIn() ? 'of your own jobs' : 'of all jobs',
    covers: whole ? '' : `Only the last ${jobs.length} jobs are counted.`,
  };
}

async function recent(from, signal) {
  const jobs = [];
  let cursor = null;
  for (let list = 0; list < MOST_LISTS; list += 1) {
    const query = new URLSearchParams({ limit: A_LIST, ...(cursor && { cursor }) });
    const part = await json(`v1/jobs?${query}`, { signal });
    jobs.push(...part.jobs);
    cursor = part.next_cursor;
    const last = part.jobs.at(-1);
    // A job from before may still have been read within the hour; one list more is asked for it.
    if (!cursor || (last && Date.parse(last.created_at) < from - 600_000)) return { jobs, whole: true };
  }
  return { jobs, whole: false };
}

function spread(job, minutes, from, now) {
  const read = job.pages_done - job.pages_failed;
  if (job.cached || !job.started_at || read <= 0) return;
  const begin = Date.parse(job.started_at);
  const end = Math.max(begin + 1, job.finished_at ? Date.parse(job.finished_at) : now);
  for (let minute = 0; minute < minutes.length; minute += 1) {
    const start = from + minute * 60_000;
    const shared = Math.min(end, start + 60_000) - Math.max(begin, start);
    if (shared > 0) minutes[minute] += (read * shared) / (end - begin);
  }
}
