// A request that is made from this page, to this server, and what it is answered.

import * as api from '../api.js';
import { h, replace } from '../dom.js';
import { sentence } from '../problem.js';
import { bytes, seconds } from '../words.js';

const MOST_SHOWN = 20_000; // letters
const LAST_JOBS = 20;
const FORM = 'multipart/form-data';
const FIELDS = ['model', 'pages', 'languages', 'format', 'wait']; // of many, those that are often given

/** Fills the place with fields for what the operation takes, and a button. */
export async function openTryIt(place, details) {
  const { method, path, body } = details.dataset;
  const answer = h('div', { class: 'answer', role: 'status' });
  const file = body.includes(FORM) || body.includes('octet-stream') ? h('input', { type: 'file', required: true }) : null;
  const json = body === 'application/json' ? h('input', { type: 'text', value: '{}', spellcheck: 'false' }) : null;
  const fields = [...parameters(details), ...(body.includes(FORM) ? formFields(details) : [])].map(fieldOf);
  const send = h('button', { type: 'submit', class: method === 'delete' ? 'danger' : 'primary', text: `Send ${method.toUpperCase()}` });
  replace(place, h('form', { class: 'card', on: { submit } },
    h('h4', { text: 'Try it' }),
    h('div', { class: 'fields' }, fields.map(({ row }) => row), file && labelled('file', file), json && labelled('body', json)),
    send, answer));
  await suggestJobs(fields);

  async function submit(event) {
    event.preventDefault();
    send.disabled = true;
    try {
      replace(answer, ...(await ask()));
    } catch (error) {
      replace(answer, h('p', { class: 'field-error', text: sentence(error) }));
    } finally {
      send.disabled = false;
    }
  }

  async function ask() {
    const given = fields.map(({ name, place: where, input }) => ({ name, where, value: input.value.trim() })).filter(({ value }) => value);
    const of = (where) => given.filter((one) => one.where === where).map(({ name, value }) => [name, value]);
    const filled = of('path').reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path.slice(1));
    const query = new URLSearchParams(of('query')).toString();
    const address = query ? `${filled}?${query}` : filled;
    const began = performance.now();
    const reply = await api.request(address, { method: method.toUpperCase(), headers: Object.fromEntries(of('header')), body: bodyOf(of('form')) });
    return answerView(reply, address, began);
  }

  function bodyOf(entries) {
    if (json) return new Blob([json.value], { type: 'application/json' });
    if (!body.includes(FORM)) return file?.files[0];
    const form = new FormData();
    for (const [name, value] of entries) form.set(name, value);
    form.set('file', file.files[0]);
    return form;
  }
}

const rowsOf = (details, title) => [...details.querySelectorAll('h4')].filter((head) => head.textContent === title)
  .flatMap((head) => [...head.nextElementSibling.querySelectorAll('tr')]).map((row) => [...row.cells].map((cell) => cell.textContent));

const parameters = (details) => rowsOf(details, 'Parameters').map(([name, place]) => ({ name, place }));

const formFields = (details) => rowsOf(details, `Body, ${FORM}`).filter(([name]) => FIELDS.includes(name)).map(([name]) => ({ name, place: 'form' }));

function fieldOf({ name, place }) {
  const first = { number: '1', order: '0', pool: 'cpu', format: 'md' }[name];
  const type = /password/i.test(name) ? 'password' : 'text';
  const input = h('input', { type, autocomplete: 'off', spellcheck: 'false', required: place === 'path', value: place === 'path' ? (first ?? '') : '' });
  return { name, place, input, row: labelled(name, input) };
}

const labelled = (name, input) => h('label', {}, h('code', { text: name }), input);

/** The last job stands in the field already; those before it are suggested. */
async function suggestJobs(fields) {
  const field = fields.find(({ name }) => name === 'job_id');
  const { jobs } = field ? await api.json(`v1/jobs?limit=${LAST_JOBS}`).catch(() => ({ jobs: [] })) : { jobs: [] };
  const there = jobs.filter((job) => !job.erased);
  if (!there.length) return;
  const id = `jobs-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  field.row.append(h('datalist', { id }, there.map((job) => h('option', { value: job.id, text: job.source.name }))));
  field.input.setAttribute('list', id);
  field.input.value ||= there[0].id;
}

async function answerView(reply, address, began) {
  const blob = await reply.blob();
  const took = seconds((performance.now() - began) / 1000);
  return [
    h('p', { class: 'answer-line' },
      h('span', { class: `badge ${reply.ok ? 'succeeded' : 'failed'}`, text: `${reply.status} ${reply.statusText}`.trim() }),
      h('span', { class: 'hint', text: `${blob.type || 'no body'} · ${bytes(blob.size)} · ${took} · ${address}` })),
    await contentOf(blob, reply.headers.get('content-disposition')),
  ];
}

async function contentOf(blob, disposition) {
  if (!blob.size) return null;
  if (blob.type.startsWith('image/')) return pictureOf(blob);
  if (!/json|text|xml|javascript/.test(blob.type)) {
    const name = /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? 'answer';
    return h('button', { type: 'button', text: `Keep ${name}`, on: { click: () => api.saveBlob(blob, name) } });
  }
  const text = pretty(await blob.text(), blob.type);
  const more = text.length > MOST_SHOWN ? `\n… and ${bytes(text.length - MOST_SHOWN)} more` : '';
  return h('pre', { class: 'snippet', tabindex: '0', ariaLabel: 'Answer', text: text.slice(0, MOST_SHOWN) + more });
}

function pictureOf(blob) {
  const image = h('img', { alt: 'The answer’s picture', src: URL.createObjectURL(blob) });
  image.onload = () => URL.revokeObjectURL(image.src);
  return image;
}

function pretty(text, type) {
  if (!/^application\/(problem\+)?json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
