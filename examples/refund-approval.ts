// Runs offline, with the extractive provider, which is not a language model: `npm run refund-approval`.
/**
 * Approval of refunds with an audit trail.
 *
 * The model answers small closed questions about what a customer wrote; what they amount to is computed in code, by rules
 * that anyone can read. Every answer and every rule's outcome is a note that is never changed, so the log of notes is the
 * trail: who decided what, how certain they were, and why. An appeal goes back to the checkpoint before the outcome.
 *
 * Each request is a durable run, named after the order. Stop the program with Ctrl-C, or with kill -9, and start it again: what
 * was answered is not asked again. A large refund waits for a person; the program prints how to answer, and ends. The questions and
 * rules are in refund-approval/pipeline.ts.
 */
import { Console, Effect, Layer, Option } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Pipeline, Provider, Signal, Thought } from "cogito"
import { Local } from "cogito/local"
import { PgliteMemory } from "cogito/pglite"
import { answersOf, isCall } from "./durable/calls.ts"
import { help, type Options, parse } from "./refund-approval/options.ts"
import { again, approval, complaint, inWords, layer, order, unclear, wanted } from "./refund-approval/pipeline.ts"
import { line, trail } from "./refund-approval/trail.ts"

// ---------------------------------------------------------------------------------------------------------- the cases

const cases = [
  {
    request: "The kettle I bought arrived broken, the handle is cracked and it leaks. I want my money back.",
    order: { item: "kettle", price: 39.9, days: 4 }
  },
  {
    request: "The jacket does not fit and I do not like the colour. Please refund me.",
    order: { item: "jacket", price: 120, days: 12 }
  },
  {
    request: "Where is my parcel? The headphones never arrived. Please refund me.",
    order: { item: "headphones", price: 89, days: 21 },
    appeal: "They came today, broken: the cable is torn and the left side is defective."
  },
  { request: "Does the lamp come with a bulb?", order: { item: "lamp", price: 25, days: 2 } }
]

type Case = (typeof cases)[number]

// -------------------------------------------------------------------------------------------------------- one of them

/** Counts the calls of this process, and those that it need not make. */
const count = { made: 0, saved: 0, waiting: 0 }

/** Begins a run, or goes on with the one that has its name. */
const durably = Effect.fnUntraced(function* <A, E, R>(
  id: string,
  run: (options: { readonly durable: { readonly id: string } }) => Effect.Effect<A, E, R>
) {
  count.saved += yield* answersOf(id)
  return yield* run({ durable: { id } })
})

const outcomeOf = Effect.fnUntraced(function* (done: Thought.Thought) {
  // the notes exist only if a refund is wanted, and if it is large
  const outcome = yield* Effect.option(Thought.read(done, unclear))
  const approved = yield* Effect.option(Thought.read(done, approval))
  if (Option.isNone(outcome)) return "no refund is wanted"
  if (Option.isNone(approved)) return inWords(outcome.value)
  const { by = "somebody", reason, approved: isApproved } = approved.value
  const why = reason === undefined ? "" : `, as ${line(reason)}`
  return `${isApproved ? "approved" : "refused"} by ${line(by)}${why}: ${inWords(outcome.value)}`
})

/** How to answer what a run waits for. */
const questions = ({ runId, waits }: Pipeline.Suspended, data: string): string =>
  waits
    .map(({ key, prompt }) =>
      [
        `-> a person decides: ${line(prompt)} Answer with`,
        `     npx cogito runs answer ${runId} ${key} yes --by NAME --data-dir ${data}`,
        `   (or no, with --reason TEXT), then start this program again.`
      ].join("\n")
    )
    .join("\n")

const handle = Effect.fnUntraced(function* ({ appeal, order: known, request }: Case) {
  const asked = yield* Thought.make("decide on a refund", { request })
  const start = yield* Thought.write(asked, order, known, { source: "shop", trust: "trusted" })
  const id = `refund-${known.item}`
  const done = yield* durably(id, (options) => Pipeline.run(wanted, start, options))
  yield* Console.log(`${line(request)}\n-> ${yield* outcomeOf(done)}\n${trail(done)}\n`)
  if (appeal === undefined) return
  const judged = yield* Thought.require(done, [order, complaint])
  const appealed = yield* durably(`${id}-appeal`, (options) => Pipeline.run(again(appeal), judged, options))
  yield* Console.log(`Appeal: ${line(appeal)}\n-> ${inWords(appealed.get("outcome"))}\n${trail(appealed)}\n`)
})

// ------------------------------------------------------------------------------------------------------- all of them

const handleAll = Effect.fnUntraced(function* (data: string) {
  for (const one of cases) {
    yield* handle(one).pipe(
      Effect.catchTag("Suspended", (suspended) => {
        count.waiting += 1
        return Console.log(`${line(one.request)}\n${questions(suspended, data)}\n`)
      })
    )
  }
  const waiting = count.waiting === 0 ? "" : ` Waiting for a person: ${count.waiting}.`
  yield* Console.log(`Model calls: ${count.made} made, ${count.saved} saved by the ledger.${waiting}`)
})

const main = ({ data, slow }: Options) => {
  const memory = PgliteMemory.layer({ dataDir: data }).pipe(Layer.provide(Local.embedder))
  const model = slow ? layer.pipe(Provider.rateLimit({ requests: 1, per: "1 second" })) : layer
  const counted = Signal.listen((signal) => {
    if (isCall(signal)) count.made += 1
  })
  return handleAll(data).pipe(counted, Effect.provide(Layer.merge(model, memory)))
}

const setExitCode = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const program = parse(process.argv.slice(2)).pipe(
  Effect.flatMap((options) => (options.help ? Console.log(help) : main(options))),
  Effect.catch((error) =>
    Effect.andThen(
      Console.error(`refund-approval: ${line(error.message)}`),
      setExitCode(error._tag === "UsageError" ? 2 : 1)
    )
  ),
  Effect.onInterrupt(() => Console.error("refund-approval: stopped. The same command goes on."))
)

NodeRuntime.runMain(program, { disableErrorReporting: true })
