import { it } from "@effect/vitest"
import { Effect, Queue, Schema, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Note, Pipeline, type Step } from "cogito"
import { Spec } from "cogito/spec"
import { transcribe } from "../transcript.ts"

const step = (question: string, more: object = {}) => ({ type: "decide", key: "spam", question, ...more })
const doc = (inner: unknown) => JSON.stringify({ cogito: 1, name: "mail", step: inner })
const limited = (limit: number, workers: number) => ({
  type: "rateLimit",
  name: "slow",
  limit,
  per: "1 minute",
  step: { type: "workerLimit", name: "few", workers, step: step("limited") }
})

/** What is watched: one file, or several. */
interface Watching {
  readonly current: Effect.Effect<unknown>
  readonly changes: Stream.Stream<unknown>
  readonly step?: Step.Any
  readonly steps?: Readonly<Record<string, Step.Any>>
}

/** Edits, one after the other, and what is told and in use after each. */
const watched = (
  first: Readonly<Record<string, string>>,
  edits: ReadonlyArray<Readonly<Record<string, string | undefined>>>,
  {
    files,
    ...options
  }: { readonly files?: Readonly<Record<string, Spec.File | string>> } & Omit<Spec.WatchOptions, "read"> & object = {},
  pause: "1 second" | "300 millis" = "1 second"
) =>
  Effect.gen(function* () {
    const texts = new Map<string, string | undefined>(Object.entries(first))
    const reads: Array<string> = []
    const read = (path: string) =>
      Effect.suspend(() => {
        reads.push(path)
        const text = texts.get(path)
        return text === undefined ? Effect.fail("no such file") : Effect.succeed(text)
      })
    const begun: Effect.Effect<unknown, Spec.SpecError, Scope.Scope> =
      files === undefined
        ? Spec.watch(Spec.registry(), "mail.json", { ...options, read })
        : Spec.watch(Spec.registry(), files, { ...options, read })
    const watching = (yield* begun) as Watching
    const queue = yield* Queue.unbounded<unknown>()
    yield* Effect.forkScoped(
      Stream.runForEach(watching.changes, (change) => Queue.offer(queue, change)),
      { startImmediately: true }
    )
    const shown = (): unknown =>
      watching.step === undefined
        ? Object.fromEntries(Object.entries(watching.steps ?? {}).map(([name, one]) => [name, Pipeline.outline(one)]))
        : Pipeline.outline(watching.step)
    const after: Array<unknown> = [{ current: yield* watching.current, outline: shown() }]
    for (const edit of edits) {
      for (const [path, text] of Object.entries(edit)) texts.set(path, text)
      reads.length = 0
      yield* TestClock.adjust(pause)
      after.push({
        told: yield* Queue.clear(queue),
        current: yield* watching.current,
        outline: shown(),
        reads: reads.length
      })
    }
    return after
  }).pipe(Effect.scoped)

it.effect("what watching tells, and what is in use", () =>
  transcribe("watching", {
    "An edit, the same again, one with other spaces, and back": watched({ "mail.json": doc(step("one")) }, [
      { "mail.json": doc(step("two")) },
      {},
      { "mail.json": ` ${doc(step("two"))} ` },
      { "mail.json": doc(step("one")) }
    ]),
    "Edits that are refused: no JSON, no document, gone, a new key; and one that is undone": watched(
      { "mail.json": doc(step("one")) },
      [
        { "mail.json": "{" },
        { "mail.json": doc({ type: "decide" }) },
        { "mail.json": undefined },
        { "mail.json": doc(step("three", { key: "other" })) },
        { "mail.json": doc(step("one")) }
      ]
    ),
    "Looked at every tenth of a second": watched(
      { "mail.json": doc(step("one")) },
      [
        { "mail.json": doc(step("two")) },
        {},
        {},
        { "mail.json": doc(step("three")) },
        { "mail.json": doc(step("four")) },
        {},
        {}
      ],
      { every: "100 millis" },
      "300 millis"
    ),
    "Limits get their new numbers": watched({ "mail.json": doc(limited(3, 4)) }, [
      { "mail.json": doc(limited(5, 6)) },
      { "mail.json": doc({ type: "named", name: "around", step: limited(7, 8) }) },
      { "mail.json": doc(limited(-1, 8)) }
    ]),
    "Several files, which change together or not at all": watched(
      { "a.json": doc(step("one")), "b.yml": "cogito: 1\nname: b\nstep: { type: decide, key: b, question: two }\n" },
      [
        { "a.json": doc(step("three")) },
        { "a.json": doc(step("four")), "b.yml": "cogito: 2" },
        { "b.yml": "cogito: 1\nname: b\nstep: { type: decide, key: b, question: five }\n" },
        { "a.json": undefined, "b.yml": undefined }
      ],
      { files: { first: "a.json", second: { path: "b.yml" } } }
    ),
    "First versions that are none": Effect.forEach(
      [
        watched({}, []),
        watched({ "mail.json": "[]" }, []),
        watched({ "a.json": "{", "b.yaml": "x" }, [], {
          files: { one: "a.json", two: "b.yaml", three: "c.txt", four: "d" }
        }),
        watched({ "mail.json": doc(step("one")) }, [], { writes: [Note.handle("x", Schema.Int)] } as object),
        watched({ "mail.json": doc(step("one")) }, [], { every: 0 }),
        watched({ "mail.json": doc(step("one")) }, [], { settle: -1 })
      ],
      Effect.exit
    )
  })
)
