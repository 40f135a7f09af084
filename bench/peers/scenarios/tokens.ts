import assert from "node:assert/strict"
import { figure, ratio, type Results, type Scenario, type Start, times, whole } from "../harness/scenario.ts"
import { type Loopback, serve } from "../libraries/refund/loopback.ts"
import { long, type Outcome, outcome, replies, short, ticketReplies, tickets } from "../libraries/refund/task.ts"

interface Library {
  readonly refund: (message: string, baseUrl: string) => Promise<Outcome>
  readonly tickets?: (texts: ReadonlyArray<string>, baseUrl: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
}

const recorded = async (answers: ReadonlyArray<string>, use: (baseUrl: string) => Promise<void>) => {
  const server: Loopback = await serve(answers)
  try {
    await use(server.baseUrl)
    assert.equal(server.bodies.length, answers.length)
    return server.bodies
  } finally {
    server.close()
  }
}

const start =
  (library: () => Promise<Library>): Start =>
  async () => {
    const { count, total } = await import("../harness/tokens.ts")
    const program = await library()
    const refund = async (message: string) =>
      total(
        count(
          await recorded(replies, async (baseUrl) => assert.deepEqual(await program.refund(message, baseUrl), outcome))
        )
      )
    return async () => {
      const [ofShort, ofLong] = [await refund(short), await refund(long)]
      const figures = {
        shortSent: ofShort.sent,
        shortUncached: ofShort.uncached,
        longSent: ofLong.sent,
        longUncached: ofLong.uncached
      }
      const ofTickets = program.tickets
      if (ofTickets === undefined) return figures
      const bodies = await recorded([...ticketReplies, ...ticketReplies], async (baseUrl) => {
        const one = ["billing", true, false]
        assert.deepEqual(await ofTickets(tickets, baseUrl), [one, one])
      })
      const counts = count(bodies)
      const [first, second] = [total(counts.slice(0, 3)), total(counts.slice(3))]
      return { ...figures, firstUncached: first.uncached, secondSent: second.sent, secondUncached: second.uncached }
    }
  }

const subjects = {
  "AI SDK, chat history": start(() => import("../libraries/refund/aiSdk.ts")),
  "plain program, question first": start(() => import("../libraries/refund/plain.ts")),
  cogito: start(() => import("../libraries/refund/cogito.ts"))
}

const reference = "AI SDK, chat history"
const figures = ["shortSent", "shortUncached", "longSent", "longUncached"]

const goal = (results: Results, what: string, name: string, limit: number, beside = reference) => ({
  what,
  limit,
  measured: ratio(results, name, "cogito", beside),
  unit: " ×"
})

const report = (results: Results) => ({
  tables: [
    {
      name: "Input tokens of nine calls",
      columns: ["", "short: sent", "short: uncached", "long: sent", "long: uncached"],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        ...figures.map(
          (name) => `${whole(figure(results, subject, name))} (${times(ratio(results, name, subject, reference))})`
        )
      ])
    },
    {
      name: "Input tokens of two tickets under one policy",
      columns: ["", "first ticket: uncached", "second ticket: sent", "second ticket: uncached"],
      rows: [reference, "cogito"].map((subject) => [
        subject,
        ...["firstUncached", "secondSent", "secondUncached"].map(
          (name) => `${whole(figure(results, subject, name))} (${times(ratio(results, name, subject, reference))})`
        )
      ])
    }
  ],
  goals: [
    goal(results, "Tokens sent, short message, beside AI SDK", "shortSent", 1.2),
    goal(results, "Tokens sent, long message, beside AI SDK", "longSent", 1.2),
    goal(results, "Uncached tokens, short message, beside AI SDK", "shortUncached", 1),
    goal(results, "Uncached tokens, long message, beside AI SDK", "longUncached", 1),
    goal(
      results,
      "Uncached tokens, short message, beside the plain program",
      "shortUncached",
      0.35,
      "plain program, question first"
    ),
    goal(
      results,
      "Uncached tokens, long message, beside the plain program",
      "longUncached",
      0.35,
      "plain program, question first"
    ),
    goal(results, "Uncached tokens of a second ticket under the same policy, beside AI SDK", "secondUncached", 1.2)
  ]
})

export const scenario: Scenario = {
  method: `The program of [how context accumulates](context.md) without its summary: nine calls on one mail, once with the short message
of that page and once with about 1,500 tokens. The same answers come from a server on this machine, which keeps the bodies
that the real adapters send: \`cogito/openai\`, and \`@ai-sdk/openai\` for the other two, all by the Responses API. Each program
has to return the same values.

- Tokens are those of \`o200k_base\`: the name and the JSON Schema of the answer as compact JSON, the text of each message, and
  four more for each message.
- Uncached are those that OpenAI's prompt cache does not hold, by its rule: the cache holds the longest beginning that a request
  shares with an earlier one, if it has 1,024 tokens or more, in steps of 128. The schema comes before the messages.
- AI SDK keeps one chat in which every question and answer stays. The plain program puts the question first in each call, then
  the message and all results so far.
- Two tickets under one policy: three calls for each ticket, with about 5,000 tokens of rules that are equal for both; a trusted note in
  cogito, part of \`instructions\` in AI SDK. The second ticket finds in the cache what the first has left there.`,
  rounds: 5,
  quickRounds: 1,
  subjects,
  report
}
