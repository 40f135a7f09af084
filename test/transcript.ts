/** Readable, repeatable texts of everything that can be observed of a run. */
import { Cause, DateTime, Duration, Effect, Exit, Option, Predicate } from "effect"
import { expect } from "vitest"
import { type Note, Session, Thought } from "cogito"

type Rendering = (value: unknown, indent?: string) => string
type Entries = ReadonlyArray<readonly [string, unknown]>

const width = 180
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a === b ? 0 : a === "_tag" || (b !== "_tag" && a < b) ? -1 : 1

const isThought = (value: unknown): value is Thought.Thought => Predicate.hasProperty(value, Thought.TypeId)

/** Of an error: shown elsewhere, or another library's own. The message has what a schema's issue says. */
const hidden = new Set(["stack", "message", "cause", "issue"])

/** A thought with what it does not show of itself in JSON. */
const thoughtOf = (thought: Thought.Thought): object => ({
  id: thought.id,
  traceId: thought.traceId,
  taskId: thought.taskId,
  intent: thought.intent,
  parent: thought.parent,
  checkpoints: thought.checkpoints.size === 0 ? undefined : thought.checkpoints,
  length: thought.length,
  notes: Thought.notes(thought),
  unpublished: Thought.unpublished(thought).map(({ key, seq }) => `${key} ${seq}`),
  conversation: Session.entries(thought.session),
  nextIndex: thought.session.nextIndex
})

/** A note with its place and text first, and without what is empty. */
const noteOf = (note: Note.Note): Entries => {
  const { seq, key, content, metadata, step, derivedFrom, ...rest } = note
  const present = {
    step: step === "" ? undefined : step,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    derivedFrom: derivedFrom.length === 0 ? undefined : derivedFrom
  }
  return [["seq", seq], ["key", key], ["content", content], ...Object.entries({ ...rest, ...present }).toSorted(byKey)]
}

const isNote = (value: object): value is Note.Note =>
  ["seq", "content", "trust", "created", "derivedFrom", "metadata", "step"].every((key) => Object.hasOwn(value, key))

/** The fields of an error: the tag and message, whatever it carries, and its cause. */
const errorOf = (error: Error): Entries => {
  const own = Object.entries(error).filter(([key]) => !hidden.has(key) && !key.startsWith("~"))
  return [["message", error.message], ...own.toSorted(byKey), ["cause", error.cause]]
}

const reasonsOf = (cause: Cause.Cause<unknown>): Entries =>
  cause.reasons.map((reason) =>
    reason._tag === "Fail"
      ? ["fails with", reason.error]
      : reason._tag === "Die"
        ? ["dies of", reason.defect]
        : ["ends", "interrupted"]
  )

/** What a value consists of: a name, and its items or named fields. */
const partsOf = (value: object): readonly [string, Entries | ReadonlyArray<unknown>, "fields" | "items"] => {
  if (Array.isArray(value)) return ["", value, "items"]
  if (ArrayBuffer.isView(value)) return [value.constructor.name, Array.from(value as Uint8Array), "items"]
  if (value instanceof Set) return ["Set", [...value], "items"]
  if (value instanceof Map) {
    const entries = [...value]
    return ["Map", entries.map(([key, item]) => [String(key), item] as const), "fields"]
  }
  if (value instanceof Error) return [value.name, errorOf(value), "fields"]
  if (Cause.isCause(value)) return ["", reasonsOf(value), "fields"]
  if (isThought(value)) return ["Thought", Object.entries(thoughtOf(value)), "fields"]
  if (isNote(value)) return ["note", noteOf(value), "fields"]
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return [typeof name === "string" && name !== "Object" ? name : "", Object.entries(value).toSorted(byKey), "fields"]
}

const partOf = ([key, shown]: readonly [string, string], kind: "fields" | "items"): string =>
  kind === "items"
    ? `- ${shown.startsWith("\n") ? shown.trimStart() : shown}`
    : `${key}${shown.startsWith("\n") ? "" : " "}${shown}`

/**
 * Renders values, one after the other: fields in the order of their names, without those that are `undefined`, and
 * UUIDs as `id1`, `id2` … in the order in which they appear.
 */
const rendering = (): Rendering => {
  const ids = new Map<string, string>()
  const stable = (text: string) =>
    text.replaceAll(uuid, (id) => {
      if (!ids.has(id)) ids.set(id, `id${ids.size + 1}`)
      return ids.get(id) ?? id
    })
  const text = (value: string, indent: string): string =>
    value.includes("\n")
      ? `|\n${stable(value)
          .split("\n")
          .map((line) =>
            line === ""
              ? ""
              : `${indent}${JSON.stringify(line)
                  .slice(1, -1)
                  .replaceAll(String.raw`\"`, '"')}`
          )
          .join("\n")}`
      : JSON.stringify(stable(value))
  const simple = (value: unknown, indent: string): string | undefined => {
    if (typeof value === "string") return text(value, indent)
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value)
    if (typeof value === "bigint") return `${value}n`
    if (typeof value === "function") return "[function]"
    if (typeof value !== "object" || value === null) return String(value)
    if (value instanceof Date) return `Date ${value.toISOString()}`
    if (value instanceof RegExp) return String(value)
    if (Duration.isDuration(value)) return Duration.format(value)
    if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
    return undefined
  }
  /** On one line where it fits, else each part on a line of its own. */
  const show: Rendering = (value, indent = "") => {
    const plain = simple(value, indent)
    if (plain !== undefined) return plain
    if (Option.isOption(value)) return Option.isNone(value) ? "None" : `Some ${show(value.value, indent)}`
    if (Exit.isExit(value)) return show(Exit.isSuccess(value) ? value.value : value.cause, indent)
    const [name, all, kind] = partsOf(value as object)
    const parts = (kind === "items" ? all.map((item) => ["", item] as const) : (all as Entries))
      .filter(([key, item]) => kind === "items" || (item !== undefined && !key.startsWith("~")))
      .map(([key, item]) => [key === "" ? "" : `${stable(key)}:`, show(item, `${indent}  `)] as const)
    const inline = parts.map(([key, shown]) => (key === "" ? shown : `${key} ${shown}`)).join(", ")
    const line = kind === "items" ? `${name}[${inline}]` : `${name} {${inline === "" ? "" : ` ${inline} `}}`.trimStart()
    if (!line.includes("\n") && line.length + indent.length <= width) return line
    return `${name}\n${parts.map((part) => `${indent}${partOf(part, kind)}`).join("\n")}`
  }
  return show
}

/**
 * Runs scenarios, each with a heading, and compares all that they give with the stored text of that name.
 *
 * A scenario that fails is shown by its cause. To accept a changed text, run the file with `vitest run -u` and read the
 * difference.
 */
export const transcribe = <E, R>(
  name: string,
  scenarios: Readonly<Record<string, Effect.Effect<unknown, E, R>>>
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const parts: Array<string> = []
    for (const [heading, scenario] of Object.entries(scenarios)) {
      const shown = rendering()(yield* Effect.exit(scenario))
      parts.push(`## ${heading}\n\n${shown.replace(/^\n/, "")}\n`)
    }
    yield* Effect.promise(() => expect(parts.join("\n")).toMatchFileSnapshot(`transcripts/${name}.txt`))
  })
