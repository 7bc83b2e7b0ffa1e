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
  return review && new Claim(review, { token: review.token, answers: {}, at: 0, all: false });
}

/** What this tab had when it was loaded anew; null where it had nothing, or has lost it. */
export async function claimKept({ signal } = {}) {
  const kept = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null');
  if (!kept) return null;
  try {
    const renewed = await json(`v1/jobs/${kept.job}/review/renew`, { method: 'POST', body: { token: kept.token }, signal });
    const review = await json(`v1/jobs/${kept.job}/review?all_lines=${kept.all}`, { signal });
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

  constructor(review, { token, answers, at, all }) {
    Object.assign(this, { review, token, answers, at, all });
    this.keep();
    this.#renewSoon(review.until);
  }

  get places() {
    return this.review.places;
  }

  get place() {
    return this.places[this.at];
  }

  /** What stands at the place, as far as this reviewer has said. */
  get text() {
    return this.answers[nameOf(this.place)]?.new ?? this.place.text;
  }

  /** Notes what stands there. */
  answer(text) {
    const { page, line, name, text: old, polygon } = this.place;
    if (text === old) delete this.answers[nameOf(this.place)];
    else this.answers[nameOf(this.place)] = { page, line, name, old, new: text, polygon };
  }

  /** Goes to another place, as far as there is one; it is there when the tab is loaded anew, too. */
  goTo(at) {
    this.at = Math.min(Math.max(0, this.places.length - 1), Math.max(0, at));
    this.keep();
  }

  keep() {
    if (this.ended) return; // it is changed afterwards; what is loaded anew is the one at hand
    const { token, answers, at, all } = this;
    sessionStorage.setItem(KEPT_AS, JSON.stringify({ job: this.review.job_id, token, answers, at, all }));
  }

  /** Shows every line, or again what is doubtful; stays at the same place if that is among them. */
  async showAll(all) {
    const before = this.place;
    const { places, places_left_out } = await json(`v1/jobs/${this.review.job_id}/review?all_lines=${all}`);
    this.all = all;
    Object.assign(this.review, { places, places_left_out });
    this.goTo(places.findIndex((place) => before && nameOf(place) === nameOf(before)));
  }

  async close() {
    const done = await this.#post('', { corrections: Object.values(this.answers) });
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

/** What tells a place from all others of its document, whatever else is shown. */
const nameOf = ({ page, line, polygon }) => `${page} ${line ?? polygon}`;
