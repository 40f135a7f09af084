/**
 * Answers that are unusual in several ways at once: a value in a notation, within a wrapping, with or without a slip.
 *
 * Every schema occurs in every wrapping. Of the notations, each occurs in most wrappings, and with the schemas whose values it
 * can write. Each draft takes the wrapping and the slip that it has met least, so the order is always the same.
 */
import { notations, type Written } from "../corpus/crossed/notations.ts"
import { slips } from "../corpus/crossed/marks.ts"
import { subjects, type Json, type Subject } from "../corpus/crossed/subjects.ts"
import { wrappings } from "../corpus/crossed/wrappings.ts"

export interface Crossed {
  readonly group: string
  readonly subject: Subject
  /** Which notation, wrapping and slip these are. */
  readonly ways: string
  readonly text: string
  /** The value that is written; undefined where none is to be taken. */
  readonly means: Json | undefined
  readonly isMarred: boolean
}

interface Draft extends Written {
  readonly group: string
  readonly subject: Subject
  readonly notation: string
  /** What is said to be no answer, where the wrapping has such. */
  readonly other: string
}

const drafts: ReadonlyArray<Draft> = Object.entries(subjects).flatMap(([group, members]) =>
  members.flatMap((subject) =>
    subject.values.flatMap((value, i) =>
      Object.entries(notations).flatMap(([notation, write]) => {
        const written = write(value, subject.isOpen === true)
        const other = JSON.stringify(subject.values[(i + 1) % subject.values.length])
        return written === undefined ? [] : [{ ...written, group, subject, notation, other }]
      })
    )
  )
)

const wraps = Object.entries(wrappings)

/** The member of the list that has not met what it would stand beside for the longest time. */
const rarest = <A>(all: ReadonlyArray<A>, begin: number, meetings: (one: A) => number): A | undefined => {
  let best: A | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (let i = 0; i < all.length; i++) {
    const one = all[(begin + i) % all.length] as A
    const met = meetings(one)
    if (met < fewest) {
      best = one
      fewest = met
    }
  }
  return best
}

/** Counts which two have met. */
const meetings = () => {
  const counts = new Map<string, number>()
  return {
    of: (...pairs: ReadonlyArray<string>) => pairs.reduce((sum, pair) => sum + (counts.get(pair) ?? 0), 0),
    add: (...pairs: ReadonlyArray<string>) => {
      for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1)
    }
  }
}

const answerOf = ({ group, means, notation, other, subject }: Draft, wrapping: string, text: string, slip = "") => {
  const { refuses, wrap } = wrappings[wrapping] ?? { wrap: (inner: string) => inner }
  return {
    group,
    subject,
    ways: [notation, wrapping, slip].filter((way) => way !== "").join(", "),
    text: wrap(text, other),
    means: refuses === true ? undefined : means,
    isMarred: slip !== ""
  }
}

/** Each draft in so many wrappings, those first that its schema and its notation have met least. */
const wrapped = (times: number): ReadonlyArray<Crossed> => {
  const met = meetings()
  return drafts.flatMap((draft, i) =>
    Array.from({ length: times }, (_, round) => {
      const pairs = (name: string) => [`${draft.subject.name} ${name}`, `${draft.notation} ${name}`]
      const [name] = rarest(wraps, i * times + round, ([one]) => met.of(...pairs(one))) ?? ["nothing"]
      met.add(...pairs(name))
      return answerOf(draft, name, draft.text)
    })
  )
}

/** Each draft with so many slips, each in the wrapping that it has met least. */
const marred = (times: number): ReadonlyArray<Crossed> => {
  const met = meetings()
  const all = Object.entries(slips)
  return drafts.flatMap((draft, i) =>
    Array.from({ length: times }, (_, round) => {
      const possible = all.flatMap(([name, slip]) => {
        const text = slip(draft.text)
        return text === undefined || text === draft.text ? [] : [{ name, text }]
      })
      const pairs = (name: string) => [`${draft.subject.name} ${name}`, `${draft.notation} ${name}`]
      const slip = rarest(possible, i * times + round, ({ name }) => met.of(...pairs(name)))
      if (slip === undefined) return []
      const beside = (name: string) => [`${slip.name} ${name}`, ...pairs(name)]
      const [name] = rarest(wraps, i, ([one]) => met.of(...beside(one))) ?? ["nothing"]
      met.add(...pairs(slip.name), ...beside(name))
      return [answerOf(draft, name, slip.text, slip.name)]
    }).flat()
  )
}

export const crossed: ReadonlyArray<Crossed> = [...wrapped(2), ...marred(2)]
