// A job as it is now, and which of its pages can be had.

import { ENDED } from '../words.js';

const ENDS = {
  succeeded: 'has ended',
  partial: 'has ended',
  failed: 'failed',
  cancelled: 'was cancelled',
  expired: 'took too long',
};

export class JobWatch extends EventTarget {
  job = null;
  numbers = [];
  done = new Set();
  failed = new Map(); // number to why
  warnings = []; // of the document as a whole
  connected = true;

  constructor(api, jobId) {
    super();
    this.api = api;
    this.path = `v1/jobs/${encodeURIComponent(jobId)}`;
    this.stopping = new AbortController();
    this.asking = null;
    this.again = false;
  }

  get ended() {
    return this.job !== null && ENDED.has(this.job.status);
  }

  /** Whether it ended with something to show. */
  get hasResult() {
    return this.job !== null && 'json' in this.job.results;
  }

  /** Why a page cannot be had, as `{text, tone}`; null where it can. */
  lack(number) {
    const failed = this.failed.get(number);
    if (failed) return { tone: 'bad', text: `This page could not be read. ${failed.message}` };
    if (this.done.has(number)) return null;
    const text = this.ended ? `This page was not read: the job ${ENDS[this.job.status]}.` : 'This page is not read yet.';
    return { tone: 'calm', text };
  }

  /** The job and its pages; raises the Problem where there are none. What follows is told by
   *  the events `job`, `pages`, `connection` and `problem`. */
  async open() {
    const options = { signal: this.stopping.signal };
    const [job, pages] = await Promise.all([
      this.api.json(`${this.path}?result=false`, options),
      this.api.json(`${this.path}/pages`, options),
    ]);
    this.#takePages(pages);
    this.#takeJob(job);
    if (!this.ended) this.#follow();
  }

  /** Takes a job that somebody was given meanwhile. */
  take(job) {
    this.#takeJob(job);
  }

  close() {
    this.stopping.abort();
  }

  async #follow() {
    try {
      await this.api.events(`${this.path}/events`, {
        signal: this.stopping.signal,
        onEvent: (name, data) => this.#heard(name, data),
        onConnection: (connected) => this.#connection(connected),
      });
    } catch (error) {
      if (error.name !== 'AbortError') this.#tell('problem', error);
    }
  }

  #heard(name, data) {
    if (name === 'problem') this.#tell('problem', new this.api.Problem(data));
    else if (name === 'status') this.#takeJob(data);
    else if (name === 'position') this.#takeJob({ ...this.job, queue_position: data.position });
    else if (name === 'capacity') this.#takeJob({ ...this.job, ...data });
    else if (name === 'page') this.#takeJob({ ...this.job, ...data });
    if (name === 'page' || name === 'status') this.#askPages();
  }

  #connection(connected) {
    if (connected === this.connected) return;
    this.connected = connected;
    this.#tell('connection', connected);
  }

  #takeJob(job) {
    const { result, ...told } = job; // pages come one by one, whatever the document's size
    this.job = told;
    this.#tell('job', told);
  }

  #takePages({ numbers, done, failed, warnings }) {
    this.numbers = numbers;
    this.done = new Set(done);
    this.warnings = warnings;
    this.failed = new Map(failed.map(({ number, error }) => [number, error]));
    this.#tell('pages');
  }

  /** One question at a time, however many pages are told of meanwhile. */
  async #askPages() {
    this.again = true;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.again) {
        this.again = false;
        this.#takePages(await this.api.json(`${this.path}/pages`, { signal: this.stopping.signal }));
      }
    } catch (error) {
      if (error.name !== 'AbortError') this.#tell('problem', error);
    } finally {
      this.asking = false;
    }
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
