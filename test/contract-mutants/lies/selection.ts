/** Selects some of the lies of a test: the same ones each time, of all calls and kinds. */
import type { ToldLie } from "./telling.ts"

/** Those that a test seldom misses come first. */
const kinds = [
  "call ends as the one before",
  "result without its first",
  "call not made",
  "call succeeds",
  "arguments undefined",
  "result there",
  "result not empty",
  "result another text",
  "result one more",
  "result the opposite",
  "arguments without its first",
  "result undefined",
  "result with its last twice",
  "arguments another text",
  "arguments one more"
]

const rank = ({ about, kind, path }: ToldLie): number => {
  // the tag of a failure is all that most tests look at
  if (about === "failure" && path === "._tag") return 0
  const place = kinds.indexOf(`${about} ${kind}`)
  return place < 0 ? kinds.length : place
}

/** A number that looks random (FNV-1a). */
const shuffled = ({ about, call, kind, path }: ToldLie): number => {
  let hash = 0x811c9dc5
  for (const unit of `${call} ${about} ${path} ${kind}`) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}

/** As many as there are places in a list, spread over it. */
const spread = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> =>
  all.length <= most ? all : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!)

/** The lies about a call: one of each kind, then another one of each, and so on. */
const inTurn = (lies: ReadonlyArray<ToldLie>): ReadonlyArray<ToldLie> => {
  const byKind = Map.groupBy(
    lies.toSorted((a, b) => rank(a) - rank(b) || shuffled(a) - shuffled(b)),
    ({ about, kind }) => `${about} ${kind}`
  )
  return [...byKind.values()]
    .flatMap((group) => group.map((lie, turn) => ({ lie, turn })))
    .toSorted((a, b) => a.turn - b.turn || rank(a.lie) - rank(b.lie))
    .map(({ lie }) => lie)
}

/** At most this many lies, one of each call, then another one of each, and so on. */
export const selected = (calls: ReadonlyArray<ReadonlyArray<ToldLie>>, most: number): ReadonlyArray<ToldLie> => {
  const inOrder = calls.map(inTurn)
  const lies: Array<ToldLie> = []
  for (let turn = 0; lies.length < most; turn++) {
    const next = inOrder.flatMap((all) => all.slice(turn, turn + 1))
    if (next.length === 0) break
    lies.push(...spread(next, most - lies.length))
  }
  return lies
}
