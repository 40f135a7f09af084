/** A server that answers a request of any dialect with a text, whole or as a stream, as was asked. */
import assert from "node:assert/strict"
import { chat } from "./chat.ts"
import type { Dialect } from "./dialect.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"
import { type Answer, reply, stream } from "./server.ts"

const dialects: ReadonlyArray<Dialect> = [chat, responses, messages]

/** A request, whichever dialect it is in. */
export interface Asked {
  readonly dialect: Dialect["name"]
  /** All that it says. */
  readonly prompt: string
  /** The form of the answer that it asks for. */
  readonly schema: Readonly<Record<string, unknown>> | undefined
  readonly body: any // As it was sent.
}

/** Answers each request with the text that `model` gives for it. */
export const answering =
  (model: (asked: Asked) => string): Answer =>
  (response, request, asked) => {
    const { body, path } = asked
    const dialect = dialects.find((one) => path.endsWith(one.path)) ?? assert.fail(`no such path: ${path}`)
    const { events, name, promptOf, schemaOf } = dialect
    const text = model({ dialect: name, prompt: promptOf(body), schema: schemaOf(body), body })
    const answer = body.stream === true ? stream(events("good", text)) : reply(200, dialect.body("good", text))
    answer(response, request, asked)
  }
