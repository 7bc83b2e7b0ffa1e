// A document that this browser has to review, and nobody else: kept while the page is open. When
// the browser dies nobody renews, and the document waits again; when the tab is loaded anew it
// goes on where it was.

import { json } from '../api.js';

const KEPT_AS = 'pagetide.review';
const SOONEST_MS = 1000;
const LATEST_MS = 30_000;

window.addEventListener('signed-out', () => sessionStorage.removeItem(KEPT_AS));

/** The next document; null where none waits. */
export async function claimNext(by, { signal } = {}) {
  const review = await json('v1/reviews/next', { method: 'POST', body: { by }, signal });
  return review && new Claim(review, { token: review.token, answers: {}, at: 0 });
}

/** What this tab had when it was loaded anew; null where it had nothing, or has lost it. */
export async function claimKept({ signal } = {}) {
  const kept = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null');
  if (!kept) return null;
  try {
    const renewed = await json(`v1/jobs/${kept.job}/review/renew`, { method: 'POST', body: { token: kept.token }, signal });
    const review = await json(`v1/jobs/${kept.job}/review`, { signal });
    return new Claim({ ...review, until: renewed.until }, kept);
  } catch (error) {
    if (error.code !== 'lease_lost' && error.status !== 404 && error.status !== 410) throw error;
    sessionStorage.removeItem(KEPT_AS);
    return null;
  }
}

class Claim {
  /** @param onLost Is told when somebody else may have it. */
  onLost = () => {};

  constructor(review, { token, answers, at }) {
    Object.assign(this, { review, token, answers, at });
    this.keep();
    this.#renewSoon(review.until);
  }

  get places() {
    return this.review.places;
  }

  /** What stands at a place, as far as this reviewer has said. */
  textOf(index) {
    return this.answers[index] ?? this.places[index].text;
  }

  /** Notes what was answered, so that it is there when the tab is loaded anew. */
  keep() {
    const kept = { job: this.review.job_id, token: this.token, answers: this.answers, at: this.at };
    sessionStorage.setItem(KEPT_AS, JSON.stringify(kept));
  }

  async close() {
    const corrections = Object.entries(this.answers)
      .map(([index, text]) => [this.places[index], text])
      .filter(([place, text]) => text !== place.text)
      .map(([{ page, line, name, text: old, polygon }, text]) => ({ page, line, name, old, new: text, polygon }));
    const done = await this.#post('', { corrections });
    this.drop();
    return done;
  }

  async release() {
    this.drop();
    await this.#post('/release');
  }

  /** Goes on without it, and tells nobody. */
  drop() {
    this.ended = true;
    clearTimeout(this.timer);
    sessionStorage.removeItem(KEPT_AS);
  }

  #post(path, more = {}) {
    return json(`v1/jobs/${this.review.job_id}/review${path}`, { method: 'POST', body: { token: this.token, ...more } });
  }

  #renewSoon(until) {
    const left = Date.parse(until) - Date.now();
    this.timer = setTimeout(() => this.#renew(), Math.min(LATEST_MS, Math.max(SOONEST_MS, left / 3)));
  }

  async #renew() {
    let until = new Date(Date.now() + SOONEST_MS).toISOString(); // where it fails it is tried soon
    try {
      until = (await this.#post('/renew')).until;
    } catch (error) {
      if (this.ended || error.name === 'AbortError') return;
      if (error.code === 'lease_lost' || error.status === 404 || error.status === 410) {
        this.drop();
        return this.onLost();
      }
    }
    if (!this.ended) this.#renewSoon(until);
  }
}
