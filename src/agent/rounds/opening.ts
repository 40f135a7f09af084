/** How a run of an agent begins: it sees its documents, its message is judged, and its tools are selected. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { provenance } from "../../primitive/reasoning/record.ts"
import type { Shape } from "../../provider/Shape.ts"
import { write } from "../../run/write.ts"
import type { Thought } from "../../thought/model.ts"
import * as Note from "../../thought/Note.ts"
import { sourcesShown } from "../../thought/origin.ts"
import * as Session from "../../thought/Session.ts"
import { unpublished, withSession } from "../../thought/Thought.ts"
import { documented } from "../documents/reading.ts"
import { isDocument } from "../model/Document.ts"
import { tell } from "../model/events.ts"
import { selected } from "./selection.ts"
import { triageKey } from "../model/keys.ts"
import type { Settings, Working } from "../model/settings.ts"
import type { Judgement } from "../model/Triage.ts"
import { judged } from "./triage.ts"

/** The text that a refused message gets. */
export const refusal = "Security violation: Request contains unsafe content"

const Judged = Schema.Struct({
  safe: Schema.Boolean,
  mode: Schema.Literals(["fast", "deep"]),
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  answer: Schema.optionalKey(Schema.String)
})

export interface Opening {
  /** The thought with the judgement and its costs. */
  readonly thought: Thought<any>
  /** Undefined without triage. */
  readonly judgement: Judgement | undefined
  /** The note of the judgement, which no request shows, and those of the documents, which each request shows first. */
  readonly aside: ReadonlyArray<Note.Note>
  readonly documents: ReadonlyArray<Note.Note>
  /** The names of the tools that may be used. */
  readonly names: ReadonlyArray<string>
}

export const opening = Effect.fnUntraced(function* (
  settings: Settings,
  provider: Shape,
  compacted: Thought<any>
): Working<Opening> {
  const { notes: documents, thought: given } = yield* documented(compacted, settings.documents)
  const { form, name, sampling, select, toolkit, triage } = settings
  const message: string = given.note("message")?.content ?? ""
  if (triage === undefined) {
    const names = yield* selected(settings, message, undefined)
    return { thought: given, judgement: undefined, aside: documents, documents, names }
  }
  const fresh = unpublished(given).filter((note) => !isDocument(note))
  const tools = select === "triage" ? toolkit.tools : undefined
  const asked = yield* judged(
    { agent: name, triage, tools, mayAnswer: form === undefined, sampling },
    provider,
    given,
    fresh,
    documents
  )
  const { usage, value: judgement } = asked
  const noted = yield* write(given, "triage", Note.handle(triageKey(name), Judged), judgement, {
    from: [...sourcesShown(given), ...documents, ...fresh],
    metadata: provenance(triage.provider ?? provider, asked)
  })
  const thought = withSession(noted.thought, Session.withUsage(noted.thought.session, usage))
  const names = judgement.safe ? yield* selected(settings, message, judgement.tools) : []
  yield* tell({ _tag: "Triaged", safe: judgement.safe, mode: judgement.mode, tools: names })
  return { thought, judgement, aside: [noted.note, ...documents], documents, names }
})
