// What a document's JSON holds before and behind its pages, without the pages: they come one by
// one, however many there are.

const ENOUGH = 1 << 18; // bytes from either end
const PAGES = '"pages":[';

/** @returns `{before, after}`, two objects; null where one is not within what is fetched. */
export async function aroundPages({ api, watch, signal }) {
  const path = `${watch.path}/result?format=json`;
  const first = await api.text(path, { signal, range: `0-${ENOUGH - 1}` });
  const last = watch.job.results.json.bytes <= ENOUGH ? first : await api.text(path, { signal, range: `-${ENOUGH}` });
  const [begins, ends] = [first.indexOf(PAGES), last.lastIndexOf('],"warnings":[')];
  return {
    before: begins < 0 ? null : without(JSON.parse(`${first.slice(0, begins)}${PAGES}]}`)),
    after: ends < 0 ? null : without(JSON.parse(`{${PAGES}${last.slice(ends)}`)),
  };
}

const without = ({ pages, ...rest }) => rest;
