// What the server takes and offers, asked once and forgotten with the key.

import { json } from './api.js';

let asked = {};
window.addEventListener('signed-out', () => (asked = {}));

export const limits = () => once('v1/limits', (told) => told);
export const models = () => once('v1/models', (told) => told.models);
export const languages = () => once('v1/languages', (told) => told.languages);

function once(path, part) {
  const mine = asked;
  mine[path] ??= json(path).then(part).catch((error) => {
    delete mine[path]; // the next one asks again
    throw error;
  });
  return mine[path];
}
