// A job's name, how far it is, and what can be done with it.

import { confirmErase } from '../dialog.js';
import { announce, h, replace, say } from '../dom.js';
import { sentence } from '../problem.js';
import { isLock } from '../stages.js';
import { all, retry } from '../tray.js';
import { counted, progressLine, statusWord } from '../words.js';
import { icon } from './icons.js';

export function makeJobBar(room) {
  const { watch } = room;
  const name = h('h1', { class: 'job-name', dir: 'auto' });
  const badge = h('span', { class: 'badge' });
  const line = h('p', { class: 'job-line' });
  const bar = h('progress', { max: '1', ariaLabel: 'Pages read' });
  const problem = h('p', { class: 'notice bad', role: 'alert', hidden: true });
  const actions = h('div', { class: 'job-actions' });
  const element = h('header', { class: 'job-bar' },
    h('a', { class: 'back', href: '#/jobs', ariaLabel: 'All jobs', title: 'All jobs' }, icon('open')),
    h('div', { class: 'job-head' }, h('div', { class: 'job-title' }, name, badge), line),
    bar, actions, problem);
  let status = null;

  function show() {
    const { job } = watch;
    say(name, job.source.name || 'Document');
    name.title = name.textContent;
    document.title = `${name.textContent} · Pagetide`;
    badge.className = `badge ${job.status}`;
    say(badge, statusWord(job.status));
    say(line, told(job, watch));
    bar.hidden = watch.ended;
    bar.value = job.pages_total ? (job.pages_done + job.pages_failed) / job.pages_total : 0;
    if (job.error) complain(job.error);
    if (status === job.status) return;
    if (status !== null) announce(`${statusWord(job.status)}. ${line.textContent}`);
    status = job.status;
    replace(actions, ...buttons(job));
  }

  function buttons() {
    const again = ['failed', 'cancelled', 'partial'].includes(status) && action('again', 'Read again', readAgain);
    if (!watch.ended) return [action('stop', 'Cancel', cancel)];
    return [again, action('bin', 'Erase', erase)];
  }

  function action(drawing, label, act) {
    const button = h('button', { type: 'button', class: 'quiet', ariaLabel: label, on: { click } }, icon(drawing), h('span', { text: label }));
    async function click() {
      button.disabled = true;
      try {
        await act();
      } catch (error) {
        complain(error);
      } finally {
        button.disabled = false;
      }
    }
    return button;
  }

  async function cancel() {
    watch.take(await room.api.json(`${watch.path}/cancel`, { method: 'POST' }));
  }

  async function erase() {
    if (!(await confirmErase(watch.job.source.name || 'this document'))) return;
    await room.api.json(watch.path, { method: 'DELETE' });
    announce('Erased.');
    location.hash = '#/jobs';
  }

  /** The document is sent anew where this page still has it; else it is to be given again. */
  function readAgain() {
    const entry = all().find((one) => one.job?.id === watch.job.id);
    if (entry) retry(entry);
    location.hash = '#/';
  }

  /** What went wrong, in one sentence, with its code for those who ask for help. */
  function complain(error) {
    const text = error instanceof Error ? sentence(error) : error.message;
    problem.hidden = !text;
    replace(problem, text, isLock(error) && ' Choose it again, and enter its password when asked.', error.code ? h('code', { class: 'code', text: error.code }) : null);
  }

  watch.addEventListener('job', show);
  watch.addEventListener('connection', show);
  watch.addEventListener('problem', ({ detail }) => complain(detail));
  return { element, complain };
}

function told(job, watch) {
  if (!watch.connected && !watch.ended) return 'The connection is lost; retrying';
  const way = watch.ended ? `${counted(job.pages_total, 'page')}${failures(job)}` : progressLine(job);
  const cached = job.cached ? 'answered from an earlier result' : null;
  return [way, `read by ${job.model}`, cached].filter(Boolean).join(' · ');
}

function failures({ pages_failed: failed, status }) {
  if (failed) return `, of which ${failed} could not be read`;
  return status === 'partial' ? ', not all of it read' : '';
}
