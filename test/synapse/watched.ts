/** All that can be observed of a typed call. */
import { Effect, Stream } from "effect"
import { Provider, Signal, Synapse } from "cogito"
import { Testing } from "cogito/testing"

type Asked = Provider.DecideRequest & Partial<Provider.Request>

/** A request as it is shown: its JSON Schema on one line, and the system's message, which is always the same, once. */
const shownBy = () => {
  const seen = new Set<string>()
  const message = ({ role, text }: Provider.Message) => {
    const isKnown = role === "system" && seen.has(text)
    seen.add(text)
    return { role, text: isKnown ? "(the same as before)" : text }
  }
  return ({ messages, task, ...rest }: Asked) => {
    const { output, ...others } = task
    const json = JSON.stringify(output?.jsonSchema)
    return {
      ...rest,
      messages: messages.map(message),
      task: {
        ...others,
        output: output && {
          ...output,
          jsonSchema: json,
          instructions: output.instructions.replace(json, "(its JSON Schema)")
        }
      }
    }
  }
}

/** A piece of an answer on one line: of a partial value what is done, what has begun (…), and what is pending (-). */
const lineOf = (part: Synapse.Part<unknown>): string => {
  if (part._tag === "Text") return `text ${JSON.stringify(part.delta)}`
  if (part._tag === "Partial") return `partial ${fieldText(part.partial)}`
  return part._tag === "Done" ? `done ${JSON.stringify(part.value)}` : "discarded"
}

const fieldText = (field: unknown): string => {
  if (typeof field !== "object" || field === null || Array.isArray(field)) return JSON.stringify(field)
  const { state, value } = field as { readonly state?: unknown; readonly value?: unknown }
  if (state === "pending") return "-"
  if (state === "done") return JSON.stringify(value)
  if (state === "partial") return `${fieldText(value)}…`
  return `{ ${Object.entries(field)
    .map(([name, inner]) => `${name} ${fieldText(inner)}`)
    .join(", ")} }`
}

export interface Script extends Testing.ScriptOptions {
  readonly provider?: (provider: Provider.Shape) => Provider.Shape
}

/** Runs typed calls on scripts: what was sent and told, and how they ended. */
export const watching = () => {
  const shown = shownBy()
  const observed = <A, E>(
    run: Effect.Effect<A, E, Provider.Provider>,
    replies: ReadonlyArray<Testing.Reply>,
    { provider = (own) => own, ...options }: Script = {}
  ) =>
    Effect.gen(function* () {
      const model = Testing.scripted(replies, options)
      const signals: Array<object> = []
      const result = yield* run.pipe(
        Signal.listen((signal) => void signals.push(signal)),
        Effect.provideService(Provider.Provider, provider(model.provider)),
        Effect.exit
      )
      return {
        requests: model.requests.map(shown),
        decisions: model.decisions.length === 0 ? undefined : model.decisions.map(shown),
        signals,
        result,
        left: model.remaining() === 0 ? undefined : model.remaining()
      }
    })
  /** The same of the pieces of an answer while it is written. */
  const pieces = <A, I, D, E>(
    synapse: Synapse.Synapse<A, I, D, E>,
    input: I,
    replies: ReadonlyArray<Testing.Reply>,
    script: Script = {}
  ) => {
    const parts: Array<Synapse.Part<unknown>> = []
    const run = Synapse.stream(synapse, input).pipe(Stream.runForEach((part) => Effect.sync(() => parts.push(part))))
    return Effect.map(observed(run, replies, script), ({ result, signals }) => ({
      parts: parts.map(lineOf).join("\n"),
      signals,
      result
    }))
  }
  return { observed, pieces }
}
