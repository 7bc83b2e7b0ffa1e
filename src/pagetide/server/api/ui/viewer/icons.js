// Small drawings for buttons, on a field of 20 by 20.

import { svg } from '../dom.js';

const PATHS = {
  minus: 'M5 10h10',
  plus: 'M5 10h10M10 5v10',
  width: 'M3 4v12M17 4v12M6 10h8M8.5 7.5 6 10l2.5 2.5M11.5 7.5 14 10l-2.5 2.5',
  page: 'M6 3h8v14H6z',
  left: 'M4.5 4v4h4M4.9 8A6 6 0 1 1 4 11.5',
  right: 'M15.5 4v4h-4M15.1 8A6 6 0 1 0 16 11.5',
  layers: 'm10 3 7 4-7 4-7-4zM3.5 10.5 10 14l6.500-3.500M3.500 13.500 10 17l6.500-3.500',
  search: 'M8.500 3.500a5 5 0 1 1 0 10 5 5 0 0 1 0-10M12.200 12.200 16.500 16.500',
  up: 'm5 12 5-5 5 5',
  down: 'm5 8 5 5 5-5',
  copy: 'M7 7h9v9H7zM13 7V4H4v9h3',
  save: 'M10 3v9M6.500 8.500 10 12l3.500-3.500M4 16h12',
  open: 'm8 5 5 5-5 5',
  bin: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6M8.700 9v4.500M11.300 9v4.500',
  stop: 'M6 6h8v8H6z',
  check: 'M4 10.500 8 14.500 16 5.500',
  again: 'M15.500 4v4h-4M15.100 8A6 6 0 1 0 16 11.500',
};

export function icon(name) {
  const path = svg('path', { d: PATHS[name] });
  return svg('svg', { class: 'icon', viewBox: '0 0 20 20', width: '20', height: '20', 'aria-hidden': 'true' }, path);
}
