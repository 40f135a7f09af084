/** A provider that learns from refusals which parameters a model does not support. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { taking } from "../../arguments/taking.ts"
import { type Capabilities, resolveSampling } from "../capabilities.ts"
import { make } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Request, Response, Sampling, StreamPart } from "../request.ts"

/** The parts of a request that a model may refuse, with patterns for the names of their parameters. */
const refusable = [
  ["effort", /effort|^reasoning$|^thinking/],
  ["temperature", /temperature/],
  ["seed", /seed/],
  ["structuredOutput", /response_format|format|schema|\bstrict$/],
  ["stop", /stop/],
  ["system", /^system\b|^messages\b.*\brole$/]
] as const

type Refusable = (typeof refusable)[number][0]

/** Parts that a model supports or not, whatever their value: an error about the range is the caller's mistake. */
const wholly: ReadonlySet<Refusable> = new Set(["temperature", "seed", "stop", "system"] as const)

const refusedBy = ({ reason }: ProviderError): Refusable | undefined => {
  const { outOfRange = false, parameter } = reason._tag === "InvalidRequest" ? reason : {}
  if (parameter === undefined) return undefined
  const found = refusable.find(([, names]) => names.test(parameter))?.[0]
  return found !== undefined && outOfRange && wholly.has(found) ? undefined : found
}

/** Whether the model refuses only the strictness of a form. */
const isStrictness = ({ reason }: ProviderError): boolean =>
  reason._tag === "InvalidRequest" && /\bstrict$/.test(reason.parameter ?? "")

/** The messages for a model without a system role: the system's text goes to the start of the user's next message. */
const withoutSystem = (messages: Request["messages"]): Request["messages"] => {
  const merged: Array<Request["messages"][number]> = []
  let waiting: Array<string> = []
  for (const message of messages) {
    if (message.role === "system") waiting.push(message.text)
    else if (message.role === "user" && waiting.length > 0) {
      merged.push({ ...message, text: [...waiting, message.text].join("\n\n") })
      waiting = []
    } else merged.push(message)
  }
  return waiting.length === 0 ? merged : [...merged, { role: "user", text: waiting.join("\n\n") }]
}

/** After this many refused forms in a row, the model gets no form any more. */
const mostForms = 3
const rememberedForms = 100

/** The current knowledge about a model. */
class Knowledge {
  capabilities: Capabilities
  /**
   * The refused parameters. Efforts and forms are recorded one by one: a model may refuse one for its size and take
   * others.
   */
  readonly #refused = new Set<"temperature" | "seed" | "stop" | "system">()
  readonly #refusedEfforts = new Set<string>()
  readonly #inWords = new Set<string>()
  #formsRefused = 0

  constructor(capabilities: Capabilities) {
    this.capabilities = capabilities
  }

  /** The request to send, with the capabilities that apply to it. */
  apply(request: Request): { readonly request: Request; readonly capabilities: Capabilities } {
    const { output } = request.task
    return {
      request: {
        ...request,
        messages: this.#refused.has("system") ? withoutSystem(request.messages) : request.messages,
        sampling: this.#sampling(request)
      },
      capabilities:
        output !== undefined && this.#inWords.size > 0 && this.#inWords.has(JSON.stringify(output.jsonSchema))
          ? { ...this.capabilities, structuredOutput: "none" }
          : this.capabilities
    }
  }

