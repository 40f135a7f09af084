/**
 * Notes that code of the caller's own gets from elsewhere while it runs in a step: by a search of the memory, a loaded
 * thought, or `Step.derivedFrom`. What the step writes may be made from them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Note from "./Note.ts"
import type { Thought } from "./model.ts"
import type { Source } from "./origin.ts"

/** Where what is got is noted down; nowhere outside of such code. */
const Gathering = Context.Reference<Array<Source> | undefined>("cogito/Gathering", { defaultValue: () => undefined })

/** What the code around the running step had got when the step began: it may have made the step of it. */
export const Around = Context.Reference<ReadonlyArray<Source>>("cogito/Around", { defaultValue: () => [] })

/** Notes down what was got, where somebody wants to know. */
export const gather = (sources: () => ReadonlyArray<Source>): Effect.Effect<void> =>
  Effect.map(Gathering, (gathering) => {
    gathering?.push(...sources())
  })

/** Runs code of the caller's own and adds what it gets to the sources. */
export const gatherInto = <A, E, R>(sources: Array<Source>, code: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(code, Gathering, sources)

/** Runs a step that code of the caller's own has made, which may have got these before. */
export const madeFrom = <A, E, R>(
  sources: ReadonlyArray<Source>,
  step: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Around, (around) =>
    Effect.provideService(apart(step), Around, sources.length === 0 ? around : [...around, ...sources])
  )

/** Runs what is the library's own, or another run: what it gets is no business of the code around it. */
const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Gathering, undefined)

/** A reader's value for a thought, and what it was made from: the notes that it reads and what its code gets. */
export const valueFrom = <A, E, R>(
  reader: Note.Reader<any, A, E, R>,
  thought: Thought<any>
): Effect.Effect<{ readonly value: A; readonly sources: ReadonlyArray<Source> }, E, R> =>
  Effect.suspend(() => {
    const sources: Array<Source> = [...keyed(thought, reader.keys)]
    return Effect.map(gatherInto(sources, reader.read(thought)), (value) => ({ value, sources }))
  })

/** A text option's text for a thought, and what it was made from. */
export const textFrom = <const Q extends Note.Text>(
  option: Q,
  thought: Thought<any>
): Effect.Effect<
  { readonly text: string; readonly sources: ReadonlyArray<Source> },
  Note.Text.Err<Q>,
  Note.Text.Req<Q>
> =>
  typeof option === "string"
    ? Effect.succeed({ text: option, sources: [] })
    : Effect.map(valueFrom(option, thought), ({ sources, value }) => ({ text: value, sources }))

/** The newest notes of the keys, as far as there are any. */
export const keyed = (thought: Thought<any>, keys: ReadonlyArray<string>): ReadonlyArray<Note.Note> =>
  keys.map((key) => thought.note(key)).filter((note) => note !== undefined)

// ------------------------------------------------------------------------------- how far what is read can be trusted

/** A log as readers know it. */
interface Log {
  readonly note: (key: string) => { readonly trust: Note.Trust } | undefined
}

/** Marks a reader whose text tells by itself what of it comes of notes. */
export const Quoting = "~cogito/Note/Quoting"

/** How far text can be trusted that a reader has made from these: text from an unknown place cannot. */
export const trustFrom = (reader: object, sources: ReadonlyArray<{ readonly trust: Note.Trust }>): Note.Trust =>
  Quoting in reader || (sources.length > 0 && sources.every(({ trust }) => trust === "trusted"))
    ? "trusted"
    : "untrusted"

/** A reader's value for a log, and how far it can be trusted. What its code gets is noted down as when it is read without. */
export const readTrusted = <A, E, R>(
  reader: { readonly keys: ReadonlyArray<string>; readonly read: (log: any) => Effect.Effect<A, E, R> },
  log: Log
): Effect.Effect<{ readonly value: A; readonly trust: Note.Trust }, E, R> =>
  Effect.suspend(() => {
    const got: Array<Source> = []
    const named = reader.keys.map((key) => log.note(key)).filter((note) => note !== undefined)
    return Effect.flatMap(gatherInto(got, reader.read(log)), (value) =>
      Effect.as(
        gather(() => got),
        { value, trust: trustFrom(reader, [...named, ...got]) }
      )
    )
  })
