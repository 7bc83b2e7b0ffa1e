// Says how far the pages have been gone over.

import { h, say } from '../dom.js';

export function progressNote(survey) {
  const element = h('p', { class: 'hint progress-note' });
  const show = () => {
    const looked = survey.notes.size;
    element.hidden = looked >= survey.total;
    say(element, survey.complete ? `${looked} of ${survey.total} pages are read so far.` : `Looking through the pages: ${looked} of ${survey.total}`);
  };
  survey.addEventListener('progress', show);
  survey.watch.addEventListener('pages', show);
  show();
  return {
    element,
    close: () => {
      survey.removeEventListener('progress', show);
      survey.watch.removeEventListener('pages', show);
    },
  };
}
