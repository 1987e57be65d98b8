/**
 * Classifies network addresses: public, private, or forbidden.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";

/**
 * - `public`: reachable by anybody
 * - `private`: this machine, or the network around it; allowed only if the operator names the address
 * - `forbidden`: link-local (where clouds keep their credentials), multicast and the like
 */
export type AddressKind = "public" | "private" | "forbidden";

const PRIVATE: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["::", 128],
  ["::1", 128],
  ["fc00::", 7],
  ["fec0::", 10],
];
const FORBIDDEN: readonly (readonly [string, number])[] = [
  // Cloud metadata services of Alibaba and Oracle, and Amazon's over IPv6, which are not link-local.
  ["100.100.100.200", 32],
  ["192.0.0.0", 24],
  ["fd00:ec2::", 32],
  ["169.254.0.0", 16],
  ["fe80::", 10],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["ff00::", 8],
];

const blockList = (ranges: readonly (readonly [string, number])[]): BlockList => {
  const list = new BlockList();
  for (const [net, bits] of ranges) list.addSubnet(net, bits, isIP(net) === 6 ? "ipv6" : "ipv4");
  return list;
};
const privates = blockList(PRIVATE);
const forbidden = blockList(FORBIDDEN);

/** Classifies an address. Anything that is not an IP address is forbidden. */
export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return "forbidden";
  const type = family === 6 ? "ipv6" : "ipv4";
  if (forbidden.check(address, type)) return "forbidden";
  if (privates.check(address, type)) return "private";
  const inner = family === 6 ? innerAddress(address) : undefined;
  return inner === undefined ? "public" : kindOfAddress(inner);
}

/** The IPv4 address inside an IPv6 address: mapped, compatible, translated (NAT64) or tunnelled (6to4). */
function innerAddress(address: string): string | undefined {
  const words = wordsOf(address);
  const [first = 0, second = 0, third = 0] = words;
  const quad = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");
  if (first === 0x2002) return quad(second, third);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && (words[5] === 0 || words[5] === 0xffff);
  const isTranslated = first === 0x64 && second === 0xff9b;
  return isMapped || isTranslated ? quad(words[6], words[7]) : undefined;
}

/** The eight numbers of an IPv6 address. */
function wordsOf(address: string): number[] {
  // The URL parser accepts every notation, and writes a single one.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]/`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const numbers = (part = ""): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const before = numbers(head);
  const after = numbers(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
