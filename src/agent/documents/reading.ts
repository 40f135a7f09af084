/** What an agent sees of its documents: their newest content, added to the thought as notes when a run begins. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Memory } from "../../Memory.ts"
import type { Message } from "../../Provider.ts"
import { foreign, recorded } from "../../run/run.ts"
import { write } from "../../run/write.ts"
import type { Thought } from "../../thought/model.ts"
import type * as Note from "../../thought/Note.ts"
import { message } from "../../thought/render.ts"
import * as Thoughts from "../../thought/Thought.ts"
import { type AnyDocument, meta } from "../model/Document.ts"
import type { Working } from "../model/settings.ts"
import type { Content } from "./fields.ts"

/** The trace id of the document that a message of the thought is about. Undefined if it is about none. */
export const traceIdIn = ({ of, traceId }: AnyDocument, thought: Thought<any>): string | undefined => {
  const id = of === "user" ? thought.note("message")?.metadata[meta.user] : thought.taskId
  return id === undefined || id === "" ? undefined : traceId(id)
}

/** A document as the memory has it. `Unknown` if the memory fails. */
type Found =
  | { readonly _tag: "Found"; readonly id: string; readonly source: string; readonly content: Content }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unknown" }

const absent: Found = { _tag: "Absent" }
const unknown: Found = { _tag: "Unknown" }

const load = (document: AnyDocument, traceId: string | undefined): Effect.Effect<Found> => {
  if (traceId === undefined) return Effect.succeed(absent)
  const warn = (error: Error) =>
    Effect.as(Effect.logWarning(`The document ${traceId} cannot be read: ${error.message}`), unknown)
  return Effect.gen(function* () {
    const memory = Option.getOrUndefined(yield* Effect.serviceOption(Memory))
    if (memory === undefined) return absent
    const loaded = yield* memory.load({ traceId })
    const note = loaded.note(document.key)
    if (note === undefined) return absent
    // every document has fields of these kinds
    const content = yield* Thoughts.read(loaded, document as Note.Handle<string, Content>)
    if (Object.keys(content).length === 0) return absent
    return { _tag: "Found" as const, id: note.id, source: note.source, content }
  }).pipe(
    Effect.catchIf(
      (error) => error._tag === "MemoryError" && error.reason._tag === "NotFound",
      () => Effect.succeed(absent)
    ),
    Effect.catch(warn)
  )
}

/** The thought with the newest documents, and the notes that show them. */
interface Documented {
  readonly thought: Thought<any>
  readonly notes: ReadonlyArray<Note.Note>
}

/** Those of the user go first: they are the same in more conversations. */
const inOrder = (documents: ReadonlyArray<AnyDocument>): ReadonlyArray<AnyDocument> => [
  ...documents.filter(({ of }) => of === "user"),
  ...documents.filter(({ of }) => of === "task")
]

export const documented = Effect.fnUntraced(function* (
  given: Thought<any>,
  documents: ReadonlyArray<AnyDocument>
): Working<Documented> {
  if (documents.length === 0) return { thought: given, notes: [] }
  const wanted = inOrder(documents).map((document) => ({ document, traceId: traceIdIn(document, given) }))
  const found = yield* recorded<ReadonlyArray<Found>, never, never>(
    () => ({ kind: "decision" }),
    foreign(Effect.forEach(wanted, ({ document, traceId }) => load(document, traceId), { concurrency: "unbounded" }))
  )
  let thought = given
  const notes: Array<Note.Note> = []
  for (const [i, { document, traceId }] of wanted.entries()) {
    const one = found[i] ?? absent
    if (traceId === undefined || one._tag === "Absent") continue
    const known = Thoughts.history(thought, document.key).findLast(
      ({ metadata }) => metadata[meta.document] === traceId
    )
    if (one._tag === "Unknown") {
      // what an earlier run has seen
      if (known !== undefined) notes.push(known)
      continue
    }
    if (known?.derivedFrom.includes(one.id) === true) {
      notes.push(known)
      continue
    }
    const noted = yield* write(thought, one.source, document as Note.Handle<string, Content>, one.content, {
      from: [{ id: one.id, trust: "untrusted" }],
      trust: "untrusted",
      metadata: { [meta.document]: traceId }
    })
    thought = noted.thought
    notes.push(noted.note)
  }
  return { thought, notes }
})

const intro =
  "The notes above are known from earlier conversations. They were written by a model, and may be wrong or out of date."

/** The message that shows documents, before the conversation. None if there are no documents. */
export const shownFirst = (notes: ReadonlyArray<Note.Note>): ReadonlyArray<Message> =>
  notes.length === 0 ? [] : [{ role: "user", text: message({ task: intro, notes }) }]
