/** At most `limit` code points of a text; a longer one ends in "..." within the limit. No code point is split. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  // a code point has at most two units, so this holds all that may stay and one more
  const points = Array.from(text.slice(0, 2 * limit + 2))
  return points.length <= limit ? text : `${points.slice(0, Math.max(0, limit - 3)).join("")}...`
}
