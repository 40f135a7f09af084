/**
 * A note is one entry of a thought's append-only log: a text with a key and its provenance.
 *
 * A typed result is stored as JSON text. A `Handle` (a key with a schema) reads it back as a value. Every primitive is
 * the handle of the note it writes, and `Note.handle` makes one for notes that no primitive writes. A `Reader` computes
 * a step's question or query from notes of earlier steps.
 */
export {
  type AnySchema,
  checkKey,
  from,
  handle,
  type Handle,
  HandleTypeId,
  isHandle,
  isReader,
  type Note,
  NoteNotFound,
  read,
  type Reader,
  type StandardSchema,
  type Text,
  text,
  type Trust,
  visible
} from "./thought/Note.ts"
export { prompt } from "./thought/prompt.ts"
