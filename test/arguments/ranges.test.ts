import { assert, describe, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { Note } from "cogito"
import { checkSampling, checkText, checkWords, number, stepNamed, time, whole } from "../../src/arguments/checked.ts"

/** What a check returns for a value, or the message of its error. */
const outcome = (check: () => unknown): unknown => {
  try {
    return check()
  } catch (error) {
    return (error as Error).message
  }
}

describe("a number", () => {
  it("must be whole and at least the minimum, or the error names the option", () => {
    const refused = (least: number, value: number) => `Owner needs a whole number from ${least} as times, not ${value}.`
    for (const least of [0, 1, 2]) {
      for (const value of [least, least + 1, 1_000_000, Number.MAX_SAFE_INTEGER]) {
        assert.strictEqual(whole("Owner", "times", least, value), value)
      }
      for (const value of [least - 1, least + 0.5, NaN, Infinity, 2 ** 53]) {
        assert.strictEqual(
          outcome(() => whole("Owner", "times", least, value)),
          refused(least, value)
        )
      }
    }
  })

  it("may have a maximum, which the error names", () => {
    assert.strictEqual(whole("Owner", "limit", 1, 10, 10), 10)
    assert.strictEqual(
      outcome(() => whole("Owner", "limit", 1, 11, 10)),
      "Owner needs a whole number from 1 to 10 as limit, not 11."
    )
  })

  it("may be any number above its limit if it need not be whole", () => {
    for (const value of [0.001, 1, Infinity]) assert.strictEqual(number("Owner", "usd", 0, value), value)
    for (const value of [0, -1, NaN]) {
      assert.strictEqual(
        outcome(() => number("Owner", "usd", 0, value)),
        `Owner needs a number above 0 as usd, not ${value}.`
      )
    }
  })
})

describe("a time", () => {
  const accepted: ReadonlyArray<readonly [Duration.Input, millis: number]> = [
    [1, 1],
    ["1 milli", 1],
    ["2 seconds", 2_000],
    [Duration.minutes(1), 60_000]
  ]
  const refused: ReadonlyArray<unknown> = [0, "0 seconds", Duration.zero, -1, NaN, "soon", undefined, null]

  it("must be longer than zero and finite", () => {
    for (const [input, millis] of accepted) {
      assert.strictEqual(time("Owner", "base", input), millis)
    }
    for (const input of [...refused, Infinity, Duration.infinity] as ReadonlyArray<Duration.Input>) {
      assert.strictEqual(
        outcome(() => time("Owner", "base", input)),
        'Owner needs a finite time above 0, such as "5 seconds", as base.'
      )
    }
  })

  it("may be infinite if the option allows it", () => {
    const endless = { endless: true }
    for (const input of [Infinity, Duration.infinity]) {
      assert.strictEqual(time("Owner", "cap", input, endless), Infinity)
    }
    for (const input of refused as ReadonlyArray<Duration.Input>) {
      assert.strictEqual(
        outcome(() => time("Owner", "cap", input, endless)),
        'Owner needs a time above 0, such as "5 seconds", as cap.'
      )
    }
  })
})

describe("sampling", () => {
  it("may have any temperature from 0, and any whole number of tokens from 1", () => {
    for (const sampling of [{}, { maxTokens: 1 }, { temperature: 0 }, { maxTokens: 9, temperature: 1.5 }]) {
      assert.strictEqual(
        outcome(() => checkSampling("Owner", sampling)),
        undefined
      )
    }
    for (const maxTokens of [0, -1, 0.5, NaN, Infinity]) {
      assert.strictEqual(
        outcome(() => checkSampling("Owner", { maxTokens })),
        `Owner needs a whole number from 1 as sampling.maxTokens, not ${maxTokens}.`
      )
    }
    for (const temperature of [-0.1, NaN, Infinity]) {
      assert.strictEqual(
        outcome(() => checkSampling("Owner", { temperature })),
        `Owner needs a finite number from 0 as sampling.temperature, not ${temperature}.`
      )
    }
  })
})

describe("a text", () => {
  it("must not be blank, and may be a reader of notes where the option takes one", () => {
    const step = stepNamed("s")
    const reader = Note.from(Note.handle("message", Schema.String), (text) => text)
    for (const value of ["", " \n", undefined, 1, {}, reader]) {
      assert.strictEqual(
        outcome(() => checkText(step, "prompt", value)),
        'The step "s" needs a non-empty string as prompt.'
      )
      if (value === reader) continue
      assert.strictEqual(
        outcome(() => checkWords(step, "prompt", value)),
        'The step "s" needs a non-empty string or a reader of notes as prompt.'
      )
    }
    checkText(step, "prompt", "Why?")
    for (const value of ["Why?", reader]) checkWords(step, "prompt", value)
  })
})
