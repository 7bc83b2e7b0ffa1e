// Style sheets of a view, fetched when somebody first opens it.

const SHEETS = new Map(); // by name, the promise that it is there

/** Resolves once all of them are in force; one that cannot be had leaves its view plain. */
export function styled(...names) {
  return Promise.all(names.map(sheet));
}

function sheet(name) {
  if (!SHEETS.has(name)) SHEETS.set(name, fetched(name));
  return SHEETS.get(name);
}

function fetched(name) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL(name, import.meta.url);
  const there = new Promise((done) => {
    link.onload = done;
    link.onerror = () => {
      SHEETS.delete(name);
      link.remove();
      done();
    };
  });
  document.head.append(link);
  return there;
}
