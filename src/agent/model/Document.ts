/** What an agent keeps of a user or a task, beyond one conversation. */
import type { Shape } from "../../provider/Shape.ts"
import type * as Note from "../../thought/Note.ts"

/** A field of a document: a text, a list of texts, or texts by name. */
export interface Field {
  readonly name: string
  readonly kind: "text" | "list" | "record"
  /** The most items of a list or record. The newest are kept. */
  readonly most: number
}

/**
 * What agents know of a user or a task: a note on a thought of its own, whose versions are the notes of one key.
 *
 * **Details**
 *
 * It is a handle, so `Thought.read` and `Note.from` read it. A field that nothing is known of is absent.
 *
 * - `of`: what there is one document for: a `"user"` or a `"task"`
 * - `traceId`: the trace id of the thought that has it, given the id of the user or the task
 *
 * @category models
 */
export interface Document<in out K extends string, in out A> extends Note.Handle<K, A> {
  readonly of: "user" | "task"
  readonly traceId: (id: string) => string
  readonly fields: ReadonlyArray<Field>
  /** Who is asked to bring it up to date. Undefined: who answers for the agent. */
  readonly provider: Shape | undefined
}

/**
 * A document of any content.
 *
 * @category models
 */
export interface AnyDocument extends Omit<Document<any, any>, "key"> {
  readonly key: string
}

/** Names of metadata: of the message, who wrote it, and of a note that shows a document, where it is from. */
export const meta = { user: "user", document: "document" } as const

/** Whether a note shows a document. */
export const isDocument = ({ metadata }: Pick<Note.Note, "metadata">): boolean => metadata[meta.document] !== undefined
