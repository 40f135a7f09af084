import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as kinds from "../arguments/kinds.ts"
import { need, taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { extend, Provider } from "../provider/Provider.ts"
import type { Shape } from "../provider/Shape.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import type { DecideRequest, DecideResponse, Request, Response, AnyRequest } from "../provider/request.ts"
import type { Answer } from "../provider/task.ts"
import { asCall, type End, redactedCarry } from "./essence.ts"
import { growing } from "./files.ts"
import { encodeCall, encodeEnds, toLines } from "./Recording.ts"
import { Prefixes } from "./prefixes.ts"
import { watched } from "./watched.ts"

const cannot = (provider: Shape, what: string): ProviderError =>
  new ProviderError({
    provider: provider.name,
    model: provider.model,
    reason: { _tag: "Unsupported", message: `cannot write the recording ${what}` }
  })

/**
 * Records all calls of a provider, also those that fail, in a file that can be read and replayed: see `Provider.replay`.
 *
 * **Details**
 *
 * Building the layer makes a new file, with its folders, that only the current user can read (except on Windows). An older
 * file stays until the new one is on the disk. The file is complete after each call, even on a full disk.
 *
 * It contains prompts and answers, but neither keys nor headers. Values that differ from run to run are replaced: ids by
 * `id-1`, `id-2` …, fences of notes by `fence`. An interrupted call is recorded as such, and its replay only ends when it is
 * interrupted. Of a stream the whole answer is recorded.
 *
 * Building the layer, or a call, fails with `Unsupported` if the file cannot be written. Building it also fails while another
 * recorder of the program writes that file.
 *
 * **Example** (A recording of one call)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { readFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const path = join(tmpdir(), `cogito-record-${process.pid}`, "urgent.json")
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It says so."] }])
 *
 * const recorded = model.layer.pipe(Provider.record(path))
 * await Effect.runPromise(isUrgent("Please hurry!").pipe(Effect.provide(recorded)))
 * assert.equal(JSON.parse(readFileSync(path, "utf8")).calls.length, 1)
 *
 * const again = await Effect.runPromise(isUrgent("Please hurry!").pipe(Effect.provide(Provider.replay(path))))
 * assert.equal(again.decision, true)
 * ```
 *
 * @category recording
 */
export const record = taking("Provider.record", {
  args: [kinds.text],
  options: 1,
  optional: true,
  known: ["redact"]
})(
  (
    path: string,
    options: {
      /**
       * Changes every text before it is written, prompts, forms and answers, such as to take names out; but for the labels of
       * native answers, which a replay must give as they are. A replay is given the same function, so that it finds the calls
       * again.
       */
      readonly redact?: (text: string) => string
    } = {}
  ) =>
    <E, R>(self: Layer.Layer<Provider, E, R>): Layer.Layer<Provider, E | ProviderError, R> => {
      need("The recording of a provider", kinds.layer, self)
      return Layer.effect(
        Provider,
        Effect.flatMap(needed(Provider), (provider) => recording(provider, path, options))
      ).pipe(Layer.provide(self))
    }
)

const recording = Effect.fnUntraced(function* (
  provider: Shape,
  path: string,
  { redact: given }: { readonly redact?: (text: string) => string }
): Effect.fn.Return<Shape, ProviderError, Scope.Scope> {
  const { capabilities, decide, model, name, order } = provider
  const redact = given && redactedBy(given)
  const [before, after] = encodeEnds({
    cogito: "recording",
    version: 1,
    source: "recorded",
    provider: name,
    model,
    capabilities,
    decides: decide !== undefined,
    ...(order !== undefined && { order })
  })
  const refuse = (what: string) => cannot(provider, what)
  const file = yield* Effect.acquireRelease(Effect.mapError(growing(path, before, after), refuse), ({ close }) => close)
  const prefixes = new Prefixes()
  const schemas = new Map<string, number>()
  let calls = 0

  const write = (asked: AnyRequest, end: End) =>
    Effect.suspend(() => {
      const call = ++calls
      return Effect.fromResult(encodeCall(asCall(call, asked, { prefixes, schemas }, redact, end))).pipe(
        Effect.flatMap((text) => file.insert(`${call === 1 ? "" : ","}\n${indented(text)}`)),
        Effect.mapError(refuse)
      )
    })
  const clean = redact ?? ((text: string) => text)
  const failed =
    (asked: AnyRequest) =>
    ({ model: failing, provider: by, reason, requestId, usage }: ProviderError) =>
      write(asked, {
        failure: {
          reason: { ...reason, message: clean(reason.message) },
          ...(usage !== undefined && { usage }),
          ...(requestId !== undefined && { requestId }),
          ...(by !== name && { provider: by }),
          ...(failing !== model && { model: failing })
        }
      })
  // no caller waits for the outcome, so a failure to write it does not matter
  const interrupted = (asked: AnyRequest, end: End = {}) => Effect.ignore(write(asked, { ...end, interrupted: true }))
  const completed = (request: Request) => (response: Response) => {
    const { calls, carry, limits: _, sampling = request.sampling, sent: __, text, ...rest } = response
    const called = calls && { calls: calls.map((call) => ({ ...call, params: clean(call.params) })) }
    const carried = carry && { carry: redactedCarry(carry, redact) }
    const answer = { ...rest, sampling, text: toLines(clean(text)), ...called, ...carried }
    return write({ asked: "text", request }, { answer })
  }
  const decided = (request: DecideRequest) => (response: DecideResponse) => {
    const { answers, limits: _, ...rest } = response
    return write({ asked: "native", request }, { answer: { ...rest, answers: answers.map(redacted(clean)) } })
  }

  const kept = <A>(
    asked: AnyRequest,
    call: Effect.Effect<A, ProviderError>,
    done: (response: A) => Effect.Effect<void, ProviderError>
  ) =>
    call.pipe(
      Effect.tapError(failed(asked)),
      Effect.tap(done),
      Effect.onInterrupt(() => interrupted(asked))
    )

  return extend(provider, {
    complete: (request: Request) => kept({ asked: "text", request }, provider.complete(request), completed(request)),
    stream: (request: Request) => {
      const asked: AnyRequest = { asked: "text", request }
      const message = "the answer's stream ended before the answer was complete: try again"
      return watched(provider.stream(request), {
        completed: completed(request),
        failed: failed(asked),
        unended: failed(asked)(new ProviderError({ provider: name, model, reason: { _tag: "Truncated", message } })),
        interrupted: (pieces) =>
          interrupted(asked, {
            answer: { text: toLines(clean(pieces.join(""))) },
            pieces: pieces.map((piece) => clean(piece).length)
          })
      })
    },
    ...(decide !== undefined && {
      decide: (request: DecideRequest) => kept({ asked: "native", request }, decide(request), decided(request))
    })
  })
})

/** Line by line of the layout: what a text holds is not changed, whatever some take for the end of a line. */
const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")

/** A text as the program redacts it. Throws if that gives no text. */
const redactedBy =
  (redact: (text: string) => string) =>
  (text: string): string => {
    const clean: unknown = redact(text)
    if (typeof clean === "string") return clean
    throw new Error(`The option redact of Provider.record must return a string, but returned ${kinds.kindOf(clean)}.`)
  }

const redacted =
  (clean: (text: string) => string) =>
  (answer: Answer): Answer => {
    if (answer._tag === "Refusal") {
      return answer.message === undefined ? answer : { ...answer, message: clean(answer.message) }
    }
    return answer.reasons === undefined ? answer : { ...answer, reasons: answer.reasons.map(clean) }
  }
