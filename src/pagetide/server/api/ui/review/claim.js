// A document that this browser has to review, and nobody else: kept while the page is open. When
// the browser dies nobody renews, and the document waits again; when the tab is loaded anew it
// goes on where it was.

import { json } from '../api.js';

const KEPT_AS = 'pagetide.review';
const TABS = 'pagetide.review'; // where tabs ask each other who has a claim
const ANSWERED_IN_MS = 250;
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
  if (await isHeld(kept.token)) { // a tab that was duplicated has its session's notes, too
    sessionStorage.removeItem(KEPT_AS);
    return null;
  }
  try {
    const renewed = await json(`v1/jobs/${kept.job}/review/renew`, { method: 'POST', body: { token: kept.token }, signal });
    const review = await json(`v1/jobs/${kept.job}/review?all_lines=${kept.all}`, { signal });
    return new Claim({ ...review, until: renewed.until }, kept);
  } catch (error) {
    if (!isGone(error)) throw error;
    sessionStorage.removeItem(KEPT_AS);
    return null;
  }
}

/** Whether another tab of this browser has this claim. */
function isHeld(token) {
  const tabs = new BroadcastChannel(TABS);
  return new Promise((resolve) => {
    const tell = (held) => {
      clearTimeout(timer);
      tabs.close();
      resolve(held);
    };
    const timer = setTimeout(tell, ANSWERED_IN_MS, false);
    tabs.onmessage = ({ data }) => data.held === token && tell(true);
    tabs.postMessage({ wanted: token });
  });
}

/** Whether an error says that somebody else may have the document, or that there is none any more. */
export const isGone = ({ code, status }) => code === 'lease_lost' || status === 404 || status === 410;

class Claim {
  /** @param onLost Is told, with what the server said, when somebody else may have it. */
  onLost = () => {};

  constructor(review, { token, answers, at, all }) {
    Object.assign(this, { review, token, answers, at, all });
    this.tabs = new BroadcastChannel(TABS);
    this.tabs.onmessage = ({ data }) => data.wanted === token && this.tabs.postMessage({ held: token });
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
    this.tabs.close();
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
      if (isGone(error)) {
        this.drop();
        return this.onLost(error);
      }
    }
    if (!this.ended) this.#renewSoon(until);
  }
}

/** What tells a place from all others of its document, whatever else is shown. */
const nameOf = ({ page, line, polygon }) => `${page} ${line ?? polygon}`;
