/** About how many tokens a request sends, by the same measure whichever way it is sent. */
import { estimateTokens } from "../../thought/tokens.ts"
import type { Message, Request } from "../request.ts"
import { textsOf } from "../tools.ts"

/** The tokens of messages. */
export const tokensOf = (messages: ReadonlyArray<Message>): number =>
  messages.flatMap(textsOf).reduce((sum, text) => sum + estimateTokens(text), 0)

/** The tokens of what every request sends again: its tools and the form of its answer. */
export const repeatedTokens = ({ task: { output }, tools = [] }: Pick<Request, "task" | "tools">): number =>
  (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools))) +
  (output === undefined ? 0 : estimateTokens(output.instructions))
