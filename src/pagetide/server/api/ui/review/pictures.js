// A page with the place that is looked at: near, to be read, and far, to be found.

import * as api from '../api.js';
import { h, say } from '../dom.js';
import { sentence } from '../problem.js';
import { boxOf, outline } from '../viewer/geometry.js';

const AROUND = 1.2; // heights of the place that are seen above and below it
const LEAST_ACROSS = 0.4; // of a page that is seen at once
const MARK = '#c2410c'; // on paper, whatever the theme

export function pictures() {
  const near = h('canvas', { class: 'near', role: 'img' });
  const far = h('canvas', { class: 'far', role: 'img' });
  const why = h('p', { class: 'hint', role: 'status' });
  const kept = new Map(); // pages of this document
  let turn = 0;

  async function bitmapOf(job, page) {
    const path = `v1/jobs/${job}/pages/${page}/image`;
    if (!kept.has(path)) {
      for (const old of kept.values()) old.then((bitmap) => bitmap.close(), () => {});
      kept.clear();
      kept.set(path, api.picture(path).then((blob) => createImageBitmap(blob)));
    }
    return kept.get(path);
  }

  return {
    near,
    far,
    why,
    /** Shows a place of a job's page; says why where there is no picture. */
    async show(job, { page, polygon }, label) {
      const mine = ++turn;
      near.setAttribute('aria-label', label);
      far.setAttribute('aria-label', `Page ${page}, with that place marked`);
      try {
        const bitmap = await bitmapOf(job, page);
        if (mine !== turn) return;
        near.hidden = far.hidden = false;
        say(why, '');
        const box = boxOf(polygon);
        draw(near, bitmap, closeUp(box, bitmap), polygon);
        draw(far, bitmap, { left: 0, top: 0, width: bitmap.width, height: bitmap.height }, polygon);
      } catch (error) {
        if (mine !== turn) return;
        near.hidden = far.hidden = true;
        say(why, `${sentence(error)} You can still correct the text.`);
      }
    },
    close() {
      turn += 1;
      for (const old of kept.values()) old.then((bitmap) => bitmap.close(), () => {});
    },
  };
}

/** What is seen of a page to read a place. */
function closeUp(box, page) {
  const edge = (box.bottom - box.top) * AROUND;
  const width = Math.min(page.width, Math.max(box.right - box.left + edge, page.width * LEAST_ACROSS));
  const height = Math.min(page.height, box.bottom - box.top + 2 * edge);
  const middle = (box.left + box.right) / 2;
  const left = Math.min(Math.max(0, middle - width / 2), page.width - width);
  const top = Math.min(Math.max(0, box.top - edge), page.height - height);
  return { left, top, width, height };
}

function draw(canvas, bitmap, { left, top, width, height }, polygon) {
  canvas.width = Math.round(width);
  canvas.height = Math.round(height);
  const brush = canvas.getContext('2d');
  brush.drawImage(bitmap, -left, -top);
  brush.translate(-left, -top);
  brush.strokeStyle = MARK;
  brush.lineWidth = Math.max(2, width / 250);
  brush.stroke(new Path2D(outline(polygon)));
}
