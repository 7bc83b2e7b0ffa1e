// Numbers, times and states in plain words.

const MEGA = 1_000_000;
const HOURS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const STATUSES = {
  queued: 'Waiting',
  running: 'Being read',
  succeeded: 'Read',
  partial: 'Partly read',
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  erased: 'Erased',
};
const REVIEWS = { waiting: 'Waits for review', accepted: 'Reviewed', corrected: 'Corrected' };
const TYPES = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'image/webp': 'WebP',
  'image/jp2': 'JPEG 2000',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
};

export const STATUS_NAMES = Object.keys(STATUSES).filter((name) => name !== 'erased');
export const ENDED = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'expired']);

export const statusWord = (status) => STATUSES[status] ?? status;
export const reviewWord = (review) => REVIEWS[review] ?? '';
export const typeWord = (type) => TYPES[type] ?? type;

export function bytes(count) {
  if (count < 1000) return `${count} bytes`;
  if (count < MEGA) return `${Math.round(count / 1000)} kB`;
  if (count < 1000 * MEGA) return `${trimmed(count / MEGA)} MB`;
  return `${trimmed(count / 1000 / MEGA)} GB`;
}

export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** How long something took or is kept: 0.4 s, 12 s, 3 min, 7 days. */
export function seconds(value) {
  if (value < 0.05) return 'under 0.1 s';
  if (value < 10) return `${trimmed(value)} s`;
  if (value < 120) return `${Math.round(value)} s`;
  if (value < 7200) return `${Math.round(value / 60)} min`;
  if (value < 172_800) return `${Math.round(value / 3600)} hours`;
  return `${Math.round(value / 86_400)} days`;
}

/** A time of day, with the day where it is another. */
export function moment(text) {
  const time = new Date(text);
  const today = time.toDateString() === new Date().toDateString();
  const hours = time.toLocaleTimeString('en', { ...HOURS, second: '2-digit' });
  return today ? hours : `${time.toLocaleDateString('en', { day: 'numeric', month: 'short' })}, ${hours}`;
}

export function clock(epochSeconds) {
  return new Date(epochSeconds * 1000).toLocaleTimeString('en', HOURS);
}

/** How far a job has come, in one line. */
export function progressLine(job) {
  const waits = job.waiting_for_capacity;
  if (waits && !ENDED.has(job.status)) return `Waiting for a worker of the pool ${waits.pool} to start`;
  if (job.status === 'queued') return queueLine(job.queue_position);
  const failed = job.pages_failed ? `, ${job.pages_failed} failed` : '';
  return `${job.pages_done} of ${counted(job.pages_total, 'page')} read${failed}`;
}

function queueLine(position) {
  if (position === null || position === undefined) return 'Waiting';
  if (position === 0) return 'Next in the queue';
  const more = position >= 1000 ? 'at least 1,000 tasks' : counted(position, 'task');
  return `Waiting behind ${more}`;
}

/** With a capital letter, as a line of its own. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function trimmed(value) {
  return String(Math.round(value * 10) / 10);
}
