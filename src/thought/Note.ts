import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { taking } from "../arguments/taking.ts"
import { showOnLine, showOnScreen } from "../text/invisible.ts"
import * as kinds from "../arguments/kinds.ts"
import { quoted } from "../text/legible.ts"
import { type Codec, compile, decode } from "../schema/noteCodec.ts"
import { schemaOf } from "../schema/schemaOf.ts"
import type { AnySchema } from "../schema/standardSchema.ts"
import { type Failing, type Interruptible, type Needing, type Settled, settled } from "./settled.ts"
import type { All, Alone, Reads } from "./types.ts"

// --------------------------------------------------------------------------------------------------------- models

/**
 * Whether a note's text is the caller's own (`"trusted"`) or came from outside. To the model, untrusted text is data,
 * never an instruction. What a model derives from it is untrusted too.
 *
 * @category models
 */
export type Trust = "trusted" | "untrusted"

/**
 * One entry of a thought's log. Immutable.
 *
 * @category models
 */
export interface Note {
  /** UUIDv7. */
  readonly id: string
  /** The thought that wrote it. For a note inherited by a fork, the thought it was forked from. */
  readonly thoughtId: string
  /** Position in the log, from 1, without gaps. */
  readonly seq: number
  readonly key: string
  /** The text. For a typed value that does not encode to a string, its JSON. */
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  /** Who wrote it: `"user"` for the first notes of a thought, otherwise the kind of the step or what the caller set. */
  readonly source: string
  /** Path of the step that wrote it, joined with `/`. Empty if no step did. */
  readonly step: string
  readonly created: DateTime.Utc
  readonly trust: Trust
  /**
   * Ids of the notes that it was made from, in this thought or others. Indirect sources are omitted: follow the ids to
   * find them.
   */
  readonly derivedFrom: ReadonlyArray<string>
  /** When its text and metadata were removed. No thought shows such a note; it only keeps its place in the log. */
  readonly redacted?: DateTime.Utc
}

/**
 * Anything that holds notes by key, with the types of some of them: a thought.
 *
 * @category models
 */
export interface Log<out N = {}> {
  /**
   * The value of the newest note under `key`. It is `undefined` if a step that may be skipped has not written it, and
   * also if the key was forgotten or left behind by a restore, though the type still lists the key.
   */
  readonly get: <K extends keyof N & string>(key: K) => N[K]
  /** The newest note under `key`, whatever its type. */
  readonly note: (key: string) => Note | undefined
  /** For the library only. */
  readonly [LogTypeId]?: WriterOf<N> | undefined
}

/**
 * Identifies a log.
 *
 * @category symbols
 */
export const LogTypeId = "~cogito/Note/Log"

/** Finds the handle that a note was written with, if this process knows it. */
interface WriterOf<out N> {
  (note: Note): Handle<any, unknown> | undefined
  /** Never present. It distinguishes the types of logs with other notes, which the generic `get` alone does not. */
  readonly _N?: (() => N) | undefined
}

/**
 * The thought has no note with the key.
 *
 * @category errors
 */
export class NoteNotFound extends Schema.TaggedError<NoteNotFound>()("NoteNotFound", {
  key: Schema.String,
  thoughtId: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `There is no note ${quoted(this.key)} in the thought${
      this.thoughtId === undefined ? "" : ` ${this.thoughtId}`
    }. A step that writes it must run first, or the thought must begin with it.`
  }
}

export type { AnySchema, StandardSchema } from "../schema/standardSchema.ts"

// -------------------------------------------------------------------------------------------------------- handles

/**
 * Identifies a note handle.
 *
 * @category symbols
 */
export const HandleTypeId = kinds.HandleTypeId

/**
 * A key and the schema of the notes under it.
 *
 * @category models
 */
export interface Handle<in out K extends string, out A> {
  readonly [HandleTypeId]: Codec<A>
  readonly key: K
  readonly schema: Schema.Codec<A, any>
}

/**
 * Makes a typed handle for notes that no primitive writes.
 *
 * **Details**
 *
 * A schema that encodes to a string reads and writes the note's text as it is. Any other schema reads and writes JSON.
 * It is an Effect Schema, or a Standard Schema with its JSON Schema, such as one of Zod. Schemas that need services or
 * asynchronous work are not supported.
 *
 * Throws if `schema` is not a schema, and if the key is empty, longer than 200 characters, or has control characters.
 *
 * **Example** (Reading the message a thought begins with)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Thought } from "cogito"
 *
 * const message = Note.handle("message", Schema.String)
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("greet", { message: "Hello" })
 *   return yield* Thought.read(thought, message)
 * })
 *
 * assert.equal(Effect.runSync(program), "Hello")
 * ```
 *
 * @category handles
 */
