/** A hash that needs no asynchronous call. It is not cryptographic: use it for names and ids, never for secrets. */

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

const mixed = (value: number): number => {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const

/**
 * The hash of a text, as 32 hexadecimal digits: MurmurHash3_x86_128 of its UTF-16 units, two bytes each, the lower one first
 * (Austin Appleby, SMHasher, public domain).
 */
export const hash128 = (text: string): string => {
  let [h1, h2, h3, h4] = [0, 0, 0, 0]
  const { length } = text
  // units after the end count as zero, as the algorithm has it: the bits of NaN
  const pair = (at: number): number => text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
  const whole = length - (length % 8)
  for (let at = 0; at < whole; at += 8) {
    h1 ^= Math.imul(rotated(Math.imul(pair(at), c1), 15), c2)
    h1 = Math.imul((rotated(h1, 19) + h2) | 0, 5) + 0x561ccd1b
    h2 ^= Math.imul(rotated(Math.imul(pair(at + 2), c2), 16), c3)
    h2 = Math.imul((rotated(h2, 17) + h3) | 0, 5) + 0x0bcaa747
    h3 ^= Math.imul(rotated(Math.imul(pair(at + 4), c3), 17), c4)
    h3 = Math.imul((rotated(h3, 15) + h4) | 0, 5) + 0x96cd1c35
    h4 ^= Math.imul(rotated(Math.imul(pair(at + 6), c4), 18), c1)
    h4 = Math.imul((rotated(h4, 13) + h1) | 0, 5) + 0x32ac3b17
  }
  if (length > whole + 6) h4 ^= Math.imul(rotated(Math.imul(pair(whole + 6), c4), 18), c1)
  if (length > whole + 4) h3 ^= Math.imul(rotated(Math.imul(pair(whole + 4), c3), 17), c4)
  if (length > whole + 2) h2 ^= Math.imul(rotated(Math.imul(pair(whole + 2), c2), 16), c3)
  if (length > whole) h1 ^= Math.imul(rotated(Math.imul(pair(whole), c1), 15), c2)
  h1 ^= length * 2
  h2 ^= length * 2
  h3 ^= length * 2
  h4 ^= length * 2
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  h1 = mixed(h1)
  h2 = mixed(h2)
  h3 = mixed(h3)
  h4 = mixed(h4)
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  return hex(h1) + hex(h2) + hex(h3) + hex(h4)
}
