// How a program would have done what this page did, on this server.

import { signedIn } from '../api.js';
import { h, replace, say } from '../dom.js';
import { copyButton } from './results.js';
import { snippetsOf } from './snippets.js';

const ROOT = new URL('../../', import.meta.url);

export function openCodeTab(panel, { watch }) {
  const snippets = snippetsOf({ root: ROOT.href.replace(/\/$/, ''), job: watch.job, hasKey: signedIn() });
  const problem = h('span', { class: 'bad', role: 'alert' });
  const code = h('code');
  const names = [...snippets.keys()];
  const buttons = names.map((name) => h('button', { type: 'button', class: 'small', text: name, on: { click: () => show(name) } }));
  const show = (name) => {
    say(code, snippets.get(name));
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(names[i] === name)));
  };
  show(names[0]);
  replace(panel,
    h('p', { class: 'hint lead', text: 'A program that does the same as this page: it submits the document and fetches its Markdown.' }),
    h('div', { class: 'pane-tools' },
      h('span', { class: 'ways', role: 'group', ariaLabel: 'Language' }, buttons),
      copyButton(() => navigator.clipboard.writeText(code.textContent), (text) => say(problem, text)), problem),
    h('pre', { class: 'snippet', tabindex: '0', ariaLabel: 'Program' }, code),
    h('p', { class: 'hint' }, signedIn() ? 'Set PAGETIDE_KEY to your API key. ' : null, 'Every request, with examples: ', h('a', { href: new URL('docs', ROOT).href, text: 'the API’s own page' }), '.'));
  return {};
}
