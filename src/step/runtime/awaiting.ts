/** Steps that wait for an answer from outside the run, and write it as a note. */
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { finish, Run } from "../../run/run.ts"
import { write } from "../../run/write.ts"
import { longerThanZero } from "../../arguments/durations.ts"
import { wireOf } from "../../schema/schemaOf.ts"
import { hash128 } from "../../text/hash.ts"
import { quoted } from "../../text/legible.ts"
import { textFrom } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import * as Note from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import { makeKeyed } from "./make.ts"
import { cutOff } from "./waiting.ts"
import type { Keyed, Node } from "./model.ts"

export interface Awaited<A> {
  readonly kind: string
  readonly prompt: Note.Text
  readonly trust: Note.Trust
  readonly timeout: Duration.Input | undefined
  /** The schema of the answer, if it is not that of the note. */
  readonly answer?: Schema.Codec<any, any>
  /** The value of the note, or why the answer does not fit. */
  readonly valueOf: (json: unknown, by: string | undefined) => Result.Result<A, string>
  /** The value when there was no answer in time, or the failure. */
  readonly late: (limitMillis: number) => Effect.Effect<A, any>
}

/** Makes a step that waits. */
export const makeAwaiting = <const K extends string, A, In, E, R>(
  key: K,
  schema: Schema.Codec<A, any>,
  { answer = schema, kind, late, prompt, timeout, trust, valueOf }: Awaited<A>
): Keyed<K, A, In, E, R> => {
  const handle = Note.handle(key, schema)
  const limitMillis = timeout === undefined ? undefined : Duration.toMillis(longerThanZero(key, "timeout", timeout))
  const document = Schema.toJsonSchemaDocument(wireOf(answer), { onExcessProperty: "error" })
  const { definitions } = document
  const jsonSchema = { ...document.schema, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
  const node: Node = {
    name: key,
    kind,
    reads: Note.isReader(prompt) ? prompt.keys : [],
    writes: [key],
    surely: [key],
    children: [],
    waits: true,
    ...(typeof prompt === "string" ? { asks: prompt } : {}),
    ...(limitMillis === undefined ? {} : { settings: { timeout: Duration.format(Duration.millis(limitMillis)) } })
  }
  const body = (thought: Thought<any>): Effect.Effect<Thought<any>, any, any> =>
    Effect.gen(function* () {
      const { cutBy, frame, journal } = yield* Run
      // in a generator, which does not list its steps
      if (cutBy !== undefined) return yield* Effect.die(new Error(cutOff(key, cutBy)))
      if (journal === undefined || frame === undefined) return yield* Effect.die(new Error(notDurable(key)))
      const { sources, text } = yield* textFrom(prompt, thought)
      if (text.trim() === "") return yield* Effect.die(new Error(`The prompt of the step ${quoted(key)} is empty.`))
      const misfit = (json: unknown) => Result.getOrUndefined(Result.flip(valueOf(json, undefined)))
      const question = { key, prompt: text, schema: jsonSchema, bound: hash128(text), limitMillis, misfit }
      const reply = yield* journal.ask(frame, question)
      const answered = reply._tag === "Answered"
      const value = answered ? Result.getOrThrow(valueOf(reply.json, reply.by)) : yield* late(limitMillis ?? 0)
      const by: Readonly<Record<string, string>> = answered && reply.by !== undefined ? { answered_by: reply.by } : {}
      const from: ReadonlyArray<Source> = sources
      const metadata = answered ? by : { late: "true" }
      const noted = yield* write(thought, kind, handle, value, { from, trust: answered ? trust : "trusted", metadata })
      return yield* finish(noted.thought)
    })
  return makeKeyed(handle, node, body)
}

const notDurable = (key: string): string =>
  `The step ${quoted(key)} waits for an answer, so its run must be durable: Pipeline.run(step, thought, { durable: true }).`

/** Reads the value that an answer stands for: a JSON Schema cannot say everything that a schema checks. */
export const decoded = <A>(schema: Schema.Codec<A, any>): ((json: unknown) => Result.Result<A, string>) => {
  const read = Schema.decodeUnknownResult(Schema.toCodecJson(schema))
  return (json) => Result.mapError(read(json), ({ message }) => message)
}
