/** Which model answers in `cogito agent`, by the options and the environment. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { choose } from "../../../src/cli/agent/provider.ts"

const chosen = (
  env: Readonly<Record<string, string>>,
  { model, provider }: { readonly model?: string; readonly provider?: "openai" | "anthropic" | "local" } = {}
) =>
  Effect.provideService(
    choose({ model: Option.fromUndefinedOr(model), provider: Option.fromUndefinedOr(provider) }),
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env })
  )

const openai = { OPENAI_API_KEY: "sk-1" }
const anthropic = { ANTHROPIC_API_KEY: "sk-2" }

describe("the model that answers", () => {
  it.effect("is that of a key or a server in the environment, and of OpenAI where both are set", () =>
    Effect.gen(function* () {
      for (const [env, name] of [
        [openai, "openai"],
        [anthropic, "anthropic"],
        [{ ...openai, ...anthropic }, "openai"],
        [{ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, "openai"],
        [{ ANTHROPIC_BASE_URL: "http://127.0.0.1:1" }, "anthropic"],
        [{ OPENAI_API_KEY: " ", ...anthropic }, "anthropic"]
      ] as const) {
        assert.deepStrictEqual(yield* chosen(env), { name, isOffline: false, notice: undefined })
      }
    })
  )

  it.effect("is the one that --provider names, whatever the environment has", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* chosen(openai, { provider: "anthropic" }), { name: "anthropic", isOffline: false })
      const { isOffline, name, notice } = yield* chosen(openai, { provider: "local" })
      assert.deepStrictEqual([name, isOffline], ["local", true])
      assert.match(notice ?? "", /^the offline model/)
    })
  )

  it.effect("is the offline one without a key, which says why, and which has no --model", () =>
    Effect.gen(function* () {
      const { isOffline, name, notice } = yield* chosen({ OPENAI_API_KEY: "", ANTHROPIC_BASE_URL: " " })
      assert.deepStrictEqual([name, isOffline], ["local", true])
      assert.match(notice ?? "", /^Neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set: the offline model/)
      for (const provider of [undefined, "local"] as const) {
        const error = yield* Effect.flip(chosen({}, { model: "m", ...(provider && { provider }) }))
        assert.match(error.message, /^--model needs a model behind a key: set OPENAI_API_KEY or ANTHROPIC_API_KEY/)
      }
    })
  )
})