  /**
   * The sampling without refused parameters. A refused temperature or effort is replaced by the default of the phase.
   */
  #sampling({ phase, sampling }: Request): Sampling {
    const { effort, seed, stop, temperature, ...rest } = sampling
    const takesTemperature = temperature === undefined || !this.#refused.has("temperature")
    const takesEffort = effort === undefined || !this.#refusedEfforts.has(effort)
    const kept: Sampling = {
      ...rest,
      ...(seed !== undefined && !this.#refused.has("seed") && { seed }),
      ...(stop !== undefined && !this.#refused.has("stop") && { stop }),
      ...(temperature !== undefined && takesTemperature && { temperature }),
      ...(effort !== undefined && takesEffort && { effort })
    }
    return takesTemperature && takesEffort ? kept : resolveSampling(this.capabilities, phase, kept)
  }

  /** Records a success: a form that was sent was accepted. */
  took({ capabilities, request }: ReturnType<Knowledge["apply"]>): void {
    if (request.task.output !== undefined && capabilities.structuredOutput !== "none") this.#formsRefused = 0
  }

  /** Learns from a refusal. Returns whether another call may succeed. */
  learn(error: ProviderError, { capabilities, request }: ReturnType<Knowledge["apply"]>): boolean {
    const { sampling, task } = request
    switch (refusedBy(error)) {
      case "temperature":
        if (sampling.temperature === undefined) return false
        this.#refused.add("temperature")
        this.capabilities = { ...this.capabilities, temperature: "never" }
        return true
      case "effort":
        if (sampling.effort === undefined) return false
        this.#refusedEfforts.add(sampling.effort)
        this.capabilities = {
          ...this.capabilities,
          efforts: this.capabilities.efforts.filter((effort) => effort !== sampling.effort)
        }
        return true
      case "seed":
        if (sampling.seed === undefined) return false
        this.#refused.add("seed")
        this.capabilities = { ...this.capabilities, seed: false }
        return true
      case "stop":
        if (sampling.stop === undefined) return false
        this.#refused.add("stop")
        return true
      case "structuredOutput":
        if (task.output === undefined || capabilities.structuredOutput === "none") return false
        // by its text, because a form may be made anew for each call
        this.#inWords.add(JSON.stringify(task.output.jsonSchema))
        for (const oldest of this.#inWords) if (this.#inWords.size > rememberedForms) this.#inWords.delete(oldest)
        // A server that accepts only strict forms refuses each of the others, and still accepts strict ones.
        if (isStrictness(error)) return true
        if (++this.#formsRefused >= mostForms) this.capabilities = { ...this.capabilities, structuredOutput: "none" }
        return true
      case "system":
        if (!request.messages.some(({ role }) => role === "system")) return false
        this.#refused.add("system")
        return true
      default:
        return false
    }
  }
}

/** The answer with the sampling that was sent, if it differs from the request. */
const said = (response: Response, { sampling: given }: Request, { sampling: sent }: Request): Response =>
  samplingFields.every((field) => given[field] === sent[field])
    ? response
    : { ...response, sampling: response.sampling ?? sent }

const samplingFields = ["temperature", "effort", "maxTokens", "seed", "stop"] as const

/**
 * Builds a provider that learns from refusals: it repeats a refused call once without the refused parameter, and later
 * calls leave the parameter out.
 *
 * **Details**
 *
 * The error must name the parameter. It learns about temperature, effort (each value), seed, stop, the system role and
 * output forms. Without a system role, the system's text starts the user's next message. A refused form is described in
 * words from then on, and after three in a row every form is. A value out of range fails and teaches nothing. A second
 * refusal in one call fails.
 *
 * `capabilities` reflects what it has learned, for the life of the provider. The `sampling` of an answer is what was
 * really sent.
 *
 * **Example** (A temperature that is refused)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 *
 * const model = Provider.learning({
 *   name: "house",
 *   model: "stubborn-1",
 *   capabilities: { temperature: "free", efforts: [], structuredOutput: "none", seed: false },
 *   complete: ({ sampling }) =>
 *     sampling.temperature === undefined
 *       ? Effect.succeed({ text: "fine", usage: {} })
 *       : Effect.fail(
 *           new Provider.ProviderError({
 *             provider: "house",
 *             model: "stubborn-1",
 *             reason: { _tag: "InvalidRequest", message: "no temperature", parameter: "temperature" }
 *           })
 *         ),
 *   stream: () => { throw new Error("not used here") }
 * })
 * const request: Provider.Request = {
 *   messages: [{ role: "user", text: "Hello" }],
 *   task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
 *   phase: "reason",
 *   sampling: { temperature: 0 }
 * }
 *
 * const answer = await Effect.runPromise(model.complete(request))
 * assert.deepEqual(answer.sampling, {})
 * assert.equal(model.capabilities.temperature, "never")
 * ```
 *
 * @category constructors
 */
export const learning = taking("Provider.learning", {
  options: 0,
  known: ["capabilities", "complete", "decide", "model", "name", "order", "stream"]
})((
  options: Pick<Shape, "name" | "model" | "decide" | "order"> & {
    /** The capabilities assumed at first. */
    readonly capabilities: Capabilities
    readonly complete: (request: Request, capabilities: Capabilities) => Effect.Effect<Response, ProviderError>
    readonly stream: (request: Request, capabilities: Capabilities) => Stream.Stream<StreamPart, ProviderError>
  }
): Shape => {
  const known = new Knowledge(options.capabilities)
  const { complete, decide, model, name, order, stream } = options
  // built for each call, so that the second call is counted as well
  const plain = (capabilities: Capabilities): Shape =>
    make({
      name,
      model,
      capabilities,
      complete: (request) => complete(request, capabilities),
      stream: (request) => stream(request, capabilities),
      ...(decide !== undefined && { decide }),
      ...(order !== undefined && { order })
    })
  const ended = (attempt: ReturnType<Knowledge["apply"]>, request: Request, response: Response): Response => {
    known.took(attempt)
    return said(response, request, attempt.request)
  }
  const base = plain(options.capabilities)
  const provider: Shape = {
    ...base,
    complete: (request) =>
      Effect.suspend(() => {
        const first = known.apply(request)
        return plain(first.capabilities)
          .complete(first.request)
          .pipe(
            Effect.map((response) => ended(first, request, response)),
            Effect.catch((error) => {
              if (!known.learn(error, first)) return Effect.fail(error)
              const second = known.apply(request)
              return Effect.map(plain(second.capabilities).complete(second.request), (response) =>
                ended(second, request, response)
              )
            })
          )
      }),
    stream: (request) =>
      Stream.suspend(() => {
        const first = known.apply(request)
        let hasBegun = false
        const saying = (attempt: ReturnType<Knowledge["apply"]>) => (part: StreamPart) => {
          hasBegun = true
          return part._tag === "Done" ? { ...part, response: ended(attempt, request, part.response) } : part
        }
        return plain(first.capabilities)
          .stream(first.request)
          .pipe(
            Stream.map(saying(first)),
            // after the first piece, another answer would not continue it
            Stream.catch((error) => {
              if (hasBegun || !known.learn(error, first)) return Stream.fail(error)
              const second = known.apply(request)
              return Stream.map(plain(second.capabilities).stream(second.request), saying(second))
            })
          )
      })
  }
  return Object.defineProperty(provider, "capabilities", { enumerable: true, get: () => known.capabilities })
})
