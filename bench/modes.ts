/**
 * What a conversation sends over the wire in each mode, to a server on this machine that counts what it receives and what its
 * model would read. `npm run bench:modes`. `test/modes/ledgers.test.ts` asserts the tokens.
 */
import { Console, Effect } from "effect"
import { baseOf, cycles } from "../test/modes/cycles.ts"

const sizes = { query: 1550, a: 300, r: 300 }

const shown = (count: number): string => count.toLocaleString("en-US")

const row = (n: number) =>
  Effect.gen(function* () {
    const resume = yield* cycles("resume", n, sizes)
    const replay = yield* cycles("replay", n, sizes)
    const cells = [
      String(n),
      shown(replay.received),
      shown(resume.received),
      `${(replay.received / resume.received).toFixed(1)} ×`,
      shown(replay.bytes),
      shown(resume.bytes),
      `${(replay.bytes / resume.bytes).toFixed(1)} ×`,
      `${replay.count} requests`,
      `${resume.sockets} socket`,
      replay.processed === resume.processed ? shown(resume.processed) : "DIFFERENT"
    ]
    return `| ${cells.join(" | ")} |`
  })

const head = [
  "n",
  "tokens, replay",
  "tokens, resume",
  "ratio",
  "bytes, replay",
  "bytes, resume",
  "ratio",
  "replay",
  "resume",
  "tokens read, both"
]

const program = Effect.gen(function* () {
  const base = shown(baseOf(sizes))
  yield* Console.log(`n cycles on ${base} tokens: the model writes ${sizes.a}, and gets ${sizes.r} back\n`)
  yield* Console.log(`| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`)
  for (const n of [1, 3, 5, 10, 20]) yield* Console.log(yield* row(n))
})

await Effect.runPromise(program)
