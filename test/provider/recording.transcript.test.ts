import { it } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { Provider } from "cogito"
import { told } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { request } from "./fake.ts"
import { type End, model, prices, spent } from "./models.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-transcript-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

type Asked = Partial<Provider.Request> & { readonly kind?: "stream" | "decide" }

/** What a call comes to, without the place of the recording. */
const ask = (provider: Provider.Shape, { kind, ...more }: Asked) => {
  const asked = { ...request, ...more }
  const call: Effect.Effect<unknown, Provider.ProviderError> =
    kind === "stream"
      ? Stream.runCollect(provider.stream(asked))
      : kind === "decide" && provider.decide !== undefined
        ? provider.decide(asked)
        : provider.complete(asked)
  return Effect.map(Effect.exit(Effect.result(call)), (exit) =>
    exit._tag === "Failure" ? exit.cause : exit.value._tag === "Success" ? exit.value.success : told(exit.value.failure)
  )
}
const without = (path: string, value: unknown): unknown =>
  typeof value === "string"
    ? value.replaceAll(path, "run.json")
    : value instanceof Error
      ? without(path, { name: value.name, message: value.message })
      : Array.isArray(value)
        ? value.map((one) => without(path, one))
        : typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(path, one)]))
          : value
const all = (layer: Layer.Layer<Provider.Provider, Provider.ProviderError>, asks: ReadonlyArray<Asked>) =>
  Effect.exit(
    Effect.provide(
      Effect.flatMap(Provider.Provider, (provider) => Effect.forEach(asks, (one) => ask(provider, one))),
      layer
    )
  )

