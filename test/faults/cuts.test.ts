import { assert, describe, it } from "@effect/vitest"
import type { Reason, Request, Shape } from "cogito/Provider"
import { Effect, Result, Stream } from "effect"
import { type Adapter, adapters } from "./adapters.ts"
import { key } from "./clean.ts"
import type { Dialect, Kind } from "./dialect.ts"
import { send, serve } from "./server.ts"

const all = process.env["COGITO_STREAM_CUTS"] === "all"

// A server cuts at every byte in long runs. Else it does at one in so many, and at more of them, for which there is no
// time over sockets, `fetch` gives a body that ends in the same two ways.
const step = 16
const serverStep = all ? 1 : 5 * step

type Tag = Reason["_tag"]

interface Recording {
  readonly name: string
  readonly kind: Kind
  readonly text: string
  /** How a call may fail when the answer is cut: by being cut, or as the whole answer would. */
  readonly tags: ReadonlyArray<Tag>
  /** Not as a stream, but in one piece. */
  readonly whole?: boolean
}

const long = "A ticket needs an answer today. ".repeat(4)

const recordings: ReadonlyArray<Recording> = [
  { name: "plain text", kind: "good", text: `{"urgent": true}`, tags: ["Truncated"] },
  { name: "characters of many bytes", kind: "good", text: "naïve 漢字 👩‍👩‍👧 \u2028 😀", tags: ["Truncated"] },
  { name: "a long text", kind: "good", text: long, tags: ["Truncated"] },
  { name: "a refusal", kind: "refused", text: "I cannot.", tags: ["Truncated", "Refused"] },
  { name: "a refusal after some text", kind: "refusedLate", text: "Well, I", tags: ["Truncated", "Refused"] },
  { name: "a text cut off by its length", kind: "length", text: "so it goes", tags: ["Truncated"] },
  { name: "a failure after some text", kind: "failed", text: "so far", tags: ["Truncated", "Overloaded"] },
  { name: "one piece", kind: "good", text: "naïve 😀", whole: true, tags: ["Truncated", "InvalidResponse"] }
]

const bytesOf = ({ body, events }: Dialect, { kind, text, whole }: Recording): Buffer =>
  Buffer.from(whole === true ? JSON.stringify(body(kind, text)) : events(kind, text).join(""))

interface Cut {
  /** How many bytes are sent. */
  readonly at: number
  readonly end: "ended" | "destroyed"
  readonly by: "server" | "fetch"
}

const ends = ["ended", "destroyed"] as const

/** The whole, and cuts this far apart: in long runs each in both ways, else in turns. */
const cutsOf = (length: number, first: number): ReadonlyArray<Cut> => {
  const every = (apart: number, by: Cut["by"]) =>
    Array.from({ length: length - (first % apart) }, (_, index) => index)
      .filter((index) => index % apart === 0)
      .flatMap((index) =>
        ends
          .filter((_, turn) => all || turn === (index / apart) % 2)
          .map((end): Cut => ({ at: index + (first % apart), end, by }))
      )
  return [
    { at: length, end: "ended", by: "server" },
    ...every(serverStep, "server"),
    ...(all ? [] : every(step, "fetch"))
  ]
}

/** A request whose text tells the server where to cut. */
const asking = (cut: Cut): Request => ({
  messages: [{ role: "user", text: `cut ${cut.at} ${cut.end} ${cut.by}` }],
  task: { kind: "analyze", instruction: "", questions: [], context: [] },
  phase: "reason",
  sampling: {}
})

const told = (text: string): Cut => {
  const [, at, end, by] = /cut (\d+) (ended|destroyed) (server|fetch)/.exec(text) ?? assert.fail("no cut is told")
  return {
    at: Number(at),
    end: end === "ended" ? "ended" : "destroyed",
    by: by === "server" ? "server" : "fetch"
  }
}

/** Gives a response without a server, whose body ends as one that comes over a socket does. */
const cutting =
  (bytes: Uint8Array, headers: Record<string, string>): typeof fetch =>
  (input, init) => {
    const { at, by, end } = told(typeof init?.body === "string" ? init.body : "")
    if (by === "server") return fetch(input, init)
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (at > 0) controller.enqueue(Uint8Array.from(bytes.subarray(0, at)))
      },
      pull: (controller) => {
        if (end === "ended") controller.close()
        else controller.error(new TypeError("terminated"))
      }
    })
    return Promise.resolve(new Response(body, { headers }))
  }

const call = (provider: Shape, { whole }: Recording, cut: Cut) => {
  let said = ""
  const asked = asking(cut)
  const last = Stream.runFold(
    provider.stream(asked),
    () => said,
    (found, part) => {
      if (part._tag === "Text") said += part.delta
      return part._tag === "Done" ? part.response.text : found
    }
  )
  const answer = whole === true ? Effect.map(provider.complete(asked), ({ text }) => text) : last
  return Effect.map(Effect.result(answer), (result) => ({ result, said }))
}

const testCuts = ({ dialect, make }: Adapter, recording: Recording, index: number): void => {
  it.live(`${recording.name}: ${recording.kind === "good" ? "all of it, or an error" : "an error"}`, () =>
    Effect.gen(function* () {
      const bytes = bytesOf(dialect, recording)
      const headers: Record<string, string> =
        recording.whole === true ? { "content-type": "application/json" } : { "content-type": "text/event-stream" }
      const server = yield* serve((response, incoming, asked) => {
        const [, at = "", end] = /cut (\d+) (\w+)/.exec(dialect.promptOf(asked.body)) ?? assert.fail("no cut is told")
        send(bytes.subarray(0, Number(at)), end === "ended" ? "ended" : "destroyed", headers)(response, incoming, asked)
      })
      const provider = yield* make(`http://${server.host}`, {
        apiKey: key,
        fetch: cutting(bytes, headers)
      })
      const cuts = cutsOf(bytes.length, index * 37)
      const run = Effect.fnUntraced(function* (cut: Cut) {
        const { result, said } = yield* call(provider, recording, cut)
        const where = `cut at ${cut.at} of ${bytes.length} by ${cut.by}, ${cut.end}`
        assert.isTrue(recording.text.startsWith(said) || said === "", `${where}: said ${said}`)
        if (Result.isSuccess(result)) {
          assert.strictEqual(recording.kind, "good", where)
          assert.strictEqual(result.success, recording.text, where)
        } else {
          assert.include(recording.tags, result.failure.reason._tag, `${where}: ${result.failure.message}`)
        }
        return Result.isSuccess(result)
      })
      const [uncut, ...rest] = yield* Effect.forEach(cuts, run, { concurrency: 16 })
      assert.strictEqual(uncut, recording.kind === "good")
      assert.isAbove(rest.length, 0)
      assert.lengthOf(server.recorded, cuts.filter(({ by }) => by === "server").length)
    })
  )
}

for (const adapter of Object.values(adapters)) {
  describe(`cut streams of ${adapter.dialect.name}`, () => {
    recordings.forEach((recording, index) => testCuts(adapter, recording, index))
  })
}
