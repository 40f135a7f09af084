/** The server of the tests of OpenAI's API. */
export { completion, usage } from "../faults/chat.ts"
export { type Answer, type Recorded, reply, serve } from "../faults/server.ts"
