// Text as a search sees it: without case, accents and compatible forms.

const MARKS = /\p{Mn}/gu;

/** A text folded. */
export function folded(text) {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(/\s/g, ' ');
}

/** Where a folded text's characters come from: for each, the index in the text. */
export function origins(text) {
  const from = [];
  let index = 0;
  for (const character of text) {
    for (let i = 0; i < folded(character).length; i++) from.push(index);
    index += character.length;
  }
  return from;
}

/** All places of a needle in a haystack, both folded, that do not overlap. */
export function places(haystack, needle, most = Infinity) {
  const found = [];
  if (!needle) return found;
  for (let at = haystack.indexOf(needle); at >= 0 && found.length < most; at = haystack.indexOf(needle, at + needle.length)) {
    found.push(at);
  }
  return found;
}
