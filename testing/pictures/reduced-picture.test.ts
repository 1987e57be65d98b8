/** Changes that a comparison of pictures must see, and others that it must not. */
import { describe, expect, it } from "vitest";
import { decodePng, encodePng, type Picture } from "../host/picture.ts";
import { compare, drawDifference, reduce } from "./reduced-picture.ts";

const WHITE = 0xffffff;
const GREY = 0xf7f8fa;
const INK = 0x575c66;
const BLUE = 0x1a5fd0;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  colour: number;
}

/** A page of 320 × 200 pixels with boxes. */
function draw(boxes: readonly Box[]): Picture {
  const [width, height] = [320, 200];
  const pixels = new Uint32Array(width * height).fill(WHITE);
  for (const box of boxes) {
    for (let y = box.y; y < box.y + box.height; y++)
      pixels.fill(box.colour, y * width + box.x, y * width + box.x + box.width);
  }
  return { width, height, pixels };
}

const panel: Box = { x: 0, y: 0, width: 80, height: 200, colour: GREY };
const send: Box = { x: 260, y: 160, width: 28, height: 28, colour: BLUE };
/** An icon of 16 pixels: a square of thin lines. */
const icon: Box[] = [
  { x: 120, y: 20, width: 16, height: 2, colour: INK },
  { x: 120, y: 34, width: 16, height: 2, colour: INK },
  { x: 120, y: 20, width: 2, height: 16, colour: INK },
  { x: 134, y: 20, width: 2, height: 16, colour: INK },
];
/** A line of text: letters as strokes. */
const text: Box[] = Array.from({ length: 40 }, (_, at) => ({
  x: 100 + at * 4,
  y: 90,
  width: 2,
  height: 9,
  colour: INK,
}));
const page = [panel, send, ...icon, ...text];

/** As a checked-in file has it. */
const stored = (picture: Picture): Picture => decodePng(encodePng(reduce(picture)));
const isSame = (boxes: readonly Box[]): boolean => compare(stored(draw(page)), reduce(draw(boxes))).isSame;
const without = (...left: Box[]): Box[] => page.filter((box) => !left.includes(box));

describe("a picture is the same", () => {
  it("if it is drawn again", () => {
    expect(compare(stored(draw(page)), reduce(draw(page))).count).toBe(0);
  });

  it("if another machine draws letters a pixel beside, and a little paler", () => {
    const moved = text.map((box) => ({ ...box, x: box.x + 1, y: box.y + 1, colour: INK + 0x080808 }));
    expect(isSame([...without(...text), ...moved])).toBe(true);
  });
});

describe("a picture differs", () => {
  it("without a button", () => {
    expect(isSame(without(send))).toBe(false);
  });

  it("without an icon", () => {
    expect(isSame(without(...icon))).toBe(false);
  });

  it("with a button of another colour", () => {
    expect(isSame([...without(send), { ...send, colour: 0xb3261e }])).toBe(false);
  });

  it("with a button in paler blue", () => {
    expect(isSame([...without(send), { ...send, colour: 0x8aabe5 }])).toBe(false);
  });

  it("with a panel that is 8 pixels wider", () => {
    const dark = { ...panel, colour: BLUE };
    const before = stored(draw([dark]));
    expect(compare(before, reduce(draw([{ ...dark, width: 88 }]))).isSame).toBe(false);
  });

  it("with a line of text that moved by 8 pixels", () => {
    expect(isSame([...without(...text), ...text.map((box) => ({ ...box, y: box.y + 8 }))])).toBe(false);
  });

  it("with another size", () => {
    const small = { ...draw(page), height: 100, pixels: draw(page).pixels.slice(0, 320 * 100) };
    expect(compare(stored(draw(page)), reduce(small)).isSame).toBe(false);
  });
});

it("shows the differing cells in red", () => {
  const actual = reduce(draw(without(send)));
  const drawn = drawDifference(actual, compare(stored(draw(page)), actual));
  const at = Math.floor(174 / 4) * drawn.width + Math.floor(274 / 4);
  expect(drawn.pixels[at]).toBe(0xe00000);
  expect(drawn.pixels[0]).not.toBe(0xe00000);
});
