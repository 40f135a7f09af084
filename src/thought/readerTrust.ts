/** How far what a reader gives can be trusted. */
import * as Effect from "effect/Effect"
import { gather, gatherInto } from "./gathered.ts"
import type { Source } from "./origin.ts"

type Trust = "trusted" | "untrusted"

/** A log as readers know it. */
interface Log {
  readonly note: (key: string) => { readonly trust: Trust } | undefined
}

/** Marks a reader whose text tells by itself what of it comes of notes. */
export const Quoting = "~cogito/Note/Quoting"

/** How far text can be trusted that a reader has made from these: text from an unknown place cannot. */
export const trustFrom = (reader: object, sources: ReadonlyArray<{ readonly trust: Trust }>): Trust =>
  Quoting in reader || (sources.length > 0 && sources.every(({ trust }) => trust === "trusted"))
    ? "trusted"
    : "untrusted"

/** A reader's value for a log, and how far it can be trusted. What its code gets is noted down as when it is read without. */
export const readTrusted = <A, E, R>(
  reader: { readonly keys: ReadonlyArray<string>; readonly read: (log: any) => Effect.Effect<A, E, R> },
  log: Log
): Effect.Effect<{ readonly value: A; readonly trust: Trust }, E, R> =>
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
