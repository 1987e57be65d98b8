import { crc32, deflateSync } from "node:zlib";

/** A chunk of a PNG file. */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "ascii"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of a sunset over water, computed. */
export function sunset(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  const horizon = height * 0.62;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const depth = y < horizon ? y / horizon : 1 - (y - horizon) / (height - horizon);
      const shade = y < horizon ? 1 : 0.7 + 0.12 * Math.sin(y * 1.7 + Math.sin(x / 9));
      const isSun = Math.hypot(x - width / 2, y - horizon * 0.8) < height / 6 && y < horizon;
      const colour = isSun ? [255, 236, 170] : [70 + 180 * depth, 50 + 95 * depth, 120 - 10 * depth];
      for (const [index, part] of colour.entries())
        rows[y * (1 + width * 3) + 1 + x * 3 + index] = Math.round(part * shade);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", new Uint8Array())];
  return Buffer.concat([signature, ...parts]);
}
