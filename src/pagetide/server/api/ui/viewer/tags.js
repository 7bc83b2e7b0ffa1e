// Names and numbers of blocks on a page, placed where they hide nothing.

import { h } from '../dom.js';
import { classOf, nameOf } from './kinds.js';

const HEIGHT = 16; // pixels of the window; as in pictures.css
const LETTER = 6.8; // about
const ROOM = 3;
const GUTTER = 22; // beside a page; as in pictures.css

/** Blocks' names: each beside its block, where there is room; else in it, where nothing is written;
 *  else none, since the colour tells the kind, too.
 *  @param seen Each block, with its box. @param lines The boxes of what is written. */
export function nameTags(seen, across, lines) {
  const taken = seen.map(({ box }) => box);
  return seen.flatMap(({ block, box }) => {
    const text = nameOf(block);
    const spots = spotsOf(box, LETTER * text.length + 12);
    const others = taken.filter((other) => other !== box && !around(other, box));
    const named = taken.slice(seen.length);
    const within = (spot) => spot.left >= -GUTTER && spot.top >= -HEIGHT && spot.right <= across + GUTTER;
    const free = (spot) => within(spot) && !others.some((other) => meet(other, spot));
    const blank = (spot) => within(spot) && ![...named, ...lines].some((other) => meet(other, spot));
    const spot = spots.find(free) ?? spots.find(blank);
    if (!spot) return [];
    taken.push(spot);
    return [placed(h('span', { class: `tag ${spot.side} ${classOf(block.kind)}`, text }), spot.x, spot.y)];
  });
}

function spotsOf({ left, top, right, bottom }, width) {
  const spot = (side, x, y, from, over) => ({ side, x, y, left: from, top: over, right: from + width, bottom: over + HEIGHT });
  return [
    spot('beside', left - ROOM, top, left - width - ROOM, top),
    spot('above', left, top, left, top - HEIGHT - 1),
    spot('above-end', right, top, right - width, top - HEIGHT - 1),
    spot('after', right + ROOM, top, right + ROOM, top),
    spot('below', left, bottom, left, bottom + 1),
    spot('below-end', right, bottom, right - width, bottom + 1),
    spot('within', right, top, right - width, top),
  ];
}

/** A block's place in the reading order, from 1, in its middle. */
export function numberTag(block, box) {
  const number = h('span', { class: 'step', text: String(block.order + 1) });
  return placed(number, (box.left + box.right) / 2, (box.top + box.bottom) / 2);
}

function placed(tag, x, y) {
  tag.style.left = `${x}px`;
  tag.style.top = `${y}px`;
  return tag;
}

function meet(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function around(outer, inner) {
  return outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom;
}
