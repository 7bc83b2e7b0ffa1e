// Says what the server would refuse, before it is sent there.

import { limits } from './limits.js';
import { bytes, typeWord } from './words.js';

const HEAD_BYTES = 1024;
const SIGNATURES = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/, 'image/tiff'],
  [/^(\0\0\0\x0cjP {2}\r\n\x87\n|\xff\x4f\xff\x51)/, 'image/jp2'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^[\s\S]{4}ftyp(avif|avis|(mif1|msf1)[\s\S]{4}([\s\S]{4}){0,20}avi[fs])/, 'image/avif'],
  [/^[\s\S]{4}ftyp(hei[cxms]|hev[cx]|(mif1|msf1)[\s\S]{4}([\s\S]{4}){0,20}(hei[cxms]|hev[cx]))/, 'image/heic'],
  [/^BM/, 'image/bmp'],
  [/%PDF-/, 'application/pdf'],
];

/** Why a file cannot be read here, in one sentence; empty where it may be. */
export async function refusal(file) {
  const { max_bytes: most, media_types: types } = await limits();
  if (file.size > most) return `It has ${bytes(file.size)}; the maximum here is ${bytes(most)}.`;
  let head;
  try {
    head = await file.slice(0, HEAD_BYTES).arrayBuffer();
  } catch {
    return 'The browser cannot read it; a folder cannot be read, only the files in it.';
  }
  if (!head.byteLength) return 'It is empty.';
  const type = sniff(head);
  if (!types.includes(type)) return `It is neither a PDF nor a supported picture: ${typesLine(types)}.`;
  return '';
}

/** Why an address cannot be fetched; empty where it may be. */
export function addressRefusal(text) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    return 'Please enter a complete address that starts with http:// or https://.';
  }
  return '';
}

/** Why this is no choice of pages; empty where it is one. */
export function pagesRefusal(text) {
  const part = /^(-?\d+|-?\d+--?\d+|-?\d+-)$/;
  if (!text.trim() || text.split(',').every((one) => part.test(one.trim()))) return '';
  return 'Write pages like 1-3,7,-1; the last page is -1.';
}

export function typesLine(types) {
  const words = [...new Set(types.map(typeWord))];
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function sniff(head) {
  const text = Array.from(new Uint8Array(head), (byte) => String.fromCharCode(byte)).join('');
  return SIGNATURES.find(([signature]) => signature.test(text))?.[1];
}
