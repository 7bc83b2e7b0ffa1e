// What a job's result can be had as: names, endings, and the result itself.

import * as api from './api.js';

const WAIT_S = 25;

export const FORMATS = [
  ['pdf', 'Searchable PDF', 'The pages as they look, with searchable and selectable text', '-searchable.pdf'],
  ['md', 'Markdown', 'Headings, lists and tables as text', '.md'],
  ['txt', 'Plain text', 'In reading order', '.txt'],
  ['html', 'HTML', 'One page for any browser', '.html'],
  ['json', 'JSON', 'Everything that was found, with positions', '.json'],
  ['chunks', 'Chunks', 'Parts for search and retrieval, each with its headings and places, as JSON Lines', '.chunks.jsonl'],
  ['fields', 'Fields', 'Labels with their values, and an invoice’s items and sums, each with its position, as JSON', '.fields.json'],
  ['csv', 'Tables as CSV', 'A ZIP archive with one file per table', '.csv.zip'],
  ['xlsx', 'Tables as XLSX', 'A workbook with one sheet per table', '.xlsx'],
  ['figures', 'Figures', 'A ZIP archive with one picture per figure', '.figures.zip'],
  ['hocr', 'hOCR', 'Words and boxes for other tools', '.hocr'],
  ['raw', 'The model’s own answer', 'The engine’s raw output', '.raw.json'],
];

/** A result, as a Blob; waits while the server makes it. */
export async function resultOf(jobId, format, { signal } = {}) {
  for (;;) {
    const blob = await api.blob(`v1/jobs/${jobId}/result?format=${format}&wait=${WAIT_S}`, { signal });
    if (blob) return blob;
  }
}

/** What a file of a document's result is called. */
export function fileName(name, format) {
  const stem = name.replace(/^.*[\\/]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'document';
  return stem + FORMATS.find(([id]) => id === format)[3];
}
