/**
 * Tracks the notes that the caller's code gets from elsewhere while it runs in a step: from a memory search, a loaded
 * thought, or `Step.derivedFrom`. What the step writes may be made from them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Note from "./Note.ts"
import type { Thought } from "./model.ts"
import type { Source } from "./origin.ts"
import { noteOf, stateOf } from "./state.ts"

/** Where these notes are recorded. Undefined outside of such code. */
const Gathering = Context.Reference<Array<Source> | undefined>("cogito/Gathering", { defaultValue: () => undefined })

/** What the code around the running step had got when the step began. The step may have been made from it. */
export const Around = Context.Reference<ReadonlyArray<Source>>("cogito/Around", { defaultValue: () => [] })

/** Records sources if they are tracked. */
export const gather = (sources: () => ReadonlyArray<Source>): Effect.Effect<void> =>
  Effect.map(Gathering, (gathering) => {
    gathering?.push(...sources())
  })

/** Runs the caller's code and adds the notes that it gets to the sources. */
export const gatherInto = <A, E, R>(sources: Array<Source>, code: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(code, Gathering, sources)

/** Runs the caller's code of which no note is made, with the notes that it gets: those of the code around, if there is any. */
export const gatherAside = <A, E, R>(
  code: (got: ReadonlyArray<Source>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(Gathering, (gathering = []) => gatherInto(gathering, code(gathering)))

/** The ids of the notes that the code around has got and the thought does not have, each id once. A call in it may repeat them. */
export const gathered = (thought: Thought<any> | undefined): Effect.Effect<ReadonlyArray<string>> =>
  Effect.zipWith(Around, Gathering, (around, gathering = []) => {
    const ids = new Set([...around, ...gathering].map(({ id }) => id))
    return thought === undefined ? [...ids] : [...ids].filter((id) => noteOf(stateOf(thought), id) === undefined)
  })

/** Runs a step that the caller's code made, perhaps from these sources. */
export const madeFrom = <A, E, R>(
  sources: ReadonlyArray<Source>,
  step: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Around, (around) =>
    Effect.provideService(apart(step), Around, sources.length === 0 ? around : [...around, ...sources])
  )

/** Makes a call whose text was made from these sources. */
export const askedFrom = <A, E, R>(
  sources: ReadonlyArray<Source>,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  sources.length === 0
    ? call
    : Effect.flatMap(Around, (around) => Effect.provideService(call, Around, [...around, ...sources]))

/** Runs an effect of the library, or another run, whose notes do not concern the code around it. */
const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Gathering, undefined)

/** Reads a value for a thought, with its sources: the notes that the reader names and those that its code gets. */
export const valueFrom = <A, E, R>(
  reader: Note.Reader<any, A, E, R>,
  thought: Thought<any>
): Effect.Effect<{ readonly value: A; readonly sources: ReadonlyArray<Source> }, E, R> =>
  Effect.suspend(() => {
    const sources: Array<Source> = [...keyed(thought, reader.keys)]
    return Effect.map(gatherInto(sources, reader.read(thought)), (value) => ({ value, sources }))
  })

/** Reads a text option for a thought, with its sources. */
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

/** The newest notes of the keys, without those that do not exist. */
export const keyed = (thought: Thought<any>, keys: ReadonlyArray<string>): ReadonlyArray<Note.Note> =>
  keys.map((key) => thought.note(key)).filter((note) => note !== undefined)

// ------------------------------------------------------------------------------- the trust of what is read

/** The part of a log that readers use. */
interface Log {
  readonly note: (key: string) => { readonly trust: Note.Trust } | undefined
}

/** Marks a reader whose text itself distinguishes what comes from notes. */
export const Quoting = "~cogito/Note/Quoting"

/** The trust of text that a reader made from these sources. Text without sources is untrusted. */
export const trustFrom = (reader: object, sources: ReadonlyArray<{ readonly trust: Note.Trust }>): Note.Trust =>
  Quoting in reader || (sources.length > 0 && sources.every(({ trust }) => trust === "trusted"))
    ? "trusted"
    : "untrusted"

/** Reads a value for a log, with its trust. Records the notes that its code gets, as an ordinary read does. */
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
