// An hour as a drawing: tasks above, workers below on a scale of their own; or pages by minute.

import { svg } from '../dom.js';
import { clock } from '../words.js';

const LEFT = 34;
const TIMES = 18; // below, for the times of day
const TOP = 8;
const TASKS = { top: TOP, bottom: 132 };
const WORKERS = { top: 152, bottom: 196 };
const PAGES = { top: TOP, bottom: 142 };
const TICKS = 4;

export const POOL_HEIGHT = WORKERS.bottom + TIMES;
export const PAGES_HEIGHT = PAGES.bottom + TIMES;

export function poolDrawing({ at, waiting, leased, workers, from, begun, now }, width) {
  const x = (time) => LEFT + ((Math.max(time, from) - from) / (now - from)) * (width - LEFT);
  const sizes = at.map((_, i) => waiting[i] + leased[i]);
  const tasks = scale(TASKS, sizes);
  const told = workers.some((count) => count !== null);
  const counts = workers.map((count) => count ?? 0);
  const crew = scale(WORKERS, counts);
  return [
    begun > from + 60 && unwatched(x(begun)),
    grid(tasks, width, [0, tasks.most / 2, tasks.most]),
    svg('path', { class: 'waiting', d: area(at, sizes, now, x, tasks.y) }),
    svg('path', { class: 'held', d: area(at, leased, now, x, tasks.y) }),
    told && grid(crew, width, [0, crew.most]),
    told && svg('path', { class: 'workers', d: area(at, counts, now, x, crew.y) }),
    times(from, now, width, POOL_HEIGHT),
  ];
}

export function pagesDrawing({ counts, from, now }, width) {
  const plot = scale(PAGES, counts);
  const step = (width - LEFT) / counts.length;
  const bar = (count, i) => svg('rect', {
    class: 'pages', x: (LEFT + i * step + 1).toFixed(1), width: Math.max(1, step - 2).toFixed(1),
    y: plot.y(count).toFixed(1), height: (plot.y(0) - plot.y(count)).toFixed(1), rx: 1.5,
  });
  return [
    grid(plot, width, [0, plot.most / 2, plot.most]),
    counts.map((count, i) => count > 0 && bar(count, i)),
    times(from, now, width, PAGES_HEIGHT),
  ];
}

function scale({ top, bottom }, values) {
  const most = niceMost(Math.max(...values, 1));
  return { most, y: (count) => bottom - (count / most) * (bottom - top) };
}

/** Between two samples nothing is known to have changed: a value holds until the next. */
function area(at, values, now, x, y) {
  if (!at.length) return '';
  let path = `M${x(at[0]).toFixed(1)} ${y(0)}V${y(values[0]).toFixed(1)}`;
  for (let i = 1; i < at.length; i += 1) path += `H${x(at[i]).toFixed(1)}V${y(values[i]).toFixed(1)}`;
  return `${path}H${x(now).toFixed(1)}V${y(0)}Z`;
}

function unwatched(end) {
  return [
    svg('rect', { class: 'unwatched', x: LEFT, y: TOP, width: (end - LEFT).toFixed(1), height: TASKS.bottom - TOP }),
    end - LEFT > 110 && svg('text', { x: (LEFT + end) / 2, y: 30, 'text-anchor': 'middle', text: 'not watched yet' }),
  ];
}

function grid({ y }, width, counts) {
  return counts.filter(Number.isInteger).map((count) => [
    svg('line', { class: 'grid', x1: LEFT, x2: width, y1: y(count), y2: y(count) }),
    svg('text', { x: LEFT - 8, y: y(count) + 4, 'text-anchor': 'end', text: String(count) }),
  ]);
}

function times(from, now, width, height) {
  return Array.from({ length: TICKS + 1 }, (_, i) => svg('text', {
    x: LEFT + (i / TICKS) * (width - LEFT), y: height - 2, text: clock(from + (i / TICKS) * (now - from)),
    'text-anchor': i === 0 ? 'start' : i === TICKS ? 'end' : 'middle',
  }));
}

function niceMost(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.max(2, [1, 2, 4, 6, 10].find((step) => step * unit >= value) * unit);
}
