/** Tells where something begins from where it ends: "from 09:00 to 12:30". */

/** A text and where it stands. */
interface Placed {
  readonly text: string
  readonly start: number
}

const begins = /\b(?:start|starts|begin|begins|from|opens?|origin|departure|check ?in|source)\b/u
const ends = /\b(?:ends?|until|till|to|closes?|destination|arrival|check ?out|return|expiry|expires|target)\b/u

/** Whether a name asks for where something begins or where it ends. */
export const sideOf = (words: string): "first" | "last" | undefined => {
  if (begins.test(words)) return "first"
  return ends.test(words) ? "last" : undefined
}

const joins = /^\s*(?:to|until|till|through|and|-|–|—)\s*(?:the\s+)?$/iu
const beforeFirst =
  /\b(?:from|between|since|starts?|starting|begins?|beginning|opens?)\b(?:\s+(?:on|at|in|the|about|around|is|was))*\s*$/iu
const beforeLast =
  /\b(?:to|until|till|through|ends?|ending|closes?|by|expires?)\b(?:\s+(?:on|at|in|the|about|around|is|was))*\s*$/iu

/** The values in which something begins, or ends. Others follow, apart from those that the text says to be the other end. */
export const onSide = <A extends Placed>(
  values: ReadonlyArray<A>,
  text: string,
  side: "first" | "last" | undefined
): ReadonlyArray<A> => {
  if (side === undefined) return values
  const ordered = values.toSorted((a, b) => a.start - b.start)
  const endOf = (value: A) => value.start + value.text.length
  const sides = new Map(
    ordered.map((value, i) => {
      const [before, after] = [ordered[i - 1], ordered[i + 1]]
      if (after !== undefined && joins.test(text.slice(endOf(value), after.start))) return [value, "first"] as const
      if (before !== undefined && joins.test(text.slice(endOf(before), value.start))) return [value, "last"] as const
      const said = text.slice(Math.max(before === undefined ? 0 : endOf(before), value.start - 40), value.start)
      return [value, beforeFirst.test(said) ? "first" : beforeLast.test(said) ? "last" : undefined] as const
    })
  )
  return [
    ...values.filter((value) => sides.get(value) === side),
    ...values.filter((value) => sides.get(value) === undefined)
  ]
}
