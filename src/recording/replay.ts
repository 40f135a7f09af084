import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { Provider } from "../provider/Provider.ts"
import type { Shape } from "../provider/Shape.ts"
import { ProviderError, type Reason } from "../provider/ProviderError.ts"
import type { AnyRequest } from "../provider/request.ts"
import { type Essence, essenceOf } from "./essence.ts"
import { differences, ReplayDifference } from "./difference.ts"
import { expand } from "./expand.ts"
import { readText } from "./files.ts"
import { Left } from "./Left.ts"
import { playing } from "./playing.ts"
import { type Call, decode } from "./Recording.ts"

/**
 * A provider that answers from a recording of `Provider.record`, or from one written by hand, without network or key.
 *
 * **Details**
 *
 * Every call must match a recorded call that has not been used yet: the same messages, sampling, output form and tools. The order
 * does not matter, so branches can run at the same time. Any other call fails with `ReplayMismatch`, which names the
 * first recorded call that is left; its `cause`, a `ReplayDifference`, shows what differs. Failures are replayed as failures.
 * The capabilities are those of the recorded provider.
 *
 * A recording written by hand has `"source": "scripted"`. Fields that its calls leave out (`messages`, `phase`, `wish`,
 * `output`, `tools`) match any request of their `kind`, in order. Building the layer fails with `Unsupported` if the file cannot be
 * read.
 *
 * **Example** (A test in two lines)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "cogito-")), "urgent.json")
 * writeFileSync(path, JSON.stringify({
 *   cogito: "recording",
 *   version: 1,
 *   source: "scripted",
 *   provider: "openai",
 *   model: "gpt-5-mini",
 *   capabilities: { temperature: "never", efforts: [], structuredOutput: "json-schema", seed: false },
 *   decides: false,
 *   calls: [
 *     {
 *       call: 1,
 *       kind: "binary",
 *       asked: "text",
 *       answer: { json: { decision: true, confidence: 0.9, reasoning: ["It says so."] } }
 *     }
 *   ]
 * }))
 *
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const model = Provider.replay(path)
 * const answer = await Effect.runPromise(isUrgent("Please hurry!").pipe(Effect.provide(model)))
 * assert.equal(answer.decision, true)
 * ```
 *
 * @category recording
 */
export const replay = taking("Provider.replay", {
  args: [kinds.text],
  options: 1,
  optional: true,
  known: ["exhaustive", "redact"]
})(
  (
    path: string,
    options: {
      /** The function that the recording was made with, if any, so that its calls are found again. */
      readonly redact?: (text: string) => string
      /** Whether to leave the layer is a defect while recorded calls have not been made. Default false. */
      readonly exhaustive?: boolean
    } = {}
  ): Layer.Layer<Provider, ProviderError> => Layer.effect(Provider, replaying(path, options))
)

const replaying = Effect.fnUntraced(function* (
  path: string,
  { exhaustive = false, redact }: { readonly redact?: (text: string) => string; readonly exhaustive?: boolean }
): Effect.fn.Return<Shape, ProviderError, Scope.Scope> {
  const unreadable = (what: string) =>
    new ProviderError({
      provider: "replay",
      model: "replay",
      reason: { _tag: "Unsupported", message: `cannot replay ${path}: ${what}. Record it again with Provider.record.` }
    })
  const text = yield* Effect.mapError(readText(path), unreadable)
  const recording = yield* Effect.mapError(Effect.fromResult(decode(text)), unreadable)
  const calls = yield* Effect.mapError(Effect.fromResult(expand(recording)), unreadable)
  const left = new Left(calls, recording.source)
  const { capabilities, decides, model, order, provider: name } = recording
  const fail = (reason: Reason, cause?: Error) =>
    new ProviderError({ provider: name, model, reason, ...(cause !== undefined && { cause }) })

  /** The recorded call that a request is. */
  const find = (asked: AnyRequest) =>
    Effect.suspend(() => {
      const now = essenceOf(asked, redact)
      const found = left.take(now)
      return found === undefined ? Effect.fail(mismatch(now)) : Effect.succeed(found.call)
    })

  const mismatch = (now: Essence): ProviderError => {
    // the first remaining call of the same kind, else of any kind
    const nearest = [...left.all].find(({ expected }) => expected.kind === now.kind) ?? [...left.all][0]
    if (nearest === undefined) {
      const message = `replay of ${path}: all ${calls.length} recorded calls have been made, and this is one more (${now.kind})`
      return fail({ _tag: "ReplayMismatch", call: calls.length + 1, message })
    }
    const { call, kind } = nearest.call
    const lines = [
      `call ${call} (${kind}) of ${path}`,
      ...differences(nearest.expected, now, recording.source === "recorded")
    ]
    const message =
      `replay of ${path}: no recorded call matches this request (${now.kind}). The next unused call is call ${call} ` +
      `(${kind}); see the cause for the difference. If the change is intended, record again.`
    return fail({ _tag: "ReplayMismatch", call, message }, new ReplayDifference(lines.join("\n")))
  }

  if (exhaustive) {
    yield* Effect.addFinalizer(() => {
      const [first] = left.all
      return first === undefined
        ? Effect.void
        : Effect.die(
            new Error(
              `replay of ${path}: ${left.all.size} recorded calls were not made, the first is call ${first.call.call} ` +
                `(${first.call.kind})`
            )
          )
    })
  }
  // looked up by the request as it was given: budgets may change it later
  const played = (call: Call) => playing(call, { name, model, capabilities, path })
  return {
    name,
    model,
    capabilities,
    ...(order !== undefined && { order }),
    complete: (request) => Effect.flatMap(find({ asked: "text", request }), (call) => played(call).complete(request)),
    stream: (request) =>
      Stream.unwrap(Effect.map(find({ asked: "text", request }), (call) => played(call).stream(request))),
    ...(decides && {
      decide: (request) => Effect.flatMap(find({ asked: "native", request }), (call) => played(call).decide(request))
    })
  }
})
