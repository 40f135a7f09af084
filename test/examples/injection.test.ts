import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import { Pipeline, type Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import {
  category,
  escalate,
  history,
  mood,
  taskId,
  ticket,
  triage,
  triageWithout
} from "../../examples/support-triage/pipeline.ts"
import { tickets } from "../../examples/support-triage/tickets.ts"

const commands = /ignore all previous instructions|administrator mode|do not escalate anything/i
const instructing = tickets.findIndex((text) => commands.test(text))
const others = tickets.map((text, index) => ({ text, index })).filter(({ index }) => index !== instructing)

/** A model whose answers depend on every byte that it is shown, apart from ids, fences and times. */
const model = () =>
  Testing.scripted((request) => {
    const seen = Hash.string(timeless(JSON.stringify(request.messages))) >>> 0
    const confidence = (seen % 100) / 100
    const reasoning = [`Seen ${seen}.`]
    switch (request.task.kind) {
      case "analyze":
        // the worst case: a model that takes over what the ticket says
        return { customer: textOf(request), issue: textOf(request), signals: [`${seen}`] }
      case "categorize":
        return { primary: seen % 2 === 0 ? "billing" : "technical", secondary: null, confidence, reasoning }
      case "assess": {
        const scores = { positive: confidence, negative: 1 - confidence, neutral: 0 }
        return { overall: "mixed", confidence, scores, emotions: [], reasoning }
      }
      case "decide":
        return { decision: seen % 2 === 0, confidence, reasoning }
      default:
        return `Looked back on ${seen}.`
    }
  })

const textOf = ({ task }: Provider.Request): string => task.context.find(({ key }) => key === "message")?.text ?? ""

const timeless = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "id").replaceAll(/(<\/?note) \d{6,}/g, "$1 fence")

/** The text of a message outside its notes. */
const outsideNotes = (text: string): string => text.replaceAll(/^<note (\d{6,}) [^]*?^<\/note \1>$/gm, "")

const start = (text: string, index: number) =>
  Thought.make("triage a support ticket", { message: text }, { taskId, traceId: `ticket-${index + 1}` })

const answersOf = (thought: Thought.Thought) =>
  thought.note(category.key) === undefined
    ? Effect.void
    : Effect.map(Thought.require(thought, [ticket, history, category, mood, escalate]), (known) => ({
        ticket: known.get("ticket"),
        history: known.get("history").matches.map(({ content, similarity }) => ({ content, similarity })),
        category: known.get("category"),
        mood: known.get("mood"),
        escalate: known.get("escalate"),
        summary: known.note("escalate_summary")?.content
      }))

describe("a ticket that instructs the model", () => {
  it.effect("is shown as a note only, in its own thought and in those that find it", () =>
    Effect.gen(function* () {
      assert.isAtLeast(instructing, 0)
      const { layer, requests } = model()
      // asked twice, so that the second one finds the first in the history
      const texts = [...tickets, tickets[instructing]!]
      yield* Effect.forEach(texts, (text, index) =>
        Effect.flatMap(start(text, index), (it) => Pipeline.run(triage, it))
      ).pipe(Effect.provide(Layer.merge(layer, Testing.memory)))
      const messages = requests.flatMap((request) => request.messages)
      const showing = messages.filter(({ role, text }) => role !== "assistant" && commands.test(text))
      assert.isAbove(showing.length, 5)
      for (const { role, text } of showing) {
        assert.strictEqual(role, "user")
        assert.notMatch(outsideNotes(text), commands)
      }
      const found = requests.at(-1)?.task.context.find(({ key }) => key === "history")
      assert.match(found?.text ?? "", commands)
    })
  )

  it.effect("changes nothing about other tickets that do not find it", () =>
    Effect.gen(function* () {
      const without = model()
      const answersWithout = yield* Effect.forEach(others, ({ index, text }) =>
        start(text, index).pipe(
          Effect.flatMap((thought) => Pipeline.run(triage, thought)),
          Effect.flatMap(answersOf)
        )
      ).pipe(Effect.provide(Layer.merge(without.layer, Testing.memory)))

      const beside = model()
      const instructed = yield* start(tickets[instructing]!, instructing)
      let asked = 0
      const answersBeside = yield* Effect.gen(function* () {
        yield* Pipeline.run(triage, instructed)
        asked = beside.requests.length
        return yield* Effect.forEach(others, ({ index, text }) =>
          start(text, index).pipe(
            Effect.flatMap((thought) => Pipeline.run(triageWithout(instructed.id), thought)),
            Effect.flatMap(answersOf)
          )
        )
      }).pipe(Effect.provide(Layer.merge(beside.layer, Testing.memory)))

      assert.isAbove(asked, 0)
      assert.deepStrictEqual(answersBeside, answersWithout)
      const sent = (requests: ReadonlyArray<Provider.Request>) =>
        requests.map((request) => timeless(JSON.stringify(request)))
      assert.deepStrictEqual(sent(beside.requests.slice(asked)), sent(without.requests))
      assert.isAbove(without.requests.length, 100)
    })
  )

  it.effect("would change others if they found it", () =>
    Effect.gen(function* () {
      const { layer, requests } = model()
      yield* Effect.forEach([instructing, instructing], (index, count) =>
        Effect.flatMap(start(tickets[index]!, count), (thought) => Pipeline.run(triage, thought))
      ).pipe(Effect.provide(Layer.merge(layer, Testing.memory)))
      const [first, second] = [requests.slice(0, 5), requests.slice(5)].map((part) => timeless(JSON.stringify(part)))
      assert.notStrictEqual(second, first)
    })
  )
})
