// Where documents are given, and what becomes of them.

import { addressRefusal, typesLine } from './checks.js';
import { h, replace, say } from './dom.js';
import { limits } from './limits.js';
import { openRecent } from './recent.js';
import { openOptions } from './options.js';
import { sentence } from './problem.js';
import { keyedRows } from './rows.js';
import { all, watch } from './tray.js';
import { trayBar } from './tray_bar.js';
import { trayRow } from './tray_row.js';
import { readSample, take, takeAddress } from './window_drop.js';
import { bytes, counted, seconds } from './words.js';

export async function openSubmit(root) {
  const ends = new AbortController();
  const limitLine = h('p', { class: 'hint limits', id: 'limits' });
  const options = h('div', { class: 'card options' });
  const tray = h('section', { class: 'tray', 'aria-labelledby': 'tray-title', hidden: true });
  const recent = h('section', { 'aria-labelledby': 'recent-title', hidden: true });
  root.append(head(), h('div', { class: 'give' }, dropCard(limitLine), options, h('div', { class: 'given' }, tray, recent)));
  const stopTray = openTray(tray);
  try {
    const told = await limits();
    say(limitLine, limitsText(told));
    await openOptions(options);
    openRecent(recent, ends.signal);
  } catch (error) {
    const text = sentence(error);
    if (text) replace(options, h('p', { class: 'notice bad', role: 'alert', text }));
  }
  return {
    close() {
      for (const entry of all()) entry.opens = false; // somebody has gone elsewhere
      ends.abort();
      stopTray();
    },
  };
}

function head() {
  return h('header', {},
    h('h1', { text: 'Read documents' }),
    h('p', { class: 'lead', text: 'Turns PDFs and pictures into text, tables and layout, with the position of every word.' }));
}

function dropCard(limitLine) {
  const input = h('input', {
    type: 'file', id: 'files', multiple: true, class: 'unseen', ariaLabel: 'Documents to read', 'aria-describedby': 'limits', tabindex: '-1',
    on: { change: () => (take([...input.files]), (input.value = '')) },
  });
  return h('div', { class: 'card drop' },
    h('div', { class: 'drop-middle' },
      h('h2', { text: 'Drop documents anywhere in this window' }),
      h('p', { class: 'muted', text: 'or paste a picture or an address' }),
      input,
      h('div', { class: 'buttons' },
        h('button', { type: 'button', class: 'primary', text: 'Choose files', 'aria-describedby': 'limits', on: { click: () => input.click() } }),
        h('button', { type: 'button', text: 'Try a sample', on: { click: readSample } })),
      limitLine),
    addressForm());
}

function addressForm() {
  const error = h('p', { class: 'field-error', id: 'address-error', role: 'alert' });
  const input = h('input', {
    type: 'url', id: 'address', placeholder: 'https://example.org/scan.pdf', autocomplete: 'off', 'aria-describedby': 'address-error',
  });
  const submit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const why = addressRefusal(text);
    say(error, why);
    input.setAttribute('aria-invalid', String(Boolean(why)));
    if (why) return;
    input.value = '';
    takeAddress(text);
  };
  return h('form', { class: 'address field', novalidate: true, on: { submit } },
    h('label', { for: 'address', text: 'Address of a document' }),
    h('div', { class: 'with-button' }, input, h('button', { type: 'submit', text: 'Read it' })), error);
}

function limitsText(told) {
  const { max_bytes: most, max_pages: pages, media_types: types, ttl_s: kept, key } = told;
  const each = `${typesLine(types)}, up to ${bytes(most)} and ${counted(pages, 'page')} each. Kept for ${seconds(kept)} after reading.`;
  return key ? `${each} ${sharesOf(told)}` : each;
}

function sharesOf({ key, max_active: jobs, active_pages: pages, active_pages_left: free, pages_per_day: daily, pages_left_today: left }) {
  return [
    `The key “${key}” may have ${counted(jobs, 'job')} in progress.`,
    pages === null ? '' : `They may have ${counted(pages, 'page')}; ${free} were free when this page was opened.`,
    daily === null ? '' : `It may have ${counted(daily, 'page')} read a day (UTC); ${left} were left.`,
  ].filter(Boolean).join(' ');
}

function openTray(section) {
  const list = h('ul', { class: 'card docs' });
  const bar = trayBar({ onChoose: () => update() });
  section.append(h('h2', { id: 'tray-title', text: 'Your documents' }), bar.element, list);
  const show = keyedRows(list, { key: (entry) => entry.id, make: trayRow });
  const update = () => {
    section.hidden = all().length === 0;
    bar.update(all());
    show(bar.shown(all()));
    openLone();
  };
  update();
  return watch(update);
}

/** A document that came alone is shown as soon as it is a job, once. */
function openLone() {
  const lone = all().find((entry) => entry.opens && entry.job && entry.state === 'submitted');
  if (!lone) return;
  lone.opens = false;
  location.hash = `#/jobs/${lone.job.id}`;
}
