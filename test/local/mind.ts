/** A mind whose nearness and words the tests choose, so that what is worked out over them can be foretold. */
import { Effect } from "effect"
import type { Language } from "../../src/local/language/language.ts"
import type { Mind } from "../../src/local/mind/meaning.ts"
import { values } from "../../src/local/language/values.ts"

interface Choices extends Partial<Language> {
  /** How near a text is to another; 0 where nothing is said. */
  readonly near?: (text: string, target: string) => number
}

const none = (): ReadonlyArray<string> => []

export const mindOf = ({ near = () => 0, ...language }: Choices = {}): Mind => ({
  language: {
    sentences: (text) => text.split(/(?<=[.?!])\s+/).filter((sentence) => sentence !== ""),
    sentiment: () => 0,
    values: (text) => values(text, []),
    people: none,
    organizations: none,
    places: none,
    things: none,
    ...language
  },
  compare: (texts, targets) => Effect.succeed(texts.map((text) => targets.map((target) => near(text, target))))
})
