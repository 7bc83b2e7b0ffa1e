// What stands around every view: the router, the header, the theme, and who is signed in.

import * as api from './api.js';
import { announce, h, replace } from './dom.js';
import { limits } from './limits.js';
import { Problem, sentence } from './problem.js';
import { openSignIn } from './sign_in.js';
import { styled } from './styles.js';
import { openSubmit } from './submit.js';
import { forget, restore } from './tray.js';
import { watchWindow } from './window_drop.js';

const main = document.getElementById('main');
const signOutButton = document.getElementById('sign-out');
let open = { close() {} };
let current = ''; // the view's name
let shown = 0; // counts the views, so that one that loads late does not cover the next
let locked = false;

const VIEWS = {
  submit: { title: 'Read documents', scope: 'submit', show: async (root) => openSubmit(root) },
  jobs: { title: 'Jobs', scope: 'read', show: async (root) => (await import('./jobs/jobs.js')).openJobs(root) },
  review: { title: 'Review', scope: 'submit', show: openReview },
  operations: { title: 'Operations', scope: 'operate', show: async (root) => (await import('./operations/operations.js')).openOperations(root) },
  viewer: { title: 'Job', show: openViewer },
  nowhere: { title: 'Nothing here', show: async (root) => openNowhere(root) },
};
const PATHS = new Map([['', 'submit'], ['jobs', 'jobs'], ['review', 'review'], ['operations', 'operations']]);
const ID = /^[\w-]{1,80}$/;

async function openViewer(root, { jobId, page }) {
  const styles = styled('viewer/viewer.css', 'viewer/pictures.css', 'viewer/result.css');
  const viewer = await import('./viewer/viewer.js');
  await styles;
  return viewer.openViewer(root, { api, jobId, page });
}

async function openReview(root) {
  const styles = styled('review/review.css');
  const review = await import('./review/review.js');
  await styles;
  return review.openReview(root);
}

function openNowhere(root) {
  root.append(h('h1', { text: 'There is nothing at this address' }), h('p', {}, h('a', { href: '#/jobs', text: 'All jobs' })));
  return { close() {} };
}

/** What the address asks for. Only what is an id becomes a part of a path of the API. */
function route() {
  const [view, jobId = '', page] = location.hash.replace(/^#\/?/, '').split('/');
  if (view === 'jobs' && ID.test(jobId)) return { name: 'viewer', jobId, page: Number(page) || undefined };
  return { name: (!jobId && PATHS.get(view)) || 'nowhere' };
}

async function show({ focus = true } = {}) {
  const wanted = route();
  const turn = ++shown;
  current = wanted.name;
  close();
  mark(wanted.name);
  document.title = `${VIEWS[wanted.name].title} · Pagetide`;
  place(wanted.name);
  const root = h('div', { class: 'view' });
  replace(main, root);
  try {
    const view = await VIEWS[wanted.name].show(root, wanted);
    if (turn === shown) open = view;
    else view.close();
  } catch (error) {
    if (turn === shown) replace(root, notOpened(error));
  }
  if (focus && turn === shown) main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** Why a view did not open: where not the server says it, its program could not be had. */
function notOpened(error) {
  const told = h('p', { class: 'notice bad', role: 'alert', text: sentence(error) });
  if (error instanceof Problem) return told;
  told.textContent = 'This view could not be opened: the server cannot be reached, or now has another version of the page.';
  return h('div', {}, told, h('button', { type: 'button', text: 'Reload the page', on: { click: () => location.reload() } }));
}

/** Leads nowhere that the key may not go; a view that is asked for all the same says why not. */
function readyNav({ scopes }) {
  const links = [...document.querySelectorAll('nav a')];
  for (const link of links) link.hidden = !scopes.includes(VIEWS[link.dataset.view].scope);
  const first = links.find((link) => !link.hidden);
  if (route().name === 'submit' && first) location.hash = first.hash; // where everybody begins
}

function place(name) {
  main.className = `view-${name}`;
  document.documentElement.dataset.view = name;
}

function close() {
  open.close();
  open = { close() {} };
}

function mark(name) {
  const marked = name === 'viewer' ? 'jobs' : name;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === marked) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Shows nothing but the way in; what the last key saw is gone from the page and from memory. */
function lock(why) {
  shown += 1;
  locked = true;
  close();
  forget();
  signOutButton.hidden = true;
  document.body.classList.add('locked');
  document.title = 'Sign in · Pagetide';
  place('sign-in');
  const root = h('div', { class: 'view' });
  replace(main, root);
  openSignIn(root, why);
  announce(why || 'Please sign in.');
}

function unlock() {
  locked = false;
  signOutButton.hidden = false;
  document.body.classList.remove('locked');
  limits().then(readyNav).catch(() => {});
  show();
}

function readyTheme() {
  const button = document.getElementById('theme');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const now = () => document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  const label = () => {
    button.textContent = now() === 'dark' ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `Change to the ${button.textContent.toLowerCase()} theme`);
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = now() === 'dark' ? 'light' : 'dark';
    localStorage.setItem('pagetide.theme', now());
    label();
  });
  dark.addEventListener('change', label);
  label();
}

readyTheme();
watchWindow({ ready: () => !locked });
signOutButton.addEventListener('click', () => {
  history.replaceState(null, '', '#/'); // the address names a job of this key
  api.signOut();
});
signOutButton.hidden = !api.signedIn();
window.addEventListener('signed-out', (event) => lock(event.detail));
window.addEventListener('signed-in', unlock);
window.addEventListener('hashchange', () => {
  const same = route().name === current && current !== 'viewer'; // such as `/` and `/#/`
  if (!locked && !same) show();
});
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address would no longer say what is shown
  main.focus();
});
// Whether a key is needed is known before anything is shown; a job's first answer says so, too.
const begun = route().name === 'viewer' && show({ focus: false });
limits().then((told) => {
  signOutButton.hidden = told.key === null;
  readyNav(told);
  return restore();
}).catch(() => {}).then(() => locked || begun || show({ focus: false }));
