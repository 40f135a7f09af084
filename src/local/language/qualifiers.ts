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

/** What stands before each place of a value in its sentence, back to the value before it. */
const heads = (text: string, value: string, all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + value.length)) {
    const before = text.slice(0, start)
    const from = all.map((other) => before.lastIndexOf(other) + (before.includes(other) ? other.length : 0))
    found.push(before.slice(Math.max(0, last(before, stops), ...from)))
  }
  return found
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
    const sides = kept.map((value) =>
      heads(text, value, kept).map((head) => Math.sign(last(head, own.says) - last(head, other.says)))
    )
    return [
      ...kept.filter((_, i) => sides[i]?.includes(1)),
      ...kept.filter((_, i) => sides[i]?.every((side) => side <= 0) && sides[i]?.includes(0))
    ]
  }, values)