/** What came of it, or why there is nothing. */
const shown = (path: string, exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isSuccess(exit)
    ? without(path, exit.value)
    : exit.cause.reasons.map((one) =>
        without(path, Cause.isFailReason(one) ? told(one.error) : Cause.isDieReason(one) ? one.defect : "interrupted")
      )

interface Options {
  readonly record?: NonNullable<Parameters<typeof Provider.record>[1]>
  readonly replay?: NonNullable<Parameters<typeof Provider.replay>[1]>
  /** What is asked of the recording. Default: what was recorded. */
  readonly again?: ReadonlyArray<Asked>
  readonly model?: Parameters<typeof model>[3]
}

/** What a recording of these calls holds, and what comes of it. */
const recorded = (ends: ReadonlyArray<End>, asks: ReadonlyArray<Asked>, options: Options = {}) =>
  Effect.gen(function* () {
    const path = join(folder, `${++files}`, "run.json")
    const one = model("a", ends, 0, { capabilities: { prices, efforts: ["low"], contextTokens: 99 }, ...options.model })
    const first = yield* all(one.layer.pipe(Provider.record(path, options.record)), asks)
    const { calls, ...head } = JSON.parse(readFileSync(path, "utf8"))
    const replayed = yield* all(Provider.replay(path, options.replay), options.again ?? asks)
    const [before, after] = [shown(path, first), shown(path, replayed)]
    return {
      head,
      calls,
      recorded: before,
      replayed: JSON.stringify(before) === JSON.stringify(after) ? "the same" : after
    }
  })

/** What a text comes to that is given as a recording. */
const given = (change: object, call: object = {}, asks: ReadonlyArray<Asked> = [{}]) =>
  Effect.gen(function* () {
    const path = join(folder, `${++files}.json`)
    const usual = { call: 1, kind: "test", asked: "text", answer: { json: { a: [1] } }, ...call }
    const capabilities = { temperature: "free", efforts: [], structuredOutput: "none", seed: false }
    const whole = {
      cogito: "recording",
      version: 1,
      source: "scripted",
      provider: "p",
      model: "m",
      capabilities,
      decides: true
    }
    writeFileSync(path, JSON.stringify({ ...whole, calls: [usual], ...change }))
    return shown(path, yield* all(Provider.replay(path), asks))
  })

const saying = (...texts: ReadonlyArray<string>): Asked => ({
  messages: texts.map((text, i) => ({ role: i % 2 === 0 ? "user" : "assistant", text }))
})
const output = { name: "form", jsonSchema: { type: "object", title: "key-7" }, instructions: "JSON." }
const withForm: Asked = { task: { ...request.task, output } }
const question = { _tag: "Predicate", name: "late", question: "Is it late?" } as const
const id = (last: number) => `01890000-0000-7000-8000-00000000000${last}`
const redact = (text: string) => text.replaceAll("key-7", "…")

it.effect("recordings", () =>
  transcribe("recording", {
    "A call, a stream and a decision": recorded(
      [{}],
      [
        {},
        { ...saying("two\nlines"), kind: "stream" },
        { task: { ...request.task, questions: [question] }, kind: "decide" }
      ]
    ),
    "An answer with all fields": recorded(
      [
        {
          provider: "b",
          model: "b-9",
          id: "id-9",
          usd: 0.5,
          sampling: { effort: "low" },
          limits: { tokens: { limit: 3 } }
        }
      ],
      [{ wish: { temperature: 0.4, seed: 3, stop: ["b", "a"] }, phase: "introspect", sampling: { effort: "low" } }]
    ),
    "Messages and forms that earlier calls had": recorded(
      [{}],
      [
        saying("one"),
        saying("one", "two", "three"),
        saying("one", "other"),
        { ...withForm },
        { ...withForm, phase: "introspect" }
      ]
    ),
    "Ids and fences": recorded(
      [{}],
      [saying(`<note 0123abcd key="k">\n${id(2)} ${id(1)} ${id(2)}\n</note 0123abcd>`)],
      { again: [saying(`<note 4567abcd key="k">\n${id(4)} ${id(3)} ${id(4)}\n</note 4567abcd>`)] }
    ),
    "Failures of its own and of another": recorded(
      [
        ["RateLimited", spent(3, 4, { retryAfter: "7 seconds", requestId: "req-1" })],
        ["Refused", { provider: "b", model: "b-9", cause: new Error("hidden") }]
      ],
      [{}, saying("two")]
    ),
    Redacted: recorded([{ text: "It is key-7.", id: "key-7" }], [{ ...saying("My key-7?"), ...withForm }], {
      record: { redact },
      replay: { redact }
    }),
    "Another order, and a call more": recorded([{ text: "one" }, { text: "two" }], [saying("a"), saying("b")], {
      again: [saying("b"), saying("a"), saying("a")]
    }),
    "Calls that differ": Effect.all(
      Object.fromEntries(
        Object.entries({
          text: saying("now\nother\nlines"),
          role: { messages: [{ role: "system", text: "now\nsome\nlines" }] },
          "a message more": saying("now\nsome\nlines", "more"),
          "no message": { messages: [] },
          phase: { ...saying("now\nsome\nlines"), phase: "introspect" },
          sampling: { ...saying("now\nsome\nlines"), sampling: { temperature: 1 } },
          kind: { ...saying("now\nsome\nlines"), task: { ...request.task, kind: "other" } },
          form: { ...saying("now\nsome\nlines"), ...withForm },
          decision: { ...saying("now\nsome\nlines"), kind: "decide" }
        } as Readonly<Record<string, Asked>>).map(([name, other]) => [
          name,
          Effect.map(recorded([{}], [saying("now\nsome\nlines")], { again: [other] }), ({ replayed }) => replayed)
        ])
      )
    ),
    "Calls that were not made": recorded([{}], [{}, saying("two")], { again: [{}], replay: { exhaustive: true } }),
    "A provider that does not decide, with a wish that is not sent": recorded([{}], [{ wish: { effort: "high" } }], {
      model: { decides: false }
    }),
    "Recordings written by hand": Effect.all({
      json: given({}),
      text: given({}, { answer: { text: ["a", "b"], usage: { outputTokens: 3 }, id: "i", model: "n", provider: "q" } }),
      decision: given(
        {},
        { asked: "native", answer: { answers: [{ _tag: "Refusal", name: "late", message: "no" }] } },
        [{ kind: "decide" }]
      ),
      "an answer of the other way": given({}, { answer: { answers: [] } }),
      failure: given(
        {},
        { answer: undefined, failure: { reason: { _tag: "Timeout", message: "late" }, requestId: "r" } }
      ),
      "another kind": given({}, { kind: "other" }),
      neither: given({}, { answer: undefined }),
      both: given({}, { failure: { reason: { _tag: "Timeout", message: "late" } } }),
      "a beginning that is not there": given({}, { begins: { like: 7, messages: 1 } }),
      "a form that is not there": given({}, { output: { name: "form", like: 7 } }),
      "another version": given({ version: 2 }),
      "a field that nobody knows": given({ more: 1 }),
      "a bad value": given({}, { phase: "think" })
    }),
    "Files that are none": Effect.all({
      missing: Effect.map(all(Provider.replay(join(folder, "none.json")), []), (exit) => shown(folder, exit)),
      "a folder": Effect.map(all(model("a", [{}]).layer.pipe(Provider.record(folder)), [{}]), (exit) =>
        shown(folder, exit)
      )
    })
  })
)
