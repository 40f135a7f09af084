/** Checks that a pipeline reads and writes what was declared for it. */
import type * as Note from "../Note.ts"
import type * as Step from "../Step.ts"
import type { BuiltStep } from "./build.ts"
import type { Read } from "./document/document.ts"
import { type Node, nodesIn } from "./document/node.ts"
import { problem, quote, suggestion } from "./model/problems.ts"
import type { Any as Registry } from "./model/registry.ts"
import { sameSchema } from "./model/sameSchema.ts"
import type { Problem } from "./model/SpecError.ts"
import { type Writer, writersIn } from "./document/writers.ts"

/** Handles of the notes that a pipeline may read, and of those that it always writes. */
export interface Declared {
  readonly reads?: ReadonlyArray<Note.Handle<any, any>>
  readonly writes?: ReadonlyArray<Note.Handle<any, any>>
}

export const checkDeclared = (
  registry: Registry,
  read: Read,
  { step: { node }, steps }: BuiltStep,
  { reads = [], writes = [] }: Declared
): ReadonlyArray<Problem> => {
  const may = new Set(reads.map(({ key }) => String(key)))
  const problems: Array<Problem> = node.reads
    .filter((key) => !may.has(key))
    .map((key) =>
      problem(
        readerOf(read, steps, key).path,
        `It reads ${quote(key)}, which no earlier step always writes. Write it first, or declare its handle in reads.`
      )
    )
  for (const handle of reads) {
    const registered = registry.handles.get(String(handle.key))
    if (registered !== undefined && !sameSchema(registered.schema, handle.schema)) {
      problems.push(
        problem(
          [],
          `The note ${quote(String(handle.key))} is declared as read with another schema than it is registered with.`
        )
      )
    }
  }
  const writers = writersIn(registry, read)
  for (const handle of writes)
    problems.push(...checkWrite(registry, writers.inside(read.step, String(handle.key)), node, handle))
  return problems
}

/** The innermost node that reads a note which is not written before. The first reader is one: a write before it would satisfy all. */
const readerOf = (read: Read, steps: BuiltStep["steps"], key: string): Node => {
  let reader = read.step
  while (true) {
    const definition = reader._tag === "Use" ? read.definitions.get(reader.name) : undefined
    const parts = definition === undefined ? nodesIn(reader) : [definition]
    const inner = parts.find((part) => steps.get(part)?.node.reads.includes(key))
    if (inner === undefined) return reader
    reader = inner
  }
}

const checkWrite = (
  registry: Registry,
  writers: ReadonlyArray<Writer>,
  node: Step.Node,
  handle: Note.Handle<any, any>
): ReadonlyArray<Problem> => {
  const key = String(handle.key)
  if (!node.surely.includes(key)) {
    const what = node.writes.includes(key)
      ? `The note ${quote(key)} is declared as written, but on some paths no step writes it. Write it on all paths.`
      : `The note ${quote(key)} is declared as written, and no step writes it.${suggestion(key, node.surely, "notes that are")}`
    return [problem(["step"], what)]
  }
  const registered = registry.handles.get(key)
  for (const writer of writers) {
    const known = writer.handle ?? registered
    if (known === undefined) {
      return [
        problem(
          ["step"],
          `The type of the note ${quote(key)} is unknown, because a registered step writes it: register its handle.`
        )
      ]
    }
    if (!sameSchema(known.schema, handle.schema)) {
      return [
        problem(
          ["step"],
          `The note ${quote(key)} is written with another schema than it is declared with. Use the same.`
        )
      ]
    }
  }
  return []
}

/** Problems of keys that this version writes but the first one did not: surrounding steps know only the first. */
export const checkFirst = (
  registry: Registry,
  read: Read,
  { node }: Step.Any,
  first: ReadonlySet<string>
): ReadonlyArray<Problem> => {
  const writers = writersIn(registry, read)
  return node.writes
    .filter((key) => !first.has(key))
    .map((key) =>
      problem(
        writers.inside(read.step, key)[0]?.path ?? ["step"],
        `The note ${quote(key)} is written here, which the first version did not. Use a key that it wrote, or start anew.`
      )
    )
}