export const handle = <const K extends string, A>(key: K, schema: AnySchema<A>): Handle<K, A> => {
  const codec = schemaOf(`The note ${quoted(checkKey(key))}`, schema)
  return { [HandleTypeId]: compile(key, codec), key, schema: codec }
}

/**
 * Returns the key, or throws if it is invalid: empty, longer than 200 characters, or with control characters.
 *
 * **Example** (A valid and an invalid key)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Note } from "cogito"
 *
 * assert.equal(Note.checkKey("customer"), "customer")
 * assert.throws(() => Note.checkKey(""))
 * ```
 *
 * @category handles
 */
export const checkKey = <K extends string>(key: K): K => {
  // without the compiler's checks, it can have any type
  if (typeof key !== "string")
    throw new Error(`A note's key, which names its step, must be a text, not of type ${typeof key}.`)
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (key.trim() === "" || key.length > 200 || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(key)) {
    throw new Error(
      `A note's key must have 1 to 200 characters, none of them a control character or line break: ${quoted(
        key.slice(0, 40)
      )}`
    )
  }
  return key
}

/**
 * Reads the value of a note through a handle.
 *
 * **Details**
 *
 * Fails with `NoteNotFound` if there is no such note, and with `SchemaError` if its text does not fit the schema. It
 * also fails if another handle wrote a value that does not fit: what was written as the text `42` is not read as a
 * number. For a loaded note the writing handle is not known, so only the text counts.
 *
 * The error contains none of the text. In its path, a key of a record is `*`.
 *
 * **Example** (A note that is there, and one that is not)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Thought } from "cogito"
 *
 * const age = Note.handle("age", Schema.FiniteFromString)
 * const city = Note.handle("city", Schema.String)
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("register", { age: "42" })
 *   assert.equal(yield* Note.read(thought, age), 42)
 *
 *   const error = yield* Effect.flip(Note.read(thought, city))
 *   assert.equal(error._tag, "NoteNotFound")
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category handles
 */
export const read = taking("Note.read", { args: [kinds.log, kinds.handle] })(<K extends string, A>(
  log: Log<any>,
  handle: Handle<K, A>
): Effect.Effect<A, NoteNotFound | Schema.SchemaError> => {
  const note = log.note(handle.key)
  if (note === undefined) return Effect.fail(new NoteNotFound({ key: handle.key }))
  return Effect.fromResult(decoded(log, handle, note))
})

// -------------------------------------------------------------------------------------------------------- readers

/**
 * Identifies a reader.
 *
 * @category symbols
 */
export const ReaderTypeId = kinds.ReaderTypeId

/**
 * Computes a value from the notes of a thought that has at least those of `In`.
 *
 * @category models
 */
export interface Reader<in In, out A, out E = never, out R = never> {
  readonly [ReaderTypeId]: typeof ReaderTypeId
  /** Keys of the notes it reads. */
  readonly keys: ReadonlyArray<string>
  readonly read: (log: Log<In>) => Effect.Effect<A, E, R>
}

type ValueOf<H> = H extends Handle<any, infer A> ? A : never
type ReadOf<H> = H extends Handle<infer K, infer A> ? Reads<K, A> : never
type ValuesOf<H extends Record<string, Handle<any, any>>> = { readonly [P in keyof H]: ValueOf<H[P]> }
/** The notes of all handles, those that may be absent included. */
type NotesOf<H extends Record<string, Handle<any, any>>> = All<H extends unknown ? ReadOf<H[keyof H]> : never>

/**
 * Makes a reader that computes a value from one or several notes, such as the text of a question or query.
 *
 * **Details**
 *
 * `f` returns the value, or an effect or a promise of it. Its second argument has a `signal`, which is aborted if the step
 * is interrupted. A step that uses the reader requires the notes in its type. If a note is
 * missing at run time, or was written with another type because the type of a step was widened, it is a defect that
 * names the key.
 *
 * **Example** (A question that depends on an earlier answer)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Thought } from "cogito"
 *
 * const customer = Note.handle("customer", Schema.String)
 * const question = Note.from(customer, (name) => `Is ${name} a business?`)
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("classify", { customer: "Acme" })
 *   return yield* question.read(thought)
 * })
 *
 * assert.equal(Effect.runSync(program), "Is Acme a business?")
 * ```
 *
 * @category readers
 */
