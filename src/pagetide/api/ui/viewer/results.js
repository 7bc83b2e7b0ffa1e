// A job's results as files, made when first asked for.

const WAIT_S = 25;

export const FORMATS = [
  ['pdf', 'Searchable PDF', 'The pages as they look, with their text to be found and copied', '.pdf'],
  ['md', 'Markdown', 'Headings, lists and tables as text', '.md'],
  ['txt', 'Plain text', 'In reading order', '.txt'],
  ['html', 'HTML', 'One page that any browser shows', '.html'],
  ['json', 'JSON', 'Everything that was found, and where', '.json'],
  ['csv', 'Tables as CSV', 'A ZIP archive, a file for each table', '.csv.zip'],
  ['xlsx', 'Tables as XLSX', 'A workbook, a sheet for each table', '.xlsx'],
  ['figures', 'Figures', 'A ZIP archive, a picture for each figure', '.figures.zip'],
  ['hocr', 'hOCR', 'Words and boxes for other tools', '.hocr'],
  ['raw', 'The model’s own answer', 'As the engine gave it, for the curious', '.raw.json'],
];

/** A result, as a Blob; waits while the server makes it. */
export async function resultOf({ api, watch }, format, { signal } = {}) {
  for (;;) {
    const blob = await api.blob(`${watch.path}/result?format=${format}&wait=${WAIT_S}`, { signal });
    const waiting = blob.type.startsWith('application/json') && format !== 'json' && format !== 'raw';
    if (!waiting) return blob;
  }
}

/** Has the browser keep a result as a file, named after the document. */
export async function saveResult(room, format, options) {
  const blob = await resultOf(room, format, options);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = nameOf(room.watch.job.source.name, format);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function nameOf(name, format) {
  const stem = name.replace(/^.*[\\/]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'document';
  return stem + FORMATS.find(([id]) => id === format)[3];
}
