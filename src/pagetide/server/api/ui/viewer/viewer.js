// One job: its pages as pictures with what was found on them, and beside them the result.

import { h, replace, say } from '../dom.js';
import { Problem } from '../problem.js';
import { openChunksTab } from './chunks_tab.js';
import { openCheckTab, warningsOf } from './check_tab.js';
import { openCodeTab } from './code_tab.js';
import { openDocumentTab, openTextTab } from './document_tab.js';
import { openFiguresTab } from './figures_tab.js';
import { openFilesTab } from './files_tab.js';
import { openFindTab } from './find_tab.js';
import { makeJobBar } from './job_bar.js';
import { readyKeys } from './hands.js';
import { JobWatch } from './job_watch.js';
import { openJsonTab } from './json_tab.js';
import { makeLock } from './lock.js';
import { openMarkdownTab } from './markdown_tab.js';
import { Pages } from './pages.js';
import { PicturePane } from './picture_pane.js';
import { coveredBy, Search } from './search.js';
import { Selection } from './selection.js';
import { makeSplit } from './split.js';
import { Survey } from './survey.js';
import { openTablesTab } from './tables_tab.js';
import { makeTabs } from './tabs.js';
import { makeThumbs } from './thumbs.js';
import { makeToolbar } from './toolbar.js';
import { ViewState } from './view_state.js';

const STILL_MS = 200; // after which a page counts as looked at
const MANY = 99; // warnings, of which a tab says no more than that
const SMALL = 30; // pages, up to which all are looked through at once

const TABS = [
  ['document', 'Document', openDocumentTab],
  ['text', 'Text', openTextTab],
  ['markdown', 'Markdown', openMarkdownTab],
  ['tables', 'Tables', openTablesTab],
  ['figures', 'Figures', openFiguresTab],
  ['chunks', 'Chunks', openChunksTab],
  ['json', 'JSON', openJsonTab],
  ['code', 'Code', openCodeTab],
  ['find', 'Find', openFindTab, 'search'],
  ['check', 'Check', openCheckTab, 'check'],
  ['files', 'Downloads', openFilesTab, 'save'],
];

/** Opens a job in `root`; raises nothing: what is wrong is said on the page. */
export function openViewer(root, { api, jobId, page }) {
  const ending = new AbortController();
  const room = makeRoom(api, jobId, ending.signal);
  const bar = makeJobBar(room);
  const pane = new PicturePane(room);
  const closers = [() => ending.abort(), () => pane.close(), () => room.close()];
  root.classList.add('viewer');
  replace(root, h('p', { class: 'hint empty', text: 'Opening…' }));
  begin();

  async function begin() {
    try {
      await room.watch.open();
    } catch (error) {
      if (!ending.signal.aborted) replace(root, gone(error));
      return;
    }
    if (ending.signal.aborted) return;
    build();
    closers.push(followPages(room, pane));
    pane.lay(room.watch.numbers);
    if (page) pane.show(page);
    if (room.watch.numbers.length <= SMALL) lookThrough();
  }

  /** All pages, once the one that is seen is there. */
  async function lookThrough() {
    await pane.ready();
    if (!ending.signal.aborted) room.survey.begin();
  }

  function build() {
    const tabs = makeTabs(
      TABS.map(([id, label, open, drawing]) => ({ id, label, drawing, open: (panel) => open(panel, room) })),
      { label: 'Result', first: 'document' },
    );
    const thumbs = makeThumbs(room, pane);
    room.tabs = tabs;
    room.looksAt = () => pane.number;
    room.goTo = (number, id) => (id ? room.selection.choose({ page: number, id }, 'check') : pane.show(number));
    const left = h('section', { class: 'left', ariaLabel: 'Pictures of the pages' }, makeToolbar(room, pane), makeLock(room), h('div', { class: 'strip-and-pages' }, thumbs.element, pane.element));
    closers.push(() => thumbs.close());
    const right = h('section', { class: 'right', ariaLabel: 'Result' }, tabs.element);
    const body = makeSplit(left, right);
    replace(root, bar.element, body.element);
    closers.push(() => tabs.close(), readyKeys(actionsOf(room, pane, tabs, body)), countsOn(room, tabs));
  }

  return { close: () => closers.forEach((close) => close()) };
}

