import * as Pipeline from "../../Pipeline.ts"
import { define, type Definition } from "../model/define.ts"
import { count, flag, maybe, oneOf, option, words } from "../model/parts.ts"
import { calling, introspecting } from "./asking.ts"

const introspect = define("introspect", {
  description: "Makes the steps inside look back on their answers.",
  fields: (parts) => ({
    step: option("The step with those steps inside.", parts.node),
    enabled: maybe("Whether they do; false turns it off inside another one.", flag),
    ...introspecting
  }),
  defaults: { enabled: true, onFailure: "fail" },
  build: ({ enabled = true, step, ...options }) => Pipeline.introspect(step, enabled ? options : false)
})

const compact = define("compact", {
  description: "Keeps the conversation of the steps inside short.",
  fields: (parts) => ({
    step: option("The step with those steps inside.", parts.node),
    enabled: maybe("Whether it is; false turns it off inside another one.", flag),
    turns: maybe("At so many turns.", count(2)),
    tokens: maybe("At so many tokens.", count(1)),
    keep: maybe("How many of the last turns stay.", count(0)),
    summaryKey: maybe("Key of the note that each summary becomes.", words),
    prompt: maybe("What to summarise.", words),
    onFailure: maybe("Whether a step fails without the summary, or goes on.", oneOf("fail", "skip")),
    ...calling(parts)
  }),
  defaults: { enabled: true, turns: 20, tokens: 20_000, summaryKey: "conversation_summary", onFailure: "fail" },
  build: ({ enabled = true, step, ...options }) => Pipeline.compact(step, enabled ? options : false)
})

/** What holds for all steps inside. */
export const around: ReadonlyArray<Definition> = [introspect, compact]
