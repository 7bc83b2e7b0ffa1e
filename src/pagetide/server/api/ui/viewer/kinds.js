// What kinds of block are called on the page. Their colours are in viewer.css, by class.

const LABELS = {
  title: 'Title',
  heading: 'Heading',
  text: 'Text',
  list: 'List',
  table: 'Table',
  figure: 'Figure',
  chart: 'Chart',
  formula: 'Formula',
  caption: 'Caption',
  header: 'Header',
  footer: 'Footer',
  page_number: 'Page number',
  footnote: 'Footnote',
  aside: 'Aside',
  code: 'Code',
  toc: 'Contents',
  reference: 'Reference',
  seal: 'Seal',
  other: 'Other',
};

export const MARGINS = new Set(['header', 'footer', 'page_number']);

export function labelOf(kind) {
  return LABELS[kind] ?? LABELS.other;
}

/** The class that gives an element its kind's colour. */
export function classOf(kind) {
  return `kind-${kind in LABELS ? kind : 'other'}`;
}

/** What a block is called: of a heading, with its level. */
export function nameOf(block) {
  return block.kind === 'heading' && block.level ? `Heading ${block.level}` : labelOf(block.kind);
}