function makeRoom(api, jobId, signal) {
  const watch = new JobWatch({ ...api, Problem }, jobId);
  const pages = new Pages(api, watch.path);
  const survey = new Survey({ watch, pages });
  const search = new Search({ survey, watch });
  const hits = (name, number, map) => {
    const units = survey.notes.get(number)?.units ?? [];
    const some = name === 'hit' ? search.on(number) : [search.current].filter((hit) => hit?.page === number);
    return some.flatMap((hit) => coveredBy(map, units, hit).map((part) => part.polygon));
  };
  const close = () => [watch, survey, pages].forEach((part) => part.close());
  return { api, signal, watch, pages, survey, search, hits, view: new ViewState(), selection: new Selection(), close };
}

/** New pages appear as they are read; the address says which page is looked at. */
function followPages(room, pane) {
  const { watch, search, selection, survey } = room;
  let known = new Set(watch.done);
  let failed = new Set(watch.failed.keys());
  let status = watch.job.status;
  const pages = () => {
    const ended = status !== (status = watch.job.status) && watch.ended;
    const news = watch.numbers.filter((n) => (watch.done.has(n) && !known.has(n)) || (watch.failed.has(n) && !failed.has(n)) || (ended && !known.has(n)));
    known = new Set(watch.done);
    failed = new Set(watch.failed.keys());
    pane.lay(watch.numbers);
    pane.refresh(news);
  };
  const remark = () => pane.remark(['hit', 'hit-now']);
  const current = async () => {
    const hit = search.current;
    if (!hit) return;
    const map = await pane.room.pages.map(hit.page);
    const [part] = coveredBy(map, survey.notes.get(hit.page).units, hit);
    selection.choose({ page: hit.page, id: part?.id ?? hit.id }, 'find');
  };
  let still = null;
  const turned = () => {
    clearTimeout(still);
    still = setTimeout(() => {
      const here = `#/jobs/${encodeURIComponent(watch.job.id)}`;
      if (location.hash.startsWith(here)) history.replaceState(history.state, '', `${here}/${pane.number}`); // else somebody is leaving
      for (const name of ['document', 'text', 'markdown']) room.tabs.part(name)?.follow(pane.number);
    }, STILL_MS);
  };
  watch.addEventListener('pages', pages);
  watch.addEventListener('job', pages);
  search.addEventListener('hits', remark);
  search.addEventListener('current', remark);
  search.addEventListener('current', current);
  pane.addEventListener('page', turned);
  return () => {
    clearTimeout(still);
    watch.removeEventListener('pages', pages);
    watch.removeEventListener('job', pages);
  };
}

/** The tab of what is to be checked says how much there is. */
function countsOn(room, tabs) {
  const button = tabs.element.querySelector('#tab-check');
  const number = h('span', { class: 'count' });
  button.append(number);
  const show = () => {
    const count = warningsOf(room).length;
    say(number, count ? ` (${count > MANY ? `${MANY}+` : count})` : '');
    button.classList.toggle('warned', count > 0);
  };
  for (const [thing, name] of [[room.survey, 'progress'], [room.watch, 'pages']]) thing.addEventListener(name, show);
  show();
  return () => {
    for (const [thing, name] of [[room.survey, 'progress'], [room.watch, 'pages']]) thing.removeEventListener(name, show);
  };
}

function actionsOf({ view, search }, pane, tabs, body) {
  return {
    zoom: (direction) => view.zoomStep(direction),
    zoomTo: (scale) => view.zoom(scale),
    fit: (kind) => pane.fit(kind),
    turn: (degrees) => view.turnBy(degrees),
    step: (layer, direction) => pane.step(pane.chosenOrShown, layer, direction),
    hit: (direction) => search.step(direction),
    finding: () => document.activeElement?.classList.contains('find'),
    find: () => {
      body.show('right');
      tabs.show('find');
      tabs.part('find').focus();
    },
  };
}

function gone(error) {
  const lost = error.status === 404 || error.status === 410;
  const text = error instanceof Problem ? error.message : 'Something went wrong in this page.';
  return h('div', { class: 'gone', role: 'alert' },
    h('h1', { text: lost ? (error.status === 410 ? 'This job is gone' : 'No such job') : 'This job cannot be shown' }),
    h('p', {}, text, error.code ? h('code', { class: 'code', text: error.code }) : null),
    lost && h('p', { class: 'hint', text: 'It may belong to another key, or may have expired.' }),
    h('p', {}, h('a', { href: '#/jobs', text: 'All jobs' }), ' · ', h('a', { href: '#/', text: 'Read a document' })));
}
