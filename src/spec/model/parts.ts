/** The parts of a node's options: text, counts, durations, and names of registered code and notes. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { AnyForm, Forms, Part } from "../../arguments/forms.ts"
import { quote, suggestion } from "./problems.ts"
import type { Any as Registry } from "./registry.ts"

/** The kinds of things that a document refers to by name. */
export type Named = "readers" | "functions" | "schemas" | "providers" | "handles"

/** What a reader returns: a text, several texts, or a condition. */
export type Gives = "text" | "texts" | "condition"

/** A reference by name, resolved when the pipeline is built. */
export class Ref {
  readonly of: Named
  readonly name: string
  /** What a reader must return or a note must hold, if known. */
  readonly gives: Gives | undefined
  constructor(of: Named, name: string, gives?: Gives) {
    this.of = of
    this.name = name
    this.gives = gives
  }
  /** The reference as a document writes it. */
  get written(): string | { readonly reader: string } | { readonly function: string } {
    if (this.of === "readers") return { reader: this.name }
    return this.of === "functions" ? { function: this.name } : this.name
  }
}

/** A node inside another, as it was written. */
export class Child {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** The schemas of option values in documents. */
export type Parts = Readonly<Record<Part, Schema.Top>>

const instance = <A extends object>(is: new (...args: ReadonlyArray<any>) => A): Schema.Codec<A, A> =>
  Schema.declare<A>((value): value is A => value instanceof is)

/** The schema of a name. It accepts only registered names, except for notes. */
const nameOf = (registry: Registry | undefined, of: Named, as: "check" | "describe"): Schema.Codec<string, string> => {
  if (registry === undefined || of === "handles") return Name
  const names = [...registry[of].keys()]
  if (as === "describe") return names.length === 0 ? Name : Schema.Literals(names)
  return Schema.String.check(
    Schema.makeFilter((name: string) =>
      names.includes(name)
        ? undefined
        : `There is no ${singular[of]} ${quote(name)} in the registry.${suggestion(name, names, `registered ${of}`)}`
    )
  )
}

const singular = {
  readers: "reader",
  functions: "function",
  schemas: "schema",
  providers: "provider",
  handles: "handle"
} as const

/** Text that is not blank. */
export const textPattern = /\S/
export const textFormat = "cogito-text"

const notBlank = (expected: string) =>
  Schema.String.check(Schema.isPattern(textPattern)).annotate({ expected, format: textFormat })

/** A name: some text. */
export const Name = notBlank("a name")

const ref = (of: Named, name: Schema.Codec<string, string>, gives?: Gives) =>
  name.pipe(
    Schema.decodeTo(
      instance(Ref),
      SchemaTransformation.transform({ decode: (name) => new Ref(of, name, gives), encode: ({ name }: Ref) => name })
    )
  )

const written = (field: string, name: Schema.Codec<string, string>) => Schema.Struct({ [field]: name })

const refIn = (of: Named, field: string, name: Schema.Codec<string, string>, gives?: Gives) =>
  written(field, name)
    .pipe(
      Schema.decodeTo(
        instance(Ref),
        SchemaTransformation.transform({
          decode: (given) => new Ref(of, given[field] ?? "", gives),
          encode: ({ name }: Ref) => ({ [field]: name })
        })
      )
    )
    .annotate({ expected: `{ ${field}: "<name>" }` })

/** A nested node that is not read yet. */
const unread = Schema.Unknown.pipe(
  Schema.decodeTo(
    instance(Child),
    SchemaTransformation.transform({
      decode: (value: unknown) => new Child(value),
      encode: ({ value }: Child) => value
    })
  )
)

/** A number above zero, and a unit. */
export const durationPattern = /^(?=[^ ]*[1-9])\d+(?:\.\d+)? (?:nano|micro|milli|second|minute|hour|day|week)s?$/

/** A format that stands for the pattern, which effect leaves out of a JSON Schema. */
export const durationFormat = "cogito-duration"

const duration = Schema.String.check(Schema.isPattern(durationPattern))
  .pipe(
    Schema.decodeTo(
      Schema.Duration,
      SchemaTransformation.transform({
        // the pattern was checked before
        decode: (given) => Duration.fromInputUnsafe(given as Duration.Input),
        encode: (given: Duration.Duration) => durationText(given)
      })
    )
  )
  .annotate({ expected: 'a duration such as "250 millis", "30 seconds" or "1 minute"' })

/** ISO 8601 with a time and a zone, so that it is the same moment everywhere. */
export const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/
export const momentFormat = "cogito-moment"

const moment = Schema.String.check(Schema.isPattern(momentPattern))
  .pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
  .annotate({ expected: 'a moment such as "2026-01-31T12:00:00Z"' })

/** Parts that documents and code share. */
const plain = {
  anything: Schema.Unknown,
  string: Schema.String,
  name: Name,
  words: notBlank("text"),
  notEmpty: Schema.NonEmptyString,
  flag: Schema.Boolean,
  unit: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  above0: Schema.Finite.check(Schema.isGreaterThan(0)),
  whole: Schema.Int
}

/** The parts for decoding: nested nodes are read later, and names must be registered. */
export const reading = (registry: Registry): Parts => {
  const name = (of: Named) => nameOf(registry, of, "check")
  const readers = name("readers")
  return {
    ...plain,
    step: unread,
    reader: refIn("readers", "reader", readers),
    textReader: refIn("readers", "reader", readers, "text"),
    textsReader: refIn("readers", "reader", readers, "texts"),
    condition: refIn("readers", "reader", readers, "condition"),
    function: refIn("functions", "function", name("functions")),
    schema: ref("schemas", name("schemas").annotate({ expected: "the name of a registered schema" })),
    provider: ref("providers", name("providers").annotate({ expected: "the name of a registered provider" })),
    handle: ref("handles", Name),
    textHandle: ref("handles", Name, "text"),
    textsHandle: ref("handles", Name, "texts"),
    duration,
    moment
  }
}

/** The parts for describing documents in a JSON Schema, with the registered names. */
export const describing = (registry: Registry | undefined, node: Schema.Codec<unknown, unknown>): Parts => {
  const name = (of: Named) => nameOf(registry, of, "describe")
  const reader = written("reader", name("readers"))
  return {
    ...plain,
    step: node,
    reader,
    textReader: reader,
    textsReader: reader,
    condition: reader,
    function: written("function", name("functions")),
    schema: name("schemas"),
    provider: name("providers"),
    handle: Name,
    textHandle: Name,
    textsHandle: Name,
    duration: Schema.String.annotate({ format: durationFormat }),
    moment: Schema.String.annotate({ format: momentFormat })
  }
}

/** The schema of an option in documents. */
export const schemaOf = ({ description, expected, is, optional }: AnyForm, parts: Parts): Schema.Top => {
  const plain = schemaFor(is, parts)
  const value = expected === undefined ? plain : plain.annotate({ expected })
  const option = optional === true ? Schema.optionalKey(value) : value
  return description === undefined ? option : option.annotateKey({ description })
}

const schemaFor = (is: AnyForm["is"], parts: Parts): Schema.Top => {
  if (typeof is === "string") return parts[is]
  if ("from" in is) return (is.whole ? Schema.Int : Schema.Finite).check(Schema.isGreaterThanOrEqualTo(is.from))
  if ("oneOf" in is) return Schema.Literals(is.oneOf)
  if ("list" in is) return (is.least === 1 ? Schema.NonEmptyArray : Schema.Array)(schemaOf(is.list, parts))
  if ("record" in is) return Schema.Record(Schema.String, schemaOf(is.record, parts))
  if ("fields" in is) return Schema.Struct(schemasOf(is.fields, parts))
  return Schema.Union(is.either.map((one) => schemaOf(one, parts)))
}

/** The schemas of several options. */
const schemasOf = (forms: Forms, parts: Parts): Readonly<Record<string, Schema.Top>> =>
  Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, schemaOf(form, parts)]))

/** A duration in the largest unit that gives a whole number. */
export const durationText = (given: Duration.Duration): string => {
  const nanos = Option.getOrElse(Duration.toNanos(given), () => 0n)
  const [name, size] = units.find(([, size]) => nanos % size === 0n && nanos >= size) ?? (["nano", 1n] as const)
  const amount = nanos / size
  return `${amount} ${name}${amount === 1n ? "" : "s"}`
}

const units = [
  ["week", 604_800_000_000_000n],
  ["day", 86_400_000_000_000n],
  ["hour", 3_600_000_000_000n],
  ["minute", 60_000_000_000n],
  ["second", 1_000_000_000n],
  ["milli", 1_000_000n],
  ["micro", 1_000n],
  ["nano", 1n]
] as const
