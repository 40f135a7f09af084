/** Tells apart values of one kind by what the text says each is for: the billing address from that for shipping. */

interface Side {
  /** Words of a name that ask for it. */
  readonly asks: RegExp
  /** Words before a value that say it. */
  readonly says: RegExp
}

// Only words of the same pair say that a value is for something else.
const pairs: ReadonlyArray<readonly [Side, Side]> = [
  [
    { asks: /\b(?:billing|invoic(?:e|ing))\b/u, says: /\b(?:billing|bill(?:ed)?|invoic\w+)\b/giu },
    {
      asks: /\b(?:shipping|shipment|delivery|ship to)\b/u,
      says: /\b(?:ship(?:p\w+|ment|s)?|deliver\w*|send|sent|dispatch\w*|parcel)\b/giu
    }
  ],
  [
    { asks: /\b(?:home|private|personal)\b/u, says: /\b(?:home|private(?:ly)?|personal)\b/giu },
    { asks: /\b(?:work|office|business)\b/u, says: /\b(?:work|office|business)\b/giu }
  ],
  [
    {
      asks: /\b(?:old|previous|former|from|origin|sender)\b/u,
      says: /\b(?:old|previous|former|origin|sender)\b|\bfrom(?=\s*$)/giu
    },
    {
      asks: /\b(?:new|to|destination|recipient)\b/u,
      says: /\b(?:new|destination|recipient)\b|\bto(?=\s*$)/giu
    }
  ]
]

/** The ends of sentences and paragraphs. The stop of "St." ends no sentence. */
const stops = /(?<!\b(?:st|rd|ave|ln|dr|blvd|sq|str|apt|no|e\.g|i\.e))[.!?;](?=\s)|\n[ \t]*\n/giu

const last = (text: string, pattern: RegExp): number => Array.from(text.matchAll(pattern)).at(-1)?.index ?? -1

/** More characters than a sentence has before a value. */
const longest = 300

/** What stands before each place of each value in its sentence, back to the value before it. */
const headsOf = (text: string, values: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const places: Array<readonly [value: string, start: number]> = []
  for (const value of new Set(values)) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) places.push([value, at])
  }
  const heads = new Map<string, Array<string>>()
  let end = 0
  for (const [value, start] of places.toSorted((a, b) => a[1] - b[1])) {
    const before = text.slice(Math.max(0, Math.min(end, start), start - longest), start)
    const head = before.slice(Math.max(0, last(before, stops)))
    heads.set(value, [...(heads.get(value) ?? []), head])
    end = start + value.length
  }
  return heads
}

/**
 * The values that are for what a name asks for: those first that the text says so of. Left out are those that are for the other side of
 * the pair. All of them, if the name asks for neither.
 */
export const qualified = (words: string, text: string, values: ReadonlyArray<string>): ReadonlyArray<string> =>
  pairs.reduce((kept, pair) => {
    const own = pair.find(({ asks }) => asks.test(words))
    const other = pair.find((side) => side !== own)
    if (own === undefined || other === undefined) return kept
    const heads = headsOf(text, kept)
    const sides = kept.map((value) =>
      (heads.get(value) ?? []).map((head) => Math.sign(last(head, own.says) - last(head, other.says)))
    )
    return [
      ...kept.filter((_, i) => sides[i]?.includes(1)),
      ...kept.filter((_, i) => sides[i]?.every((side) => side <= 0) && sides[i]?.includes(0))
    ]
  }, values)
