import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "../../examples/support-triage/options.ts"

const parsed = (line: string, environment: Record<string, string> = {}) =>
  parse(
    line.split(" ").filter((word) => word !== ""),
    environment
  )

describe("the options", () => {
  it.effect("are an offline job over the example's tickets when none is given", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parsed(""), {
        _tag: "Job",
        model: { _tag: "Extractive" },
        record: undefined,
        data: ".cogito/triage",
        file: undefined,
        limit: Number.POSITIVE_INFINITY,
        json: false
      })
    })
  )

  it.effect("say what is read, how much, and where notes are kept", () =>
    Effect.gen(function* () {
      const command = yield* parsed("--file=- --format csv --limit 12 --json --data notes")
      assert.deepInclude(command, { file: { path: "-", format: "csv" }, limit: 12, json: true, data: "notes" })
    })
  )

  it.effect("name a model, with key and server from the environment unless they are given", () =>
    Effect.gen(function* () {
      const environment = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: "http://a/v1" }
      const keyName = "OPENAI_API_KEY"
      const model = { _tag: "OpenAi", model: "gpt-5-mini", baseUrl: "http://a/v1", apiKey: "key", keyName } as const
      assert.deepInclude(yield* parsed("--provider openai", environment), { model })
      assert.deepInclude(yield* parsed("--provider openai --model m --base-url http://b/v1", environment), {
        model: { ...model, model: "m", baseUrl: "http://b/v1" }
      })
    })
  )

  it.effect("tell one vendor's key and server from the other's", () =>
    Effect.gen(function* () {
      const environment = { OPENAI_API_KEY: "theirs", OPENAI_BASE_URL: "http://a/v1", ANTHROPIC_API_KEY: "key" }
      const keyName = "ANTHROPIC_API_KEY"
      const model = { _tag: "Anthropic", model: "claude-sonnet-5-5", baseUrl: "", apiKey: "key", keyName } as const
      assert.deepInclude(yield* parsed("--provider anthropic", environment), { model })
      const elsewhere = { ...environment, ANTHROPIC_BASE_URL: "http://b" }
      assert.deepInclude(yield* parsed("--provider anthropic --model m", elsewhere), {
        model: { ...model, model: "m", baseUrl: "http://b" }
      })
    })
  )

  it.effect("name a file to record in, or one to replay", () =>
    Effect.gen(function* () {
      const record = "calls.json"
      assert.deepInclude(yield* parsed("--record calls.json"), { model: { _tag: "Extractive" }, record })
      assert.deepInclude(yield* parsed("--provider anthropic --record calls.json"), { record })
      const replayed = yield* parsed("--replay calls.json --limit 3")
      assert.deepInclude(replayed, { model: { _tag: "Replay", path: "calls.json" }, record: undefined, limit: 3 })
    })
  )

  it.effect("ask for a stored ticket, and for help", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parsed("--trace ticket-1 --json"), {
        _tag: "Trace",
        id: "ticket-1",
        data: ".cogito/triage",
        json: true
      })
      assert.deepStrictEqual(yield* parsed("-h"), { _tag: "Help" })
    })
  )

  const wrong: ReadonlyArray<readonly [line: string, why: RegExp]> = [
    ["--fast", /no option --fast/],
    ["-x", /no option -x/],
    ["tickets.csv", /"tickets\.csv" is not expected/],
    ["--json --json", /--json is given twice/],
    ["--json=yes", /--json takes no value/],
    ["--file", /--file needs a value/],
    ["--file --json", /--file needs a value/],
    ["--data=", /--data needs a value/],
    ["--provider gpt", /--provider is one of extractive, openai, anthropic/],
    ["--file x --format xml", /--format is one of text, jsonl, csv/],
    ["--format csv", /--format belongs to --file/],
    ["--limit 0", /--limit needs a whole number from 1/],
    ["--limit 1.5", /--limit needs/],
    ["--model m", /--model goes with --provider openai/],
    ["--base-url http://a", /--base-url goes with --provider openai or anthropic/],
    ["--provider anthropic --base-url http://a", /--base-url needs --model/],
    ["--replay r --provider openai", /--replay answers from a file and takes no --provider/],
    ["--replay r --record s", /--replay answers from a file and takes no --record/],
    ["--trace t --record r", /--trace .* takes no --record/],
    ["--provider openai --model m --base-url localhost:80", /--base-url needs an address/],
    ["--provider openai --base-url http://a/v1", /--base-url needs --model/],
    ["--trace t --limit 1", /--trace .* takes no --limit/]
  ]
  for (const [line, why] of wrong) {
    it.effect(`refuse ${line}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(parsed(line))
        assert.strictEqual(error._tag, "UsageError")
        assert.match(error.message, why)
      })
    )
  }
})
