/** What processes of durable runs work with: a model, and effects on something outside. */
import * as Effect from "effect/Effect"
import { Provider } from "cogito"
import { Testing } from "cogito/testing"
import { Run } from "../../src/run/run.ts"
import type { Process } from "./process.ts"

type Json = Readonly<Record<string, unknown>>

/** A value that a JSON Schema allows: true, the first of several, all items of a list, and shares that add up to one. */
const valueFor = (schema: Json, instruction: string): unknown => {
  const { anyOf, const: constant, enum: several, items, minItems = 1, properties, required, type } = schema
  if (constant !== undefined) return constant
  if (Array.isArray(several)) return several[0]
  if (Array.isArray(anyOf)) return valueFor(anyOf[0] as Json, instruction)
  switch (type) {
    case "object": {
      const needed = new Set(required as ReadonlyArray<string>)
      const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>)
      return Object.fromEntries(
        fields
          .filter(([name]) => needed.has(name))
          .map(([name, field]) => [name, name === "neutral" ? 0.5 : valueFor(field, instruction)])
      )
    }
    case "array": {
      const item = items as Json
      const all = Array.isArray(item["enum"]) ? (item["enum"] as ReadonlyArray<unknown>) : undefined
      return all ?? Array.from({ length: Number(minItems) }, () => valueFor(item, instruction))
    }
    case "number":
    case "integer":
      return 0.25
    case "boolean":
      return !instruction.includes("(no)")
    default:
      return `about ${instruction.replaceAll(/\s+/g, " ").slice(0, 60)}`
  }
}

/** Calls tools in two rounds, two and two, and then answers. Where it can delegate, it does that in one round. */
const calling = ({ messages, tools = [] }: Provider.Request): string | object => {
  const rounds = messages.filter(({ role }) => role === "tool").length
  const delegating = [
    [
      { name: "delegate", params: { message: "pay" } },
      { name: "look", params: { of: "e" } }
    ]
  ]
  const paying = [
    [
      { name: "look", params: { of: "a" } },
      { name: "look", params: { of: "b" } }
    ],
    [
      { name: "pay", params: { of: "c" } },
      { name: "look", params: { of: "d" } }
    ]
  ]
  const calls = (tools.some(({ name }) => name === "delegate") ? delegating : paying)[rounds]
  return calls === undefined ? "paid" : Testing.calls(calls.map((call, i) => ({ ...call, id: `call ${rounds} ${i}` })))
}

/** How often somebody outside was asked, or did something. */
export class World {
  /** The requests that the model has received, in order. */
  readonly requests: Array<string> = []
  readonly effects = new Map<string, number>()
  readonly #asked = new Set<string>()
  /** How many times as long the model takes. */
  pace = (_instruction: string): number => 1

  /** Does something outside, in a process. */
  effect(process: Process, key: string): Effect.Effect<1> {
    return process.doing(
      key,
      Effect.sync(() => {
        const count = (this.effects.get(key) ?? 0) + 1
        this.effects.set(key, count)
        return 1
      })
    )
  }

  /**
   * Answers as the words of the question say: `(no)` answers a decision with no, `(takes 20)` takes 20 milliseconds, `(fails)`
   * fails, and `(fails first)` fails in the first entry into its step. What a process asks that another one has asked in vain
   * fails again, so that runs with a crash and without one see the same.
   */
  readonly model = Testing.scripted(
    (request) =>
      this.#answering(request, () =>
        request.tools !== undefined
          ? calling(request)
          : request.task.output === undefined
            ? `about ${request.task.instruction}`
            : (valueFor(request.task.output.jsonSchema, request.task.instruction) as object)
      ),
    {
      usage: { inputTokens: 10, outputTokens: 5 },
      decide: (request) =>
        this.#answering(request, () =>
          request.task.questions.map((question): Provider.Answer => {
            const { name } = question
            switch (question._tag) {
              case "Predicate":
                return { _tag: "Predicate", name, probability: 0.75 }
              case "Choice": {
                const [first, ...others] = question.labels.map(({ label }) => label)
                const share = others.length === 0 ? 1 : 0.5
                const rest = others.map((label) => [label, 0.5 / others.length] as const)
                return {
                  _tag: "Choice",
                  name,
                  label: first!,
                  distribution: Object.fromEntries([[first, share], ...rest])
                }
              }
              default: {
                const shares = question.levels.map(({ label }, i) => [label, i === 0 ? 1 : 0] as const)
                return {
                  _tag: "Score",
                  name,
                  value: question.levels[0]!.value,
                  distribution: Object.fromEntries(shares)
                }
              }
            }
          })
        )
    }
  )

  #answering<A>(request: Provider.DecideRequest, answer: () => A): Effect.Effect<A, Provider.ProviderError> {
    const { instruction } = request.task
    return Effect.gen({ self: this }, function* () {
      const { frame } = yield* Run
      this.requests.push(JSON.stringify([request.messages.map(({ role, text }) => [role, text])]))
      const isFirst = !this.#asked.has(instruction)
      this.#asked.add(instruction)
      const takes = /\(takes (\d+)\)/.exec(instruction)?.[1]
      if (takes !== undefined) yield* Effect.sleep(Number(takes) * this.pace(instruction))
      const fails =
        instruction.includes("(fails)") ||
        (instruction.includes("(fails first)") && (frame === undefined ? isFirst : !frame.key.includes("@")))
      return fails ? yield* overloaded : answer()
    })
  }
}

const overloaded = new Provider.ProviderError({
  provider: "scripted",
  model: "script",
  reason: { _tag: "Overloaded", message: "try again later" }
})
