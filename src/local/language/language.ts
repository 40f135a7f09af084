/**
 * The rule-based side of the extractive provider: sentences, sentiment words, negation, names and values in English
 * text. Everything it returns is a substring of the given text.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { EmbedderError } from "../../Embedder.ts"
import { piecesOf } from "./pieces.ts"
import { values, type Value } from "./values.ts"

/** The text tools. All are synchronous and take milliseconds for a page of text. */
export interface Language {
  /** All sentences in order, without surrounding white space. List items count as sentences. */
  readonly sentences: (text: string) => ReadonlyArray<string>
  /** Sentiment by a word list, in [-1, 1]; 0 when no word is known. */
  readonly sentiment: (text: string) => number
  /** Values with a recognizable form: money, dates, numbers, addresses, codes. In order of appearance. */
  readonly values: (text: string) => ReadonlyArray<Value>
  readonly people: (text: string) => ReadonlyArray<string>
  readonly organizations: (text: string) => ReadonlyArray<string>
  readonly places: (text: string) => ReadonlyArray<string>
  /** Proper names of other things, and quoted text. */
  readonly things: (text: string) => ReadonlyArray<string>
}

const missing = (name: string) => (cause: unknown) =>
  new EmbedderError({
    embedder: "extractive",
    message: `The offline extractive model needs ${name}. Run: npm install wink-nlp wink-eng-lite-web-model compromise`,
    retryable: false,
    cause
  })

const optional = <A>(name: string, load: () => Promise<A>) => Effect.tryPromise({ try: load, catch: missing(name) })

const listOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

const edges = /^[^\p{L}\d]+|(?:['’]s)?[^\p{L}\d.]*$/gu
const fullStop = /(?<!\b(?:corp|inc|ltd|co|jr|sr|llc|gmbh|bros))\.$/iu

interface Found {
  readonly out: (form: "array") => unknown
}

// The tagger leaves punctuation and possessives on a name; they are removed here.
const names = (text: string, found: ReadonlyArray<Found>): ReadonlyArray<string> => {
  const all = found.flatMap((one) => listOf(one.out("array")))
  return Array.from(new Set(all.map((name) => name.replace(edges, "").replace(fullStop, "")))).filter(
    (name) => /\p{Lu}/u.test(name) && text.includes(name)
  )
}

// Capitalised words inside a sentence, and quoted text.
const named =
  /(?<=[\p{Ll}\d,;:)]\s)\p{Lu}[\p{L}\d]*(?:[ -](?:\p{Lu}[\p{L}\d]*|\d+))*|(?<=["“«])[^"“”«»\n]{2,60}(?=["”»])/gu
const calendar =
  /^(?:I|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december)\b/iu

const things = (text: string, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(new Set(Array.from(text.matchAll(named), ([thing]) => thing))).filter(
    (thing) => !calendar.test(thing) && !others.some((other) => other.includes(thing) || thing.includes(other))
  )

/** Before an item of a list, before a line with a label such as "Total: 12", and between paragraphs. */
const breaks = /\n\s*(?=[-*•]\s|\d+[.)]\s|\p{Lu}[\p{L} ]{1,30}:\s)|\n\s*\n/u
const marker = /^(?:[-*•]|\d+[.)])$/u

const build = Effect.gen(function* () {
  const wink = yield* optional("wink-nlp", () => import("wink-nlp"))
  const model = yield* optional("wink-eng-lite-web-model", () => import("wink-eng-lite-web-model"))
  const compromise = (yield* optional("compromise", () => import("compromise"))).default
  const nlp = wink.default(model.default)
  // oxlint-disable-next-line typescript/unbound-method -- plain functions on an object, which the types call methods
  const { detail, sentiment } = nlp.its
  // its time grows with the square of what it reads, and more for names
  const read = (text: string) => piecesOf(text).map((piece) => compromise(piece))
  const language: Language = {
    sentences: (text) =>
      text
        .split(breaks)
        .flatMap((part) => nlp.readDoc(part).sentences().out())
        .map((sentence) => sentence.trim())
        .filter((sentence) => sentence !== "" && !marker.test(sentence)),
    sentiment: (text) => {
      const score = nlp.readDoc(text).out(sentiment)
      return typeof score === "number" ? score : 0
    },
    values: (text) =>
      values(
        text,
        nlp
          .readDoc(text)
          .entities()
          .out(detail)
          .filter((entity) => typeof entity !== "string")
      ),
    people: (text) =>
      names(
        text,
        read(text).map((piece) => piece.people())
      ),
    organizations: (text) =>
      names(
        text,
        read(text).map((piece) => piece.organizations())
      ),
    places: (text) =>
      names(
        text,
        read(text).map((piece) => piece.places())
      ),
    things: (text) => {
      const others = read(text).flatMap((piece) => [piece.people(), piece.organizations(), piece.places()])
      return things(text, names(text, others))
    }
  }
  return language
})

// One instance for the whole process: each takes tens of megabytes that are never freed. A failed load is not kept.
let loaded: Language | undefined
const loading = Semaphore.makeUnsafe(1)

/**
 * The text tools, loaded once per process. If an optional package is missing, fails with a message on what to install.
 */
export const load: Effect.Effect<Language, EmbedderError> = loading.withPermits(1)(
  Effect.suspend(() =>
    loaded === undefined
      ? Effect.tap(build, (language) =>
          Effect.sync(() => {
            loaded = language
          })
        )
      : Effect.succeed(loaded)
  )
)
