// Documents that wait for a person, one after the other, by keyboard alone.

import { json } from '../api.js';
import { announce, h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { counted } from '../words.js';
import { claimKept, claimNext, isGone } from './claim.js';
import { pictures } from './pictures.js';

const CALLED = 'pagetide.reviewer';
const WHY = {
  confidence: 'read with little confidence',
  sum: 'in a sum that does not add up',
  sampled: 'a line like any other',
};

export async function openReview(root) {
  const ends = new AbortController();
  const { signal } = ends;
  const shown = pictures();
  let claim = null; // what is shown
  let earlier = null; // what was closed last: it may be changed still
  let ahead = null; // what waits here for that
  let busy = false;

  const counts = h('p', { class: 'lead' });
  const error = h('p', { class: 'notice bad', role: 'alert', hidden: true });
  const stage = h('div', { class: 'reviewing' });
  root.append(h('header', {}, h('h1', { text: 'Review' }), counts), error, stage);

  const by = h('input', { type: 'text', id: 'reviewer', maxlength: 100, autocomplete: 'name', value: localStorage.getItem(CALLED) ?? '' });
  const field = h('input', { type: 'text', id: 'reading', autocomplete: 'off', spellcheck: 'false' });
  const title = h('h2', {});
  const label = h('label', { for: 'reading' });
  const where = h('p', { class: 'hint' });
  const keys = h('p', { class: 'hint keys', text: 'Enter accepts a line and goes to the next. Alt+↓ and Alt+↑ go forward and back, from the first line to the previous document. Ctrl+Enter accepts the document. Outside of the field (Esc): A accepts the document, C corrects, N next, B back, L shows every line, S leaves it to somebody else.' });

  const buttons = [
    button('Accept', 'primary', accept),
    button('Next', '', () => go(1)),
    button('Back', '', () => go(-1)),
    button('Accept document', '', closeIt),
    button('All lines', '', showAll),
    button('Leave it', 'quiet', leave),
  ];
  const whether = buttons[4];
  const desk = h('div', { class: 'desk' },
    h('section', { class: 'card read-part', ariaLabel: 'What was read' }, title, where, shown.near, shown.why,
      h('div', { class: 'field' }, label, field), h('div', { class: 'buttons' }, buttons), keys),
    h('section', { class: 'card page-part', ariaLabel: 'The page' }, shown.far));

  /** Whatever is asked of the server: one thing at a time, and what fails is told. */
  async function doing(action) {
    if (busy || signal.aborted) return;
    busy = true;
    error.hidden = true;
    try {
      await action();
    } catch (problem) {
      if (signal.aborted) return;
      if (claim && isGone(problem)) return lost(claim, problem);
      say(error, sentence(problem));
      error.hidden = false;
    } finally {
      busy = false;
    }
  }

  async function begin() {
    localStorage.setItem(CALLED, by.value.trim());
    await doing(next);
  }

  async function next() {
    take(await claimNext(by.value.trim(), { signal }));
    count().catch(() => {}); // nobody waits for it with the next key
  }

  function take(taken) {
    claim = taken;
    if (signal.aborted) return claim?.release().catch(() => {});
    if (!claim) return rest('Nothing waits for a review.', 'Check again');
    claim.onLost = (problem) => lost(taken, problem);
    if (!desk.isConnected) replace(stage, desk);
    show();
  }

  /** Back to the document that was closed last; the one at hand is kept meanwhile. */
  function takeEarlier() {
    ahead = claim;
    const last = earlier;
    earlier = null;
    last.onLost = () => {};
    claim = last;
    if (!desk.isConnected) replace(stage, desk);
    show();
  }

  /** On with what was at hand, or the next. */
  async function onwards() {
    const kept = ahead;
    ahead = null;
    if (kept && !kept.ended) take(kept);
    else await next();
  }

  function rest(text, action) {
    const start = h('button', { type: 'submit', class: 'primary', text: action });
    replace(stage, h('form', { class: 'card rest', on: { submit: (event) => (event.preventDefault(), begin()) } },
      h('p', { role: 'status', text }),
      h('p', { class: 'hint' }, 'A document waits here if it was sent with ', h('code', { text: 'review_below=0.8' }), ', for example, and part of it was read with lower confidence; or with ', h('code', { text: 'review_sums' }), ' or ', h('code', { text: 'review_sample' }), '.'),
      h('div', { class: 'field' }, h('label', { for: 'reviewer', text: 'Your name' }), by,
        h('p', { class: 'hint', text: 'It is stored with your corrections.' })),
      h('div', { class: 'buttons' }, start, earlier && button('Back to the last document', '', takeEarlier))));
    start.focus();
  }

  function show() {
    const { places, place, review } = claim;
    whether.setAttribute('aria-pressed', String(claim.all));
    say(title, review.name);
    const left = review.places_left_out ? `, the first of ${places.length + review.places_left_out}` : '';
    if (!place) {
      say(where, 'No single place can be shown; see the whole document under Jobs.');
      say(label, 'Nothing to correct');
    } else {
      say(where, `${claim.at + 1} of ${counted(places.length, 'place')}${left}: ${WHY[place.reason]}, page ${place.page}${confidence(place)}.`);
      say(label, place.name ? `Reads (${place.name.replace('_', ' ')})` : 'Reads');
      field.value = claim.text;
      shown.show(review.job_id, place, `Where it reads ${place.text}`);
      announce(`${claim.at + 1} of ${places.length}: ${place.text}`);
    }
    field.disabled = !place;
    (place ? field : buttons[3]).focus();
    if (place) field.select();
  }

  /** What stands in the field is what stands on the page. */
  function note() {
    if (!claim.places.length) return;
    claim.answer(field.value);
    claim.keep();
  }

  function go(step) {
    note();
    if (step < 0 && claim.at === 0 && earlier) return takeEarlier();
    claim.goTo(claim.at + step);
    show();
  }

  function showAll() {
    note();
    return doing(async () => {
      await claim.showAll(!claim.all);
      if (claim) show();
    });
  }

  function accept() {
    if (claim.at < claim.places.length - 1) go(1);
    else closeIt();
  }

  function closeIt() {
    note();
    return doing(async () => {
      const done = await claim.close();
      announce(`${done.name} is ${done.state}.`);
      earlier = claim;
      await onwards();
    });
  }

  function leave() {
    return doing(async () => {
      if (!claim.ended) await claim.release();
      await onwards();
    });
  }

  function lost(which, problem) {
    which.drop();
    if (which !== claim) return; // it is not at hand: the next comes in its place
    claim = null;
    rest(problem.code === 'lease_lost'
      ? 'Your claim on this document expired because this browser was not reachable; it waits for the next reviewer.'
      : sentence(problem), 'Go on');
  }

  async function count() {
    const { waiting, claimed } = await json('v1/reviews?limit=1', { signal });
    say(counts, `${counted(waiting, 'document waits', 'documents wait')}, ${claimed} claimed.`);
  }

  const free = { a: closeIt, c: () => field.focus(), n: () => go(1), b: () => go(-1), l: showAll, s: leave };
  const moved = { ArrowDown: () => go(1), ArrowUp: () => go(-1) };

  function pressed(event) {
    if (!claim || busy || !desk.isConnected) return;
    const inField = event.target === field;
    const plain = !(event.altKey || event.ctrlKey || event.metaKey);
    let action = null;
    if (event.key === 'Enter' && event.ctrlKey) action = closeIt;
    else if (event.key === 'Enter' && inField && plain) action = accept;
    else if (event.altKey && moved[event.key]) action = moved[event.key];
    else if (event.key === 'Escape' && inField) action = () => buttons[0].focus();
    else if (!inField && plain && event.target.tagName !== 'INPUT') action = free[event.key.toLowerCase()];
    if (!action || event.isComposing) return;
    event.preventDefault();
    action();
  }

  document.addEventListener('keydown', pressed, { signal });
  await doing(async () => {
    await count();
    const kept = await claimKept({ signal });
    if (kept) take(kept);
    else rest('Documents for review come one after the other; while you have one, no one else gets it.', 'Start');
  });
  return {
    close() {
      ends.abort();
      shown.close();
      for (const one of [claim, ahead]) if (one && !one.ended) one.release().catch(() => {}); // where it fails, it waits again a little later
    },
  };
}

function button(text, kind, click) {
  return h('button', { type: 'button', class: kind, text, on: { click } });
}

const confidence = ({ confidence: sure }) => (sure === null || sure === undefined ? '' : `, ${Math.round(sure * 100)} % sure`);
