// Polygons in pixels of the page, origin top left, y down.

/** The smallest upright box around a polygon. */
export function boxOf(polygon) {
  const xs = polygon.map((point) => point[0]);
  const ys = polygon.map((point) => point[1]);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** A polygon as far as it is on the page, whatever an engine made up; itself where it is. */
export function within(polygon, { width, height }) {
  const clamp = (value, most) => Math.min(most, Math.max(0, value ?? 0));
  const inside = polygon.every(([x, y]) => clamp(x, width) === x && clamp(y, height) === y);
  return inside ? polygon : polygon.map(([x, y]) => [clamp(x, width), clamp(y, height)]);
}

export function areaOf(box) {
  return (box.right - box.left) * (box.bottom - box.top);
}

/** Whether a point lies in a polygon, by counting the edges to its right. */
export function holds(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** A polygon as part of a path's `d`. */
export function outline(polygon) {
  return `M${polygon.map((point) => `${point[0]} ${point[1]}`).join('L')}Z`;
}

export function pointsOf(polygon) {
  return polygon.map((point) => point.join(',')).join(' ');
}

/** A point of the page, as fractions, on the page turned clockwise. */
export function turnedPoint(x, y, turn) {
  if (turn === 90) return [1 - y, x];
  if (turn === 180) return [1 - x, 1 - y];
  if (turn === 270) return [y, 1 - x];
  return [x, y];
}
