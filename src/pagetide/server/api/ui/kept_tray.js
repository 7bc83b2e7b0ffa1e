// What this tab remembers of its tray, so that it is there again after the page is loaded anew.
// Documents and passwords are not: a browser keeps no file for a page.

const KEPT_AS = `pagetide.tray ${new URL('../', import.meta.url).pathname}`;
const MOST = 200; // as many as one list of the API has

/** Remembers these entries, the newest first. */
export function keep(entries) {
  const told = entries.slice(0, MOST).map(({ name, size, options, job }) => ({ name, size, options, id: job?.id ?? null }));
  if (told.length) sessionStorage.setItem(KEPT_AS, JSON.stringify(told));
  else sessionStorage.removeItem(KEPT_AS);
}

/** What was remembered. */
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS)) ?? [];
  } catch {
    return []; // of another version of this page
  }
}