export const from: {
  <K extends string, A, B>(
    handle: Handle<K, A>,
    f: (value: A, given: Interruptible) => B
  ): Reader<Reads<K, A>, Settled<B>, Failing<B>, Needing<B>>
  <const H extends Record<string, Handle<any, any>>, B>(
    handles: H,
    f: (values: ValuesOf<H>, given: Interruptible) => B
  ): Reader<NotesOf<H>, Settled<B>, Failing<B>, Needing<B>>
} = taking("Note.from", { args: [kinds.source, kinds.callable] })((
  source: Handle<string, unknown> | Record<string, Handle<string, unknown>>,
  f: (input: any, given: Interruptible) => unknown
): any => {
  const single = isHandle(source)
  const entries = single ? [["", source] as const] : Object.entries(source)
  return {
    [ReaderTypeId]: ReaderTypeId,
    keys: entries.map(([, handle]) => handle.key),
    read: (log: Log<unknown>) =>
      settled((given) => {
        const values: Record<string, unknown> = {}
        for (const [name, handle] of entries) values[name] = readUnsafe(log, handle)
        return f(single ? values[""] : values, given)
      })
  }
})

/**
 * Whether a value is a note handle. Primitives are.
 *
 * **Example** (Handles and readers)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Note, Primitive } from "cogito"
 *
 * const city = Note.handle("city", Schema.String)
 * const question = Note.from(city, (name) => `Is ${name} a capital?`)
 *
 * assert.equal(Note.isHandle(city), true)
 * assert.equal(Note.isHandle(Primitive.decide("capital", { question })), true)
 * assert.equal(Note.isReader(question), true)
 * assert.equal(Note.isReader(city), false)
 * ```
 *
 * @category guards
 */
export const isHandle = (value: unknown): value is Handle<string, unknown> =>
  typeof value === "object" && value !== null && HandleTypeId in value

/**
 * Whether a value is a reader.
 *
 * @category guards
 */
export const isReader = (value: unknown): value is Reader<never, unknown, unknown, unknown> =>
  typeof value === "object" && value !== null && ReaderTypeId in value

export const readUnsafe = (log: Log<unknown>, handle: Handle<string, unknown>): unknown => {
  const note = log.note(handle.key)
  if (note === undefined) throw new NoteNotFound({ key: handle.key })
  return Result.getOrThrow(decoded(log, handle, note))
}

const decoded = <A>(log: Log<any>, handle: Handle<any, A>, note: Note): Result.Result<A, Schema.SchemaError> =>
  decode(handle[HandleTypeId], log[LogTypeId]?.(note)?.[HandleTypeId], note.content)

// --------------------------------------------------------------------------------------------------------- prompts

/**
 * Makes text safe to show to a person, in a log or on a screen: invisible characters, and those that terminals
 * interpret, are replaced by their number. Characters that belong to an emoji or a script stay.
 *
 * **Details**
 *
 * Tabs and line breaks stay too, unless `oneLine` is set. A carriage return stays only in a line break, which becomes
 * `\n`.
 *
 * **Example** (A name with something hidden in it)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Note } from "cogito"
 *
 * assert.equal(Note.visible("Ada\u200b\nLovelace"), "Ada[U+200B]\nLovelace")
 * assert.equal(Note.visible("Ada\nLovelace", { oneLine: true }), "Ada[U+000A]Lovelace")
 * ```
 *
 * @category text
 */
export const visible = taking("Note.visible", { args: [kinds.text], options: 1, optional: true, known: ["oneLine"] })(
  (text: string, options: { readonly oneLine?: boolean } = {}): string =>
    options.oneLine === true ? showOnLine(text) : showOnScreen(text)
)

// ----------------------------------------------------------------------------------------------------------- text

/**
 * A text option: a fixed text, or a reader of notes.
 *
 * @category models
 */
export type Text = string | Reader<any, string, any, any>

type ReadBy<Q> = Q extends Reader<infer I, any, any, any> ? I : {}

/**
 * What a text option reads, fails with and needs.
 *
 * @category models
 */
export declare namespace Text {
  /** The notes that the text reads: of a union, those that any member reads. */
  type In<Q> = Alone<Q> extends true ? ReadBy<Q> : All<ReadBy<Q>>
  /** How reading it can fail. */
  type Err<Q> = Q extends Reader<any, any, infer E, any> ? E : never
  /** What reading it needs. */
  type Req<Q> = Q extends Reader<any, any, any, infer R> ? R : never
}

/**
 * Reads a text option for one thought.
 *
 * **Example** (A question that is fixed or read)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Thought } from "cogito"
 *
 * const city = Note.handle("city", Schema.String)
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("travel", { city: "Porto" })
 *   assert.equal(yield* Note.text("Where?", thought), "Where?")
 *   assert.equal(yield* Note.text(Note.from(city, (name) => `Where is ${name}?`), thought), "Where is Porto?")
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category readers
 */
export const text = taking("Note.text", { args: [kinds.words, kinds.log] })(
  <const Q extends Text>(option: Q, log: Log<any>): Effect.Effect<string, Text.Err<Q>, Text.Req<Q>> =>
    typeof option === "string" ? Effect.succeed(option) : option.read(log)
)
