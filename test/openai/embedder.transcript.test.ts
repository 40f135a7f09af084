import { it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenAi } from "cogito/openai"
import { told, wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { type Answer, reply } from "./server.ts"

const house = { model: "house-1", apiKey: "sk-house-key", baseUrl: "https://model.test/v1", dimensions: 2 }
const vectorOf = (text: string) => [text.length, 0.5]

/** Answers as an embeddings server does, changed as a scenario says. */
const embedding =
  (change: (data: ReadonlyArray<any>) => unknown = (data) => data, length = 2): Answer =>
  (response, incoming, { body, ...rest }) => {
    const data = (body.input as ReadonlyArray<string>).map((text, index) => {
      const vector = [...vectorOf(text), ...Array.from({ length: length - 2 }, () => 0)]
      const packed = Buffer.from(Float32Array.from(vector).buffer).toString("base64")
      return { object: "embedding", index, embedding: body.encoding_format === "base64" ? packed : vector }
    })
    reply(200, { object: "list", data: change(data), usage: { prompt_tokens: 1 } })(response, incoming, {
      body,
      ...rest
    })
  }

const errorOf = (error: unknown) =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  error._tag === "EmbedderError" &&
  error instanceof Error
    ? Object.assign({}, error, { message: error.message, cause: told(error.cause) })
    : told(error)

/** What is sent for texts, long lists in short, and what comes of it. */
const embedded = (
  texts: ReadonlyArray<string>,
  options: Partial<OpenAi.EmbedderOptions> = {},
  answer: Answer = embedding()
) =>
  Effect.map(
    wire(answer, (fetch) =>
      Effect.flatMap(OpenAi.makeEmbedder({ ...house, fetch, ...options }), (embedder) =>
        Effect.map(embedder.embedMany(texts), (vectors) => ({
          ...embedder,
          embedMany: undefined,
          vectors:
            vectors.length * (vectors[0]?.length ?? 0) > 99 || vectors.length > 9
              ? `${vectors.length} of ${vectors[0]?.length}`
              : vectors
        }))
      ).pipe(Effect.mapError((error) => ({ failed: errorOf(error) })))
    ),
    ({ outcome, sent }) => ({
      sent: sent.map(({ body, path }) => {
        const input = body["input"] as ReadonlyArray<string>
        return {
          path,
          ...body,
          input: input.length > 9 ? `${input.length} texts, from ${input[0]?.slice(0, 6)} on` : input
        }
      }),
      outcome
    })
  )

const numbered = (count: number, length = 6) => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, "x"))

it.effect("what is sent to be embedded, and what comes of it", () =>
  transcribe("embedder", {
    "Two texts, and an empty one": embedded(["one", "", "three"]),
    "No texts": embedded([]),
    "Another id, longest input and counting": embedded(["a"], {
      id: "space-1",
      maxTokens: 77,
      countTokens: (text) => text.length
    }),
    "Answers in another order": embedded(
      ["one", "three"],
      {},
      embedding((data) => data.toReversed())
    ),
    "At most 2048 texts in a request": embedded(numbered(2049)),
    "At most 300,000 tokens in a request, as they are counted": embedded(["a", "b", "c", "d"], {
      countTokens: (text) => ({ a: 150_000, b: 150_000, c: 1, d: 299_999 })[text] ?? 0
    }),
    "Fewer tokens where they are estimated": embedded(numbered(20, 80_000).slice(0, 20)),
    "A model with a length of its own, and one that is asked for another": Effect.all({
      small: embedded(["a"], { model: "text-embedding-3-small", dimensions: 3 }, embedding(undefined, 3)),
      large: embedded(
        ["a"],
        { model: "text-embedding-3-large", dimensions: undefined } as never,
        embedding(undefined, 3072)
      ),
      ada: embedded(
        ["a"],
        { model: "text-embedding-ada-002", dimensions: undefined } as never,
        embedding(undefined, 1536)
      )
    }),
    "OpenAI itself, whose vectors are packed": embedded(["one", "three"], { baseUrl: "https://api.openai.com/v1" }),
    "Headers and a time": Effect.map(
      wire(embedding(), (fetch) =>
        Effect.flatMap(
          OpenAi.makeEmbedder({ ...house, headers: { "x-team": "blue" }, timeout: "7 seconds", fetch }),
          (embedder) => embedder.embedMany(["a"])
        )
      ),
      ({ sent }) => sent[0]?.headers
    ),
    "Lengths that are none": Effect.all(
      Object.fromEntries(
        [undefined, 0, 1.5].map((dimensions) => [String(dimensions), embedded(["a"], { dimensions } as never)])
      )
    ),
    "A vector of another length": embedded(
      ["a", "b"],
      {},
      embedding((data) => data, 4)
    ),
    "A vector too few": embedded(
      ["a", "b"],
      {},
      embedding((data) => data.slice(1))
    ),
    "A vector twice": embedded(
      ["a", "b"],
      {},
      embedding(([one]) => [one, one])
    ),
    "An index that is none": embedded(
      ["a", "b"],
      {},
      embedding((data) => data.map((one) => ({ ...one, index: 2 })))
    ),
    "No list": embedded(
      ["a"],
      {},
      embedding(() => "none")
    ),
    "Numbers that are none": embedded(
      ["a"],
      {},
      embedding((data) => data.map((one) => ({ ...one, embedding: ["a", "b"] })))
    ),
    "Packed numbers that are invalid": embedded(
      ["a"],
      {},
      embedding((data) => data.map((one) => ({ ...one, embedding: "AAA" })))
    ),
    "A failure, which is not tried again": embedded(
      ["a"],
      {},
      reply(429, { error: { code: "rate_limit_exceeded" } }, { "retry-after": "7", "x-request-id": "req-9" })
    ),
    "A failure of the second request": Effect.suspend(() => {
      let calls = 0
      return embedded(["a", "b"], { countTokens: () => 200_000 }, (response, incoming, sent) =>
        (++calls === 1 ? embedding() : reply(401, { error: {} }))(response, incoming, sent)
      )
    }),
    "An error in a good answer": embedded(["a"], { id: "space-2" }, reply(200, { error: { code: "tokens" } }))
  })
)
