/** Taking notes back, as far as each reach goes. */
import { Memory, Session, Thought } from "cogito"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { archived, idOf, inSecond, scene, stored } from "./stage.ts"

/** A secret with copies, findings, answers and messages that came of it, in three thoughts. */
const spread = Effect.gen(function* () {
  const made = yield* Thought.make(
    "pay",
    {
      secret: { content: "card 4111", metadata: { bank: "b" } },
      amount: "12 euros"
    },
    { traceId: "pay", taskId: "t" }
  )
  const [secret, amount] = [idOf(made, "secret"), idOf(made, "amount")]
  const answered = yield* Thought.append(made, "answer", {
    content: "paid by 4111",
    source: "decide",
    derivedFrom: [secret]
  })
  const summed = yield* Thought.append(answered, "summary", { content: "a card was used", source: "compress" })
  const session = Session.append(
    Session.empty,
    { role: "system", text: "rules" },
    { role: "user", text: "the amount is 12", carries: [amount] },
    { role: "assistant", text: "twelve" },
    { role: "user", text: "the card is 4111", carries: [secret] },
    { role: "assistant", text: "paid by 4111", carries: [idOf(answered, "answer")] },
    { role: "user", text: "what now?" },
    {
      role: "assistant",
      kind: "summary",
      text: "a card",
      carries: [idOf(summed, "summary")],
      covers: [secret, amount]
    },
    { role: "user", text: "thanks" },
    { role: "assistant", text: "welcome" }
  )
  const thought = yield* Memory.commit(Thought.withSession(summed, session))
  yield* TestClock.adjust("1 minute")
  const fork = yield* Memory.commit(
    yield* Thought.append(yield* Thought.fork(thought, { traceId: "fork" }), "next", "n")
  )
  const other = yield* stored(
    "look",
    {
      found: { content: "found: card 4111", source: "seek", derivedFrom: [secret, amount] },
      tasks: { content: "tasks: card 4111", source: "survey", derivedFrom: [secret] },
      said: { content: "said of it", source: "recall", derivedFrom: [secret] }
    },
    { traceId: "look" }
  )
  const third = yield* stored(
    "far",
    { end: { content: "made of what was found", derivedFrom: [idOf(other, "found")] } },
    { traceId: "far" }
  )
  return { thought, fork, other, third, secret, amount }
})

const keysOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const all = (yield* archived()) as ReadonlyArray<{
    readonly notes: ReadonlyArray<{ readonly id: string; readonly key: string }>
  }>
  const keys = new Map(all.flatMap(({ notes }) => notes.map(({ id, key }) => [id, key] as const)))
  return ids.map((id) => keys.get(id) ?? id)
})

const redacted = (...args: Parameters<typeof Memory.redact>) => Effect.flatMap(Memory.redact(...args), keysOf)

const after = Effect.fnUntraced(function* (show: Parameters<Parameters<typeof scene>[1]>[0]["show"]) {
  yield* show("what is stored", archived())
  for (const traceId of ["pay", "fork", "look"]) yield* show(`the thought ${traceId}`, Memory.load({ traceId }))
  yield* show(
    "what is found",
    Effect.map(Memory.search("card 4111", { excludeSources: [] }), ({ arms, matches }) => [
      arms,
      matches.map(({ note }) => note.key)
    ])
  )
})

export const redactionScenes = [
  scene("Taking back a note and all that came of it", ({ show }) =>
    Effect.gen(function* () {
      const { fork, secret, thought } = yield* spread
      yield* Memory.flush
      yield* TestClock.adjust("1 hour")
      yield* show("redacted", redacted(secret))
      yield* after(show)
      yield* TestClock.adjust("1 hour")
      yield* show("once more", redacted({ id: secret }, { reach: "derived" }))
      yield* show(
        "a note derived from it",
        Memory.append(thought.id, [{ key: "k", content: "x", derivedFrom: [secret] }])
      )
      yield* show("another note", Memory.append(thought.id, [{ key: "k", content: "x" }]))
      yield* show("a run that has it still", Effect.flatMap(Thought.append(fork, "k", "x"), Memory.commit))
      const late = yield* Thought.append(yield* Memory.load(fork.id), "k", { content: "x", derivedFrom: [secret] })
      yield* show("a commit of a note derived from it", Memory.commit(late))
      yield* show(
        "a commit of a message that shows it",
        Effect.flatMap(Memory.load(fork.id), (loaded) =>
          Memory.commit(
            Thought.withSession(
              loaded,
              Session.append(loaded.session, { role: "user", text: "4111", carries: [secret] })
            )
          )
        )
      )
      yield* show(
        "the note once more, with its id",
        Memory.append(thought.id, [{ id: secret, key: "secret", content: "card 4111" }])
      )
    })
  ),
  scene("Taking back a note and its copies only", ({ show }) =>
    Effect.gen(function* () {
      const { secret } = yield* spread
      yield* TestClock.adjust("1 hour")
      yield* show("redacted", redacted(secret, { reach: "copies" }))
      yield* after(show)
      yield* TestClock.adjust("1 hour")
      yield* show("then all that came of it", redacted(secret))
      yield* show("what is stored at last", archived())
    })
  ),
  scene("Taking back what others came of, or nothing", ({ show }) =>
    Effect.gen(function* () {
      const { amount, other, secret } = yield* spread
      yield* show("what a search found", redacted(idOf(other, "found"), { reach: "copies" }))
      yield* show("a note that was summed up", redacted(amount))
      yield* show("a note that is unknown", Memory.redact("01890a5d-ac96-774b-bcce-b302099a8057"))
      yield* show("an id that is none", Memory.redact("no id"))
      yield* show("in another scope", inSecond(Memory.redact(secret)))
      yield* show("what is stored", archived())
    })
  ),
  scene("Taking back what only a message that was taken out stood for", ({ show }) =>
    Effect.gen(function* () {
      const { secret, thought } = yield* spread
      const removed = yield* Session.remove(yield* Session.remove(thought.session, 6), 4)
      const shorter = yield* Memory.commit(Thought.withSession(thought, removed))
      yield* show("before", Effect.succeed(Session.entries(shorter.session)))
      yield* Memory.append(thought.id, [
        { key: "of the summary", content: "a card", derivedFrom: [idOf(shorter, "summary")] }
      ])
      yield* show("redacted", redacted(secret, { reach: "copies" }))
      yield* show("then all that came of it", redacted(secret))
      yield* show("what is stored", archived({ thoughts: [thought.id] }))
    })
  ),
  scene("Archives of before and after", ({ show }) =>
    Effect.gen(function* () {
      const { secret } = yield* spread
      const before = yield* Stream.runCollect(Memory.exportLines())
      yield* TestClock.adjust("1 hour")
      yield* Memory.redact(secret, { reach: "copies" })
      const later = yield* Stream.runCollect(Memory.exportLines())
      yield* show("that of before is there already", Memory.importLines(Stream.fromIterable(before)))
      yield* show("that of after, elsewhere", inSecond(Memory.importLines(Stream.fromIterable(later))))
      yield* show("what is there then", inSecond(archived()))
      yield* show(
        "a note derived from it there",
        inSecond(Memory.append({ traceId: "pay" }, [{ key: "k", content: "x", derivedFrom: [secret] }]))
      )
      yield* show("that of before, beside it", inSecond(Memory.importLines(Stream.fromIterable(before))))
    })
  )
]
