// The results of many documents as one archive.

import { fileName, resultOf } from './formats.js';
import { sentence } from './problem.js';
import { zipped } from './zip.js';

const AT_ONCE = 2;

/** @param entries Of the tray, each with a result. @param onProgress Is told how many are there.
 *  @returns `{archive, problems}`: a Blob, and a sentence for each result that is not in it. */
export async function bundle(entries, format, { onProgress = () => {} } = {}) {
  const files = [];
  const problems = [];
  const waiting = [...entries].reverse(); // in the order in which they were given
  const names = uniqueNames(waiting, format);
  let done = 0;
  const work = async () => {
    for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
      try {
        files.push([names.get(entry), await resultOf(entry.job.id, format)]);
      } catch (error) {
        problems.push(`${entry.name}: ${sentence(error)}`);
      }
      onProgress((done += 1));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  files.sort(([a], [b]) => a.localeCompare(b));
  return { archive: files.length ? await zipped(files) : null, problems };
}

/** Two documents of one name are told apart by a number. */
function uniqueNames(entries, format) {
  const taken = new Set();
  return new Map(entries.map((entry) => {
    const name = fileName(entry.name, format);
    const dot = name.indexOf('.', 1);
    let unique = name;
    for (let i = 2; taken.has(unique); i += 1) unique = `${name.slice(0, dot)} (${i})${name.slice(dot)}`;
    taken.add(unique);
    return [entry, unique];
  }));
}
