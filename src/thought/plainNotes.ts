/** Reads notes as plain values, without a handle. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import { onto, taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import type { Thought } from "./model.ts"
import * as Note from "./Note.ts"

/**
 * A note or one of its metadata fields does not have the expected form. The message names the note without its text.
 *
 * @category errors
 */
export class NoteFormatError extends Schema.TaggedError<NoteFormatError>()("NoteFormatError", {
  key: Schema.String,
  expected: Schema.String
}) {
  override get message(): string {
    return `The note ${quoted(this.key)} is not ${this.expected}.`
  }
}

/**
 * Reads a metadata field of the newest note under a key. Fails with `NoteNotFound`, or with `NoteFormatError` if the
 * note has no such field.
 *
 * @category reads
 */
export const metadata = onto(
  kinds.thought,
  3
)(
  taking("Thought.metadata", { args: [kinds.thought, kinds.text, kinds.text] })(
    (self: Thought<any>, key: string, field: string): Effect.Effect<string, Note.NoteNotFound | NoteFormatError> =>
      Effect.flatMap(found(self, key), (item) => {
        const value = Object.hasOwn(item.metadata, field) ? item.metadata[field] : undefined
        return value === undefined
          ? Effect.fail(new NoteFormatError({ key, expected: `a note with the metadata field ${quoted(field)}` }))
          : Effect.succeed(value)
      })
  )
)

/**
 * Reads the text of the newest note under a key. Fails with `NoteNotFound`.
 *
 * **Example** (Notes as plain values)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("order", {
 *     item: { content: "lamp", metadata: { language: "en" } },
 *     price: "49.90",
 *     count: "2",
 *     gift: "yes"
 *   })
 *   assert.equal(yield* Thought.text(thought, "item"), "lamp")
 *   assert.equal(yield* Thought.metadata(thought, "item", "language"), "en")
 *   assert.equal(yield* Thought.number(thought, "price"), 49.9)
 *   assert.equal(yield* Thought.integer(thought, "count"), 2)
 *   assert.equal(yield* Thought.boolean(thought, "gift"), true)
 *
 *   const error = yield* Effect.flip(Thought.integer(thought, "price"))
 *   assert.equal(error._tag, "NoteFormatError")
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category reads
 */
export const text = onto(
  kinds.thought,
  2
)(
  taking("Thought.text", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): Effect.Effect<string, Note.NoteNotFound> =>
      Effect.map(found(self, key), (item) => item.content)
  )
)

/**
 * Reads a note as a boolean: exactly `true`, `yes` or `1`, or `false`, `no` or `0`. Otherwise fails with
 * `NoteFormatError`.
 *
 * @category reads
 */
export const boolean = onto(
  kinds.thought,
  2
)(
  taking("Thought.boolean", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): Effect.Effect<boolean, Note.NoteNotFound | NoteFormatError> =>
      parsed(self, key, "one of true, yes, 1, false, no, 0", (content) =>
        /^(true|yes|1)$/.test(content) ? true : /^(false|no|0)$/.test(content) ? false : undefined
      )
  )
)

/**
 * Reads a note as a finite decimal number. Otherwise fails with `NoteFormatError`.
 *
 * @category reads
 */
export const number = onto(
  kinds.thought,
  2
)(
  taking("Thought.number", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): Effect.Effect<number, Note.NoteNotFound | NoteFormatError> =>
      parsed(self, key, "a decimal number", (content) => {
        const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(content) ? Number(content) : Number.NaN
        return Number.isFinite(value) ? value : undefined
      })
  )
)

/**
 * Reads a note as a whole number that a double represents exactly. Otherwise fails with `NoteFormatError`.
 *
 * @category reads
 */
export const integer = onto(
  kinds.thought,
  2
)(
  taking("Thought.integer", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): Effect.Effect<number, Note.NoteNotFound | NoteFormatError> =>
      parsed(self, key, "a whole number", (content) => {
        const value = /^[+-]?\d+$/.test(content) ? Number(content) : Number.NaN
        return Number.isSafeInteger(value) ? value : undefined
      })
  )
)

// ---------------------------------------------------------------------------------------------------- publication

const found = (self: Thought<any>, key: string): Effect.Effect<Note.Note, Note.NoteNotFound> => {
  const item = self.note(key)
  return item === undefined ? Effect.fail(new Note.NoteNotFound({ key, thoughtId: self.id })) : Effect.succeed(item)
}

const parsed = <A>(
  self: Thought<any>,
  key: string,
  expected: string,
  parse: (content: string) => A | undefined
): Effect.Effect<A, Note.NoteNotFound | NoteFormatError> =>
  Effect.flatMap(found(self, key), (item) => {
    const value = parse(item.content)
    return value === undefined ? Effect.fail(new NoteFormatError({ key, expected })) : Effect.succeed(value)
  })
