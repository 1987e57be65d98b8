/**
 * Compares pictures of pages that different machines drew. A picture is reduced to cells of 4 × 4 pixels: letters become grey
 * lines, so the edges that each machine smooths differently hardly count, while boxes, gaps and colours stay.
 */
import type { Picture } from "../host/picture.ts";

/** Pixels of a cell's side. */
const CELL = 4;
/** Levels of a channel by which a cell may differ: the rounding of stored pictures, and a little noise. */
const TOLERANCE = 16;
/** Cells that may differ. The smallest icon of the page has about ten. */
const MOST = 5;

/** Levels of a channel that share a stored value, so that stored pictures are small. */
const STEP = 4;

const CHANNELS = [16, 8, 0] as const;
const channel = (colour: number, shift: number): number => (colour >> shift) & 255;
const rounded = (level: number): number => Math.min(255, Math.round(level / STEP) * STEP);

/** A picture of a quarter of the width and height: each pixel is the mean of a cell. */
export function reduce({ width, height, pixels }: Picture): Picture {
  const columns = Math.floor(width / CELL);
  const rows = Math.floor(height / CELL);
  const reduced = new Uint32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let [red, green, blue] = [0, 0, 0];
      for (let y = row * CELL; y < (row + 1) * CELL; y++) {
        for (let x = column * CELL; x < (column + 1) * CELL; x++) {
          const colour = pixels[y * width + x] ?? 0;
          red += channel(colour, 16);
          green += channel(colour, 8);
          blue += channel(colour, 0);
        }
      }
      const [r, g, b] = [red, green, blue].map((sum) => rounded(sum / CELL ** 2)) as [number, number, number];
      reduced[row * columns + column] = (r << 16) | (g << 8) | b;
    }
  }
  return { width: columns, height: rows, pixels: reduced };
}

/** The result of a comparison of two reduced pictures. */
export interface PictureDifference {
  /** Whether the pictures are taken as equal. */
  isSame: boolean;
  /** An entry per cell: 1 if it differs. */
  cells: Uint8Array;
  count: number;
}

/**
 * Compares two reduced pictures. A cell is the same if its colour lies between those of its neighbours in the other picture:
 * a line that moved by a pixel changes cells, but none beyond its neighbours. It must hold in both directions: a thin
 * icon that disappeared leaves a background that was there before, but its own colour is nowhere any more.
 */
export function compare(expected: Picture, actual: Picture): PictureDifference {
  const { width, height } = expected;
  const cells = new Uint8Array(width * height);
  if (actual.width !== width || actual.height !== height)
    return { isSame: false, cells: cells.fill(1), count: cells.length };
  let count = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (expected.pixels[at] === actual.pixels[at]) continue;
      if (isAmong(expected, actual, x, y) && isAmong(actual, expected, x, y)) continue;
      cells[at] = 1;
      count++;
    }
  }
  return { isSame: count <= MOST, cells, count };
}

/** Whether a cell of one picture lies between the cells around the same place of another one. */
function isAmong(one: Picture, other: Picture, x: number, y: number): boolean {
  const { width, height } = one;
  const colour = one.pixels[y * width + x] ?? 0;
  for (const shift of CHANNELS) {
    const level = channel(colour, shift);
    let [least, most] = [255, 0];
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
        const near = channel(other.pixels[row * width + column] ?? 0, shift);
        least = Math.min(least, near);
        most = Math.max(most, near);
      }
    }
    if (level < least - TOLERANCE || level > most + TOLERANCE) return false;
  }
  return true;
}

const RED = 0xe00000;

/** The actual picture, pale, with the differing cells in red. */
export function drawDifference(actual: Picture, { cells }: PictureDifference): Picture {
  const pale = (level: number): number => 192 + (level >> 2);
  const pixels = actual.pixels.map((colour, at) =>
    cells[at]
      ? RED
      : (pale(channel(colour, 16)) << 16) | (pale(channel(colour, 8)) << 8) | pale(channel(colour, 0)),
  );
  return { ...actual, pixels };
}
