/** What `--debug` prints to the standard error. Keys are not part of it: they are in headers only. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Provider from "../../Provider.ts"
import * as Thought from "../../Thought.ts"
import { UsageError } from "../console/failure.ts"
import { block, plain, say, toJson } from "../console/output.ts"

export const parts = ["state", "context", "requests"] as const

export type Part = (typeof parts)[number]

/** Reads the list of `--debug`. */
export const partsOf = (text: string): Effect.Effect<ReadonlySet<Part>, UsageError> => {
  const names = text.split(",").map((name) => name.trim())
  const isAll = names.length === 1 && names[0] === "all"
  const found = parts.filter((part) => isAll || names.includes(part))
  return found.length === 0 || (!isAll && found.length < new Set(names).size)
    ? new UsageError({ message: `--debug is all, or a list of ${parts.join(", ")} with commas between them.` })
    : Effect.succeed(new Set(found))
}

export interface Debug {
  /** The provider, with its requests seen. */
  readonly watched: (provider: Provider.Shape) => Provider.Shape
  /** Prints the state and the context, once a message is done with. */
  readonly after: (thought: Thought.Thought<any>) => Effect.Effect<void>
}

export const debugging = (parts: ReadonlySet<Part>): Debug => {
  let last: Provider.Request | undefined
  const seen = (request: Provider.Request): Effect.Effect<void> => {
    last = request
    return parts.has("requests") ? say(`request: ${toJson(request)}`) : Effect.void
  }
  return {
    watched: (provider) => {
      const { decide } = provider
      return Provider.extend(provider, {
        complete: (request) => Effect.andThen(seen(request), provider.complete(request)),
        stream: (request) => Stream.unwrap(Effect.as(seen(request), provider.stream(request))),
        ...(decide === undefined
          ? {}
          : {
              decide: (request) =>
                Effect.andThen(
                  parts.has("requests") ? say(`request: ${toJson(request)}`) : Effect.void,
                  decide(request)
                )
            })
      })
    },
    after: Effect.fnUntraced(function* (thought) {
      if (parts.has("state")) {
        for (const { content, key, seq, source } of Thought.current(thought)) {
          yield* say(`state: ${plain(key)} #${seq} from ${plain(source)}\n${block(content)}`)
        }
      }
      if (parts.has("context")) yield* say(last === undefined ? "context: no model was asked" : contextOf(last))
    })
  }
}

/** The messages of a request, with the calls and results in them. */
const contextOf = ({ messages, tools = [] }: Provider.Request): string =>
  [
    `context: ${messages.length} messages; tools: ${tools.map(({ name }) => name).join(", ") || "none"}`,
    ...messages.map(({ calls = [], results = [], role, text }) =>
      [
        `${role}:`,
        ...(text === "" ? [] : [block(text)]),
        ...calls.map(({ name, params }) => `  calls ${plain(name)} with ${plain(params)}`),
        ...results.map(({ name, text }) => `  result of ${plain(name)}: ${plain(text)}`)
      ].join("\n")
    )
  ].join("\n")
