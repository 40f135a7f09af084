import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { Synapse } from "cogito"
import { Local } from "../../src/local/index.ts"

const extract = <A>(schema: Schema.Codec<A, any>, text: string) =>
  Synapse.extract(schema, { prompt: "Extract what the message says.", repairs: 0 })(text)

/** The failure, which must be that of a model that knows that it cannot answer. */
const refused = (schema: Schema.Codec<any, any>, text: string) =>
  Effect.map(Effect.flip(extract(schema, text)), (error) => {
    assert.strictEqual(error._tag, "ProviderError")
    assert.ok(error._tag === "ProviderError")
    assert.strictEqual(error.reason._tag, "Unsupported")
    return error.message
  })

const Invoice = Schema.Struct({ dueDate: Schema.Date })

layer(Local.extractive)("dates and patterns of the offline model", (it) => {
  const written: ReadonlyArray<readonly [string, string]> = [
    ["The invoice is due on 2024-05-01.", "2024-05-01T00:00:00.000Z"],
    ["The invoice is due on May 1st, 2024.", "2024-05-01T00:00:00.000Z"],
    ["The invoice is due on 1 May 2024, please pay.", "2024-05-01T00:00:00.000Z"],
    ["The invoice is due at 2024-05-01T10:30:00+02:00.", "2024-05-01T08:30:00.000Z"],
    ["The invoice is due at 2024-05-01T10:30Z, please pay.", "2024-05-01T10:30:00.000Z"]
  ]
  it.effect.each(written)("are read from %s", ([text, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* extract(Invoice, text)).dueDate.toISOString(), expected)
      const moments = Schema.Struct({ dueDate: Schema.DateTimeUtc, zoned: Schema.DateTimeZoned })
      const found = yield* extract(moments, text)
      assert.strictEqual(DateTime.formatIso(found.dueDate), expected)
      assert.strictEqual(DateTime.formatIso(found.zoned), expected)
    })
  )

  it.effect("are written as the format says, in lists too", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({
        dueDate: Schema.String.annotate({ format: "date" }),
        dates: Schema.Array(Schema.Date),
        paid: Schema.optionalKey(Schema.NullOr(Schema.Date))
      })
      const days = [new Date("2024-05-01"), new Date("2024-06-01")]
      const found = yield* extract(Form, "The first half is due on May 1st, 2024, the second half on 2024-06-01.")
      assert.oneOf(found.dueDate, ["2024-05-01", "2024-06-01"])
      assert.deepStrictEqual(found.dates, days)
      const none = yield* extract(Schema.Struct({ paid: Schema.NullOr(Schema.Date) }), "Nothing was paid.")
      assert.isNull(none.paid)
    })
  )

  const unfit: ReadonlyArray<readonly [string, Schema.Codec<any, any>, string]> = [
    ["a date without a year", Invoice, "The invoice is due on May 1st."],
    ["a date of unclear order", Invoice, "The invoice is due on 03/04/2024."],
    ["a day that no calendar has", Invoice, "The invoice is due on 2024-02-30."],
    ["no date", Invoice, "The invoice is due soon."],
    [
      "no span with the pattern",
      Schema.Struct({ dueDate: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)) }),
      "The invoice is due on May 1st, 2024."
    ],
    [
      "no span with all patterns",
      Schema.Struct({ dueDate: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/), Schema.isPattern(/^1/)) }),
      "The invoice is due on 2024-05-01."
    ],
    [
      "a date without the pattern",
      Schema.Struct({ dueDate: Schema.String.annotate({ format: "date" }).check(Schema.isPattern(/^1/)) }),
      "The invoice is due on 2024-05-01, 10 days from now."
    ],
    [
      "no span with a pattern that needs no flag",
      Schema.Struct({ dueDate: Schema.String.check(Schema.isPattern(new RegExp(String.raw`^\d{4}\-\d{2}$`))) }),
      "The invoice is due on May 1st, 2024."
    ]
  ]
  it.effect.each(unfit)("are not made up from %s", ([, schema, text]) =>
    Effect.map(refused(schema, text), (message) => {
      assert.include(message, '"dueDate"')
      assert.notInclude(message, "invoice is due")
    })
  )
})
