/** Valid answers with a few marks too many, too few, or wrong, and what a parser makes of them. */
import { isDeepStrictEqual } from "node:util"
import { Exit, Schema } from "effect"
import type { Parsing } from "../../src/synapse/answer/marred/align/Coercion.ts"
import { chance, drawSchema, drawValues, type Chance } from "./generated.ts"
import { CodeReview, Contact, Decision, Invoice, Meeting, Order, Review, Tags, Ticket } from "./malformed/schemas.ts"
import { parse } from "./parse.ts"

type Any = Schema.Codec<any, any>

const marks = ["{", "}", "[", "]", '"', ":", ",", "'"]

/** Puts a text in place of what stands from here to there. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly put: string
}

/** So many changes, no two of them at one place: that would change what is no mark. */
const drawEdits = (chance: Chance, text: string, count: number): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  while (edits.length < count) {
    const edit = drawEdit(chance, text)
    if (edits.every(({ from }) => from !== edit.from)) edits.push(edit)
  }
  return edits
}

/** One mark dropped, doubled, inserted anywhere, or replaced by another. */
const drawEdit = ({ below, one }: Chance, text: string): Edit => {
  const places = text.split("").flatMap((char, at) => (marks.includes(char) ? [at] : []))
  const at = one(places)
  const mark = text.charAt(at)
  return one<() => Edit>([
    () => ({ from: at, to: at + 1, put: "" }),
    () => ({ from: at, to: at, put: mark }),
    () => {
      const place = below(text.length + 1)
      return { from: place, to: place, put: one(marks) }
    },
    () => ({ from: at, to: at + 1, put: one(marks.filter((other) => other !== mark)) })
  ])()
}

const edited = (text: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((so, { from, put, to }) => so.slice(0, from) + put + so.slice(to), text)

/** Those without each one, two, … of them, all and none left out. */
const partsOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 2 ** all.length - 2 }, (_, i) => all.filter((__, at) => ((i + 1) >> at) % 2 === 1))

/** Sentences and lists of words as texts have them, beside what is drawn by chance. */
const usual = [Ticket, Invoice, Contact, Review, Meeting, Order, Decision, CodeReview, Tags]

const manners: ReadonlyArray<(value: unknown) => string> = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  // As Python writes it, on one line.
  (value) => JSON.stringify(value, null, 1).replaceAll(/\n */g, " ")
]

interface Damaged {
  readonly schema: Any
  readonly text: string
  readonly original: unknown
  /** The texts that only some of the marks were changed in. */
  readonly less: ReadonlyArray<string>
}

const perSchema = 20

/** So many damaged answers with so many marks changed in each, the same for one seed. */
export function* damagedAnswers(total: number, count: number, seed: number): Generator<Damaged> {
  for (let made = 0; made < total; made += perSchema) {
    const own = chance(seed + made)
    const schema: Any = own.below(2) === 0 ? own.one<Any>(usual) : drawSchema(own, { composite: true })
    for (const original of drawValues(schema, { count: Math.min(perSchema, total - made), seed: seed + made })) {
      const text = own.one(manners)(original)
      const edits = drawEdits(own, text, count)
      yield { schema, text: edited(text, edits), original, less: partsOf(edits).map((part) => edited(text, part)) }
    }
  }
}

/**
 * - `kept`: the value that was written
 * - `refused`: nothing
 * - `unknowable`: another value, but the text is valid JSON of the schema, or is repaired to a value whose text is: one of
 *   the marks is inside a text, where nobody can know that it was not meant
 * - `wrong`: another value
 */
export type Fate = "kept" | "refused" | "unknowable" | "wrong"

/** What JSON keeps: what is optional and undefined is written by nobody. */
const written = (schema: Any, value: unknown): unknown =>
  JSON.parse(JSON.stringify(Schema.encodeUnknownSync(Schema.toCodecJson(schema))(value)))

const plainly = (schema: Any, text: string): { readonly value: unknown } | undefined => {
  const exit = Schema.decodeExit(Schema.fromJsonString(Schema.toCodecJson(schema)))(text)
  return Exit.isSuccess(exit) ? { value: written(schema, exit.value) } : undefined
}

const fateOf = ({ less, original, schema, text }: Damaged, parsing: Parsing): Fate => {
  const reading = parse(schema, text, parsing)
  if (reading === undefined) return "refused"
  const value = written(schema, reading.value)
  if (isDeepStrictEqual(value, JSON.parse(JSON.stringify(original)))) return "kept"
  if (plainly(schema, text) !== undefined) return "unknowable"
  return less.some((part) => isDeepStrictEqual(plainly(schema, part)?.value, value)) ? "unknowable" : "wrong"
}

/** How many of the damaged answers end in which way; `each` is called with every one. */
export const fates = (
  answers: Iterable<Damaged>,
  parsing: Parsing,
  each: (answer: Damaged, fate: Fate) => void = () => {}
): Readonly<Record<Fate, number>> => {
  const counts = { kept: 0, refused: 0, unknowable: 0, wrong: 0 }
  for (const answer of answers) {
    const fate = fateOf(answer, parsing)
    counts[fate]++
    each(answer, fate)
  }
  return counts
}
