// A ZIP archive of files as they are: what is in them is small, or packed already.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});
const UTF_8 = 0x0800; // names are
const VERSION = 20;
const DAY_ONE = 0x21; // 1 January 1980: the same files make the same archive

/** @param files `[name, Blob]` each; no two of one name. @returns A Blob. */
export async function zipped(files) {
  const parts = [];
  const entries = [];
  let offset = 0;
  for (const [name, blob] of files) {
    const entry = { name: new TextEncoder().encode(name), size: blob.size, crc: crcOf(new Uint8Array(await blob.arrayBuffer())), offset };
    const head = [fields([[4, 0x04034b50], ...about(entry)]), entry.name];
    parts.push(...head, blob);
    entries.push(entry);
    offset += head[0].length + entry.name.length + blob.size;
  }
  const index = entries.flatMap((entry) => [fields([[4, 0x02014b50], [2, VERSION], ...about(entry), [2, 0], [2, 0], [2, 0], [4, 0], [4, entry.offset]]), entry.name]);
  const length = index.reduce((sum, part) => sum + part.length, 0);
  const end = fields([[4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, length], [4, offset], [2, 0]]);
  return new Blob([...parts, ...index, end], { type: 'application/zip' });
}

/** What the file's own head and the index both say of it. */
function about({ name, size, crc }) {
  return [[2, VERSION], [2, UTF_8], [2, 0], [2, 0], [2, DAY_ONE], [4, crc], [4, size], [4, size], [2, name.length], [2, 0]];
}

/** Numbers of two or four bytes, the least byte first. */
function fields(list) {
  const view = new DataView(new ArrayBuffer(list.reduce((sum, [width]) => sum + width, 0)));
  let at = 0;
  for (const [width, value] of list) {
    if (width === 4) view.setUint32(at, value, true);
    else view.setUint16(at, value, true);
    at += width;
  }
  return new Uint8Array(view.buffer);
}

function crcOf(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
