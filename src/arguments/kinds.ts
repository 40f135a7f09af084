/** Describes arguments that no compiler has checked: what they are and what they should be. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hasProperty, isIterable, isPromiseLike } from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { vendorOf } from "../schema/standardSchema.ts"
import { quoted } from "../text/legible.ts"

/** Property names that mark the library's own values. */
export const StepTypeId = "~cogito/Step"
export const ThoughtTypeId = "~cogito/Thought"
export const SessionTypeId = "~cogito/Session"
export const HandleTypeId = "~cogito/Note/Handle"
export const ReaderTypeId = "~cogito/Note/Reader"
export const RegistryTypeId = "~cogito/Spec/Registry"

/** A kind of argument: its name, in words that follow "needs", and its check. */
export interface Kind {
  readonly named: string
  readonly is: (value: unknown) => boolean
}

const marked = (named: string, id: string): Kind => ({ named, is: (value) => hasProperty(value, id) })

export const step: Kind = marked("a step", StepTypeId)
export const thought: Kind = marked("a thought", ThoughtTypeId)
export const session: Kind = marked("a session", SessionTypeId)
export const handle: Kind = marked("a handle of a note", HandleTypeId)
export const rateLimiter: Kind = marked("a limiter, made by RateLimiter.make,", "~cogito/RateLimiter")
export const circuitBreaker: Kind = marked("a breaker, made by CircuitBreaker.make,", "~cogito/CircuitBreaker")
export const workerPool: Kind = marked("a pool, made by WorkerPool.make,", "~cogito/WorkerPool")
export const schedule: Kind = { named: "a schedule", is: Schedule.isSchedule }
export const moment: Kind = { named: "a DateTime", is: DateTime.isDateTime }
export const text: Kind = { named: "a string", is: (value) => typeof value === "string" }
export const number: Kind = { named: "a number", is: (value) => typeof value === "number" }
/** A number for a generator of random numbers. */
export const seed: Kind = { named: "a whole number", is: Number.isSafeInteger }
export const array: Kind = { named: "an array", is: Array.isArray }
export const layer: Kind = { named: "a layer", is: Layer.isLayer }
export const effect: Kind = { named: "an effect", is: Effect.isEffect }
export const callable: Kind = { named: "a function", is: (value) => typeof value === "function" }
export const object: Kind = { named: "an object", is: (value) => typeof value === "object" && value !== null }
const schema: Kind = {
  named: "a schema",
  is: (value) => Schema.isSchema(value) || vendorOf(value) !== undefined
}

export const struct: Kind = {
  named: "a Schema.Struct",
  is: (value) => Schema.isSchema(value) && hasProperty(value, "fields")
}
export const toolkit: Kind = {
  named: "a toolkit, made by Toolkit.make,",
  is: (value) => hasProperty(value, "tools") && hasProperty(value, "toLayer")
}

export const kit: Kind = {
  named: "an object with a toolkit and its layer",
  is: (value) =>
    hasProperty(value, "toolkit") && toolkit.is(value.toolkit) && hasProperty(value, "layer") && layer.is(value.layer)
}

/** An object in which these fields are texts. */
const having = (named: string, ...fields: ReadonlyArray<string>): Kind => ({
  named,
  is: (value) => fields.every((field) => hasProperty(value, field) && typeof value[field] === "string")
})

const either = (named: string, ...kinds: ReadonlyArray<Kind>): Kind => ({
  named,
  is: (value) => kinds.some(({ is }) => is(value))
})

