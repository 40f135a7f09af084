import { assert, describe, it } from "@effect/vitest"
import { Note, Pipeline, Step, type Thought } from "cogito"
import { Testing } from "cogito/testing"
import { ManagedRuntime, Schema } from "effect"
import { inspect } from "node:util"
import { z } from "zod"

// Functions of steps may be async: rejections are failures, interruption aborts the signal.

const layer = Testing.memory
const start = { intent: "try", notes: { message: "Hello" } }
const message = Note.handle("message", Schema.String)

const later = <A>(value: A): Promise<A> => new Promise((resolve) => setImmediate(() => resolve(value)))

/** A promise that ends only with its signal, and how that went. */
const until = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: unknown) => error
  )

class OutOfStock extends Error {
  override readonly name = "OutOfStock"
}

describe("an async function", () => {
  it("gives the value of a note, of a reader, a condition, a switch, a gate, a change and an acceptance", async () => {
    const seen: Array<string> = []
    const size = Step.make("size", { schema: z.number(), run: Note.from(message, (text) => later(text.length)) })
    const small = Step.make("small", { schema: Schema.String, run: () => later("small") })
    const first = Step.make("offer", { schema: Schema.Finite, run: () => later(1) })
    const second = Step.make("offer", { schema: Schema.Finite, run: () => later(2) })
    const all = Pipeline.sequence("all", [
      size,
      Pipeline.tap("look", async (thought) => void seen.push(await later(thought.intent))),
      Pipeline.mutate("double", { note: size, update: async (value) => later(value * 2), when: () => later(true) }),
      Pipeline.filter("when small", { when: Note.from(size, async (value) => value < 100), step: small }),
      Pipeline.gate("open", { check: async (thought) => ((await later(thought.length)) > 1 ? "pass" : "fail") }),
      Pipeline.fallback("offered", [first, second], {
        accept: async (thought) => (await later(thought.get("offer"))) > 1
      }),
      Pipeline.switch("way", {
        on: async (thought) => ((await later(thought.length)) > 1 ? "mail" : "call"),
        branches: {
          mail: Step.once("mail", async (thought) => void seen.push(await later(`mail ${thought.length}`))),
          call: Step.make("call", { run: () => later(undefined) })
        }
      })
    ])
    const done = await Pipeline.runPromise(all, start, { layer })
    assert.strictEqual(done.get("size"), 10)
    assert.strictEqual(done.get("small"), "small")
    assert.strictEqual(done.get("offer"), 2)
    assert.deepStrictEqual(seen, ["try", "mail 5"])
  })

  it("fails the step with the error that it rejects with", async () => {
    const error = new OutOfStock("no chairs")
    const stock = Step.make("stock", { run: () => Promise.reject(error) })
    const failure = await rejected(Pipeline.runPromise(Pipeline.sequence("order", [stock]), start, { layer }))
    if (!(failure instanceof Pipeline.PipelineError)) throw new Error(`no PipelineError: ${inspect(failure)}`)
    assert.strictEqual(failure.cause, error)
    assert.deepStrictEqual(failure.path, ["order", "stock"])
    assert.match(failure.message, /^order\/stock failed after \d+ ms: OutOfStock: no chairs$/)
  })

  it("fails with an Error whatever it rejects with, without its text", async () => {
    const odd = Step.make("odd", { run: () => Promise.reject("the secret") })
    const failure = await rejected(Pipeline.runPromise(odd, start, { layer }))
    if (!(failure instanceof Pipeline.PipelineError)) throw new Error("no PipelineError")
    assert.instanceOf(failure.cause, Error)
    assert.strictEqual(
      failure.message.split(": ").slice(1).join(": "),
      "Error: A promise rejected with a value of type string."
    )
    assert.strictEqual(failure.cause.cause, "the secret")
  })

  it("is tried again, recovered from, and looked at by its class", async () => {
    let calls = 0
    const flaky = Step.make("flaky", {
      schema: Schema.Finite,
      run: async () => {
        await later(undefined)
        if (++calls < 3) throw new OutOfStock("no chairs")
        return calls
      }
    })
    const patient = flaky.pipe(Step.retry({ times: 3, while: (error: Error) => error instanceof OutOfStock }))
    const done = await Pipeline.runPromise(patient, start, { layer })
    assert.strictEqual(done.get("flaky"), 3)
  })

  it("is a defect if it throws before it returns a promise", async () => {
    const bug = new TypeError("a bug")
    const broken = Step.make("broken", {
      run: (): Promise<void> => {
        throw bug
      }
    })
    assert.strictEqual(await rejected(Pipeline.runPromise(broken, start, { layer })), bug)
  })

  it("is aborted with the run, by a timeout and where it loses a race", async () => {
    const aborted: Array<string> = []
    const hangs = (name: string) =>
      Step.make(name, {
        run: async (_: Thought.Thought, { signal }) => {
          await until(signal).catch(() => aborted.push(name))
        }
      })
    const controller = new AbortController()
    const reader = Pipeline.tap(
      "reads",
      Note.from(message, async (_, { signal }) => {
        queueMicrotask(() => controller.abort())
        await until(signal).catch(() => aborted.push("reads"))
      })
    )
    const running = rejected(Pipeline.runPromise(reader, start, { layer, signal: controller.signal }))
    assert.strictEqual(await running, controller.signal.reason)
    const timed = await rejected(Pipeline.runPromise(hangs("slow").pipe(Step.timeout(5)), start, { layer }))
    assert.strictEqual(((timed as Error).cause as Error).name, "TimeoutError")
    await Pipeline.runPromise(
      Pipeline.race("race", [hangs("loser"), Step.make("wins", { run: () => later(1) })]),
      start,
      {
        layer
      }
    )
    await later(undefined)
    assert.deepStrictEqual(aborted, ["reads", "slow", "loser"])
  })

  it("is the same each time that a function reads it", async () => {
    const signals: Array<AbortSignal> = []
    const twice = Step.make("twice", {
      run: async (_: Thought.Thought, given) => {
        signals.push(given.signal, given.signal)
      }
    })
    await Pipeline.runPromise(twice, start, { layer })
    assert.strictEqual(new Set(signals).size, 1)
  })

  it("runs once in a durable run, whose failure keeps its name", async () => {
    let paid = 0
    let up = false
    const order = Pipeline.sequence("order", [
      Step.make("pay", { schema: Schema.Finite, run: async () => later(++paid) }),
      Step.make("ship", {
        run: async () => {
          if (!up) throw new OutOfStock("no chairs")
        }
      })
    ])
    const runtime = ManagedRuntime.make(layer)
    const options = { runtime, durable: { id: "order-1" } }
    const failure = await rejected(Pipeline.runPromise(order, start, options))
    assert.strictEqual(((failure as Error).cause as Error).name, "OutOfStock")
    up = true
    const done = await Pipeline.runPromise(order, start, options)
    assert.strictEqual(done.get("pay"), 1)
    assert.strictEqual(paid, 1)
    await runtime.dispose()
  })

  it("fails after the commit with a defect if it is a promise of Step.once", async () => {
    const bug = new Error("no mail server")
    const mail = Step.once("mail", () => Promise.reject(bug))
    assert.strictEqual(await rejected(Pipeline.runPromise(mail, start, { layer })), bug)
  })
})
