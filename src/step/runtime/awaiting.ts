/** Steps that wait for an answer from outside the run, and write it as a note. */
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { finish, recorded, Run } from "../../run/run.ts"
import { write } from "../../run/write.ts"
import { stepNamed, time } from "../../arguments/checked.ts"
import { words } from "../../arguments/kinds.ts"
import { need } from "../../arguments/taking.ts"
import { wireOf } from "../../schema/schemaOf.ts"
import { hash128 } from "../../text/hash.ts"
import { quoted } from "../../text/legible.ts"
import { textFrom } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import * as Note from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import { noteOf, stateOf } from "../../thought/state.ts"
import { makeKeyed } from "./make.ts"
import { cutOff } from "./waiting.ts"
import type { Keyed, Node } from "./model.ts"
import { stating } from "./stated.ts"

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

/** The JSON Schema of an answer. */
export const formOf = (answer: Schema.Codec<any, any>): unknown => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(wireOf(answer), { onExcessProperty: "error" })
  return { ...schema, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
}

/** An answer, or undefined after the time limit. */
type Answered<A> = { readonly value: A; readonly json: unknown; readonly by: string | undefined } | undefined

interface Question<A> {
  /** The JSON Schema of the answer. */
  readonly schema: unknown
  readonly limitMillis: number | undefined
  readonly valueOf: Awaited<A>["valueOf"]
}

const isBlank = (text: string): boolean => text.trim() === ""

const emptyPrompt = (key: string): string => `The prompt of the step ${quoted(key)} is empty.`

/** Asks somebody outside, and waits for the answer. */
export const asking = <A>(
  key: string,
  text: string,
  { limitMillis, schema, valueOf }: Question<A>
): Effect.Effect<Answered<A>> =>
  Effect.gen(function* () {
    const { cutBy, frame, journal } = yield* Run
    // in a generator, which does not list its steps
    if (cutBy !== undefined) return yield* Effect.die(new Error(cutOff(key, cutBy)))
    if (journal === undefined || frame === undefined) return yield* Effect.die(new Error(notDurable(key)))
    if (isBlank(text)) return yield* Effect.die(new Error(emptyPrompt(key)))
    const misfit = (json: unknown) => Result.getOrUndefined(Result.flip(valueOf(json, undefined)))
    const reply = yield* journal.ask(frame, { key, prompt: text, schema, bound: hash128(text), limitMillis, misfit })
    if (reply._tag === "Late") return undefined
    return { value: Result.getOrThrow(valueOf(reply.json, reply.by)), json: reply.json, by: reply.by }
  })

/** Makes a step that waits. */
export const makeAwaiting = <const K extends string, A, In, E, R>(
  key: K,
  schema: Schema.Codec<A, any>,
  { answer = schema, kind, late, prompt, timeout, trust, valueOf }: Awaited<A>
): Keyed<K, A, In, E, R> => {
  const handle = Note.handle(key, schema)
  need(stepNamed(key), words, prompt)
  if (typeof prompt === "string" && isBlank(prompt)) throw new Error(emptyPrompt(key))
  const limitMillis = timeout === undefined ? undefined : time(stepNamed(key), "timeout", timeout)
  const form = formOf(answer)
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
      const { sources, text } = yield* textFrom(prompt, thought)
      yield* naming(thought, sources)
      const answered = yield* asking(key, text, { limitMillis, schema: form, valueOf })
      const value = answered === undefined ? yield* late(limitMillis ?? 0) : answered.value
      const by: Readonly<Record<string, string>> = answered?.by === undefined ? {} : { answered_by: answered.by }
      const from: ReadonlyArray<Source> = sources
      const metadata = answered === undefined ? { late: "true" } : by
      const noted = yield* write(thought, kind, handle, value, {
        from,
        trust: answered === undefined ? "trusted" : trust,
        // an answer with another schema is not the value
        written: answer === schema ? answered : undefined,
        metadata
      })
      return yield* finish(noted.thought)
    })
  return makeKeyed(handle, stating(node, answer), body)
}

/** Records the notes of other thoughts that a question was made from, by which a redaction finds it. */
const naming = (thought: Thought<any>, sources: ReadonlyArray<Source>): Effect.Effect<void> => {
  const others = sources.filter(({ id, seq }) => seq !== 0 && noteOf(stateOf(thought), id) === undefined)
  const request = Effect.succeed({ hash: "", parts: {}, shows: others.map(({ id }) => id) })
  return others.length === 0
    ? Effect.void
    : recorded(() => ({ kind: "decision", request, value: { encode: () => null, decode: () => {} } }), Effect.void)
}

const notDurable = (key: string): string =>
  `The step ${quoted(key)} waits for an answer, so its run must be durable: Pipeline.run(step, thought, { durable: true }).`

/** Reads the value that an answer stands for: a JSON Schema cannot say everything that a schema checks. */
export const decoded = <A>(schema: Schema.Codec<A, any>): ((json: unknown) => Result.Result<A, string>) => {
  const read = Schema.decodeUnknownResult(Schema.toCodecJson(schema))
  return (json) => Result.mapError(read(json), ({ message }) => message)
}
