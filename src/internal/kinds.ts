/** What an argument is, where no compiler has checked it, and what it should be. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hasProperty, isIterable, isPromiseLike } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { vendorOf } from "./standardSchema.ts"

/** What marks the library's own values. */
export const StepTypeId = "~cogito/Step"
export const ThoughtTypeId = "~cogito/Thought"
export const SessionTypeId = "~cogito/Session"
export const HandleTypeId = "~cogito/Note/Handle"
export const ReaderTypeId = "~cogito/Note/Reader"

/** What an argument must be, in words that follow "needs". */
export interface Kind {
  readonly named: string
  readonly is: (value: unknown) => boolean
}

const marked = (named: string, id: string): Kind => ({ named, is: (value) => hasProperty(value, id) })

export const step: Kind = marked("a step", StepTypeId)
export const thought: Kind = marked("a thought", ThoughtTypeId)
export const session: Kind = marked("a session", SessionTypeId)
export const handle: Kind = marked("a handle of a note", HandleTypeId)
export const text: Kind = { named: "a text", is: (value) => typeof value === "string" }
export const number: Kind = { named: "a number", is: (value) => typeof value === "number" }
export const array: Kind = { named: "an array", is: Array.isArray }
export const layer: Kind = { named: "a layer", is: Layer.isLayer }
export const callable: Kind = { named: "a function", is: (value) => typeof value === "function" }
export const object: Kind = { named: "an object", is: (value) => typeof value === "object" && value !== null }
export const schema: Kind = {
  named: "a schema",
  is: (value) => Schema.isSchema(value) || vendorOf(value) !== undefined
}

/** An id, or an object that has the field. */
export const refBy = (field: string, named: string): Kind => ({
  named,
  is: (value) => typeof value === "string" || (hasProperty(value, field) && typeof value[field] === "string")
})

export const arrayOf = ({ is, named }: Kind): Kind => ({
  named: `an array, of which each is ${named},`,
  is: (value) => Array.isArray(value) && value.every(is)
})

/** The same, or nothing. */
export const optional = (kind: Kind): Kind => ({ ...kind, is: (value) => value === undefined || kind.is(value) })

const kinds: ReadonlyArray<Kind> = [
  { named: "none", is: (value) => value === undefined || value === null },
  schema,
  step,
  thought,
  session,
  handle,
  marked("a reader of notes", ReaderTypeId),
  layer,
  { named: "an effect", is: Effect.isEffect },
  array,
  { named: "a promise", is: isPromiseLike },
  { named: "an iterable", is: (value) => typeof value === "object" && isIterable(value) },
  object
]

/** What a value is, in words that follow "it has". */
export const kindOf = (value: unknown): string => kinds.find(({ is }) => is(value))?.named ?? `a ${typeof value}`
