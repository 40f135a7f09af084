/** What a conversation keeps of its requests and answers. */
import type { Note, Provider } from "cogito"

/** The messages that the next request begins with: how to do the last task is not kept. */
export const keptOf = (messages: ReadonlyArray<Provider.Message> = []): ReadonlyArray<Provider.Message> =>
  messages.map(({ kept, role, text }) => ({ role, text: text.slice(0, kept) }))

/** An answer as the conversation has it: without what was added to it for the note. */
export const replyOf = (answer: Pick<Note.Note, "content"> | undefined): string => {
  const { confidenceFrom: _, aspects, ...reply } = JSON.parse(answer!.content) as Record<string, unknown>
  const isAsked = typeof aspects === "object" && aspects !== null && Object.keys(aspects).length > 0
  return JSON.stringify(isAsked ? { ...reply, aspects } : reply)
}