export const traced: Kind = either("the id of a thought, or an object with its traceId,", text, having("", "traceId"))
export const reportable: Kind = either(
  "the id of a thought, or an object with its traceId, or with the runId of a durable run,",
  text,
  having("", "traceId"),
  having("", "runId")
)
const lists = ["thoughts", "notes", "runs", "messages"]
const hasList = (value: unknown, name: string): boolean => hasProperty(value, name) && Array.isArray(value[name])
export const report: Kind = {
  named: 'a report of the format "cogito-report/1", as Report.collect returns it,',
  is: (value) =>
    hasProperty(value, "format") &&
    value.format === "cogito-report/1" &&
    hasProperty(value, "focus") &&
    lists.every((name) => hasList(value, name)) &&
    hasProperty(value, "thoughts") &&
    // a page is about at least one thought
    hasProperty(value.thoughts, "0")
}
export const identified: Kind = either("a note or its id", text, having("", "id"))
export const tags: Kind = {
  named: "a tag or an array of tags",
  is: (value) => text.is(value) || (Array.isArray(value) && value.every(text.is))
}
export const services: Kind = either("a layer or a context", layer, { named: "", is: Context.isContext })
export const start: Kind = having("an object with the intent (a string)", "intent")
export const note: Kind = having("a note", "id", "key", "content")
export const entry: Kind = having("an entry with a role and a text", "role", "text")
const reader: Kind = marked("a reader of notes", ReaderTypeId)
export const words: Kind = either("a string or a reader of notes", text, reader)
export const view: Kind = {
  named: '"full", or an object with recent or summaryAndRecent,',
  is: (value) => value === "full" || hasProperty(value, "recent") || hasProperty(value, "summaryAndRecent")
}
export const log: Kind = {
  named: "a thought",
  is: (value) => hasProperty(value, "note") && typeof value["note"] === "function"
}
export const signal: Kind = {
  named: "an AbortSignal",
  is: (value) => value === undefined || (hasProperty(value, "aborted") && hasProperty(value, "addEventListener"))
}
export const stream: Kind = { named: "a stream", is: Stream.isStream }

export const registry: Kind = marked("a registry, made by Spec.registry,", RegistryTypeId)
export const textOrObject: Kind = either("a string or an object", text, object)

/** A handle, or an object of handles. */
export const source: Kind = either("a handle of a note, or an object of handles,", handle, {
  named: "",
  is: (value) => typeof value === "object" && value !== null && Object.values(value).every(handle.is)
})

export const arrayOf = ({ is, named }: Kind): Kind => ({
  named: `an array in which every element is ${named},`,
  is: (value) => Array.isArray(value) && value.every(is)
})

export const objectOf = ({ is, named }: Kind): Kind => ({
  named: `an object in which every value is ${named},`,
  is: (value) => object.is(value) && !Array.isArray(value) && Object.values(value as object).every(is)
})

export const layers: Kind = either("a layer, or an array of layers,", layer, arrayOf(layer))

/** The same kind, or undefined. */
export const optional = (kind: Kind): Kind => ({ ...kind, is: (value) => value === undefined || kind.is(value) })

const kinds: ReadonlyArray<Kind> = [
  { named: "nothing", is: (value) => value === undefined || value === null },
  schema,
  step,
  thought,
  session,
  handle,
  reader,
  layer,
  effect,
  array,
  { named: "a promise", is: isPromiseLike },
  { named: "an iterable", is: (value) => typeof value === "object" && isIterable(value) },
  object
]

/** Describes an object with a value that is undefined, in words that follow "but". Nothing about any other value. */
export const lackOf = (value: unknown): string | undefined => {
  const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const lacking = entries.find(([, one]) => one === undefined)
  return lacking === undefined ? undefined : `its ${quoted(lacking[0])} is undefined`
}

/** What a list has in the place of a value of the kind, in words that follow "but got". Undefined if all are of the kind. */
export const oddOneOf = (values: unknown, { is }: Kind): string | undefined => {
  if (!Array.isArray(values)) return kindOf(values)
  const index = values.findIndex((one) => !is(one))
  return index === -1 ? undefined : `${kindOf(values[index])} at index ${index}`
}

/** Describes a value, in words that follow "but got". */
export const kindOf = (value: unknown): string => kinds.find(({ is }) => is(value))?.named ?? `a ${typeof value}`
