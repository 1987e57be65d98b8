/** Reads the colours of screenshots, and writes smaller files. */
import { deflateSync, inflateSync } from "node:zlib";

/** A decoded picture: one number (0xRRGGBB) per pixel, line by line. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint32Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Numbers of channels by the format's colour type: 3 is a palette, as {@link encodePng} writes it. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 3: 1, 6: 4 };

/** Decodes the PNG formats of Chromium and of {@link encodePng}: 8 bits for each channel, not interlaced. */
export function decodePng(png: Buffer): Picture {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = CHANNELS[png[25] ?? 0] ?? 3;
  const data: Buffer[] = [];
  let palette: Uint8Array | undefined;
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (name === "IDAT") data.push(body);
    if (name === "PLTE") palette = body;
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const line = raw.subarray(start + 1, start + 1 + stride);
    unfilter(line, above, raw[start] ?? 0, channels);
    for (let x = 0, at = 0; x < width; x++, at += channels)
      pixels[y * width + x] = palette ? colourAt(palette, byte(line, at) * 3) : colourAt(line, at);
    above = line;
  }
  return { width, height, pixels };
}

const byte = (bytes: Uint8Array, at: number): number => bytes[at] as number;
const colourAt = (bytes: Uint8Array, at: number): number =>
  (byte(bytes, at) << 16) | (byte(bytes, at + 1) << 8) | byte(bytes, at + 2);

/**
 * Each byte was written as the difference from a prediction by its neighbours. There are millions of bytes,
 * so nothing is allocated for each.
 */
function unfilter(line: Uint8Array, above: Uint8Array, filter: number, channels: number): void {
  if (filter === 0) return;
  for (let at = 0; at < line.length; at++) {
    const left = at < channels ? 0 : byte(line, at - channels);
    const up = byte(above, at);
    let expected = filter === 1 ? left : filter === 2 ? up : (left + up) >> 1;
    if (filter === 4) expected = paeth(left, up, at < channels ? 0 : byte(above, at - channels));
    line[at] = byte(line, at) + expected;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const a = Math.abs(guess - left);
  const b = Math.abs(guess - up);
  const c = Math.abs(guess - corner);
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** The colours of a picture with their pixel counts, most frequent first. */
export function colours({ pixels }: Picture): [colour: number, count: number][] {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Encodes a picture with a palette of its 256 most frequent colours: a third of the size, for pictures of text. */
export function encodePng(picture: Picture): Buffer {
  const { width, height, pixels } = picture;
  const all = colours(picture).map(([colour]) => colour);
  const palette = all.slice(0, 256);
  const places = new Map(palette.map((colour, index) => [colour, index]));
  for (const colour of all.slice(256)) places.set(colour, nearest(palette, colour));
  const raw = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      raw[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x] ?? 0) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(rgb))),
    chunk("IDAT", deflateSync(raw, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const rgb = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function nearest(palette: number[], colour: number): number {
  const wanted = rgb(colour);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, candidate] of palette.entries()) {
    const distance = rgb(candidate).reduce((sum, value, at) => sum + (value - (wanted[at] ?? 0)) ** 2, 0);
    if (distance < least) [least, best] = [distance, index];
  }
  return best;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(checksum(body), body.length + 4);
  return whole;
}

/** CRC-32, because `zlib` has none in some supported versions of Node. */
function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
