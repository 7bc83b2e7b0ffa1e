// Markdown within a line, as elements: styles, code, links, formulas, and what is written as it is.

import { h } from '../dom.js';

const SAFE = /^(https?:|mailto:|tel:|ftp:)/i; // what runs nothing in this page
// Each looks only so far for its end: a text that opens many and closes none costs no more.
const PIECES = [
  [/^\\([!-/:-@[-`{-~])/, ([, sign]) => sign],
  [/^`([^`\n]{1,2000})`/, ([, code]) => h('code', { text: code })],
  [/^\*\*((?:\\.|[^\\]){1,2000}?)\*\*/s, ([, text]) => h('strong', {}, inlineOf(text))],
  [/^\*((?:\\.|[^\\*]){1,2000}?)\*/s, ([, text]) => h('em', {}, inlineOf(text))],
  [/^<(strong|em|code|sup|sub)>(.{0,2000}?)<\/\1>/s, ([, tag, text]) => h(tag, {}, inlineOf(text))],
  [/^<br>/, () => h('br')],
  [/^<a id="[^"]*"><\/a>/, () => null],
  [/^\[\^([^\]]{1,40})\]:?/, ([, mark]) => h('sup', { text: mark })],
  [/^\[((?:\\.|[^\\\]]){1,2000})\]\(<?([^)>\s]{1,2000})>?\)/s, ([, text, address]) => linkOf(inlineOf(text), address)],
  [/^&(lt|gt|amp|quot|#x27|#39);/, ([, name]) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name] ?? "'"],
  [/^\n/, () => h('br')],
];

/** What a text holds, as texts and elements. */
export function inlineOf(text) {
  const found = [];
  let plain = '';
  for (let rest = text; rest; ) {
    const [match, make] = firstOf(rest);
    if (!match) {
      plain += rest[0];
      rest = rest.slice(1);
      continue;
    }
    if (plain) found.push(plain);
    plain = '';
    found.push(make(match));
    rest = rest.slice(match[0].length);
  }
  if (plain) found.push(plain);
  return found;
}

function firstOf(text) {
  if (!/^[\\`*<[&\n]/.test(text)) return [];
  for (const [pattern, make] of PIECES) {
    const match = pattern.exec(text);
    if (match) return [match, make];
  }
  return [];
}

function linkOf(content, address) {
  if (!SAFE.test(address)) return h('span', {}, content);
  return h('a', { href: address, rel: 'noreferrer', target: '_blank' }, content);
}
