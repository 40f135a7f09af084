/** Forms that several classes ask for. */
import { Schema } from "effect"

export const Sentiment = Schema.Literals(["positive", "negative", "neutral", "mixed"])

export const Person = Schema.Struct({ name: Schema.String, age: Schema.Int, city: Schema.NullOr(Schema.String) })

export const Invoice = Schema.Struct({
  number: Schema.String,
  total: Schema.Finite,
  currency: Schema.Literals(["EUR", "USD", "GBP"]),
  paid: Schema.Boolean
})

export const Ticket = Schema.Struct({
  title: Schema.String,
  priority: Schema.Literals(["low", "medium", "high", "urgent"]),
  tags: Schema.Array(Schema.String)
})

export const Triage = Schema.Struct({
  level: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  complaint: Schema.String,
  redFlags: Schema.Array(Schema.String),
  ambulance: Schema.Boolean
})

export const Finding = Schema.Struct({
  file: Schema.String,
  line: Schema.Int,
  severity: Schema.Literals(["info", "warning", "error"]),
  message: Schema.String
})

export const Review = Schema.Struct({
  verdict: Schema.Literals(["approve", "request_changes", "comment"]),
  findings: Schema.Array(Finding)
})

export const Flight = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  passengers: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  cabin: Schema.optionalKey(Schema.Literals(["economy", "business", "first"]))
})

export const Clause = Schema.Struct({
  section: Schema.String,
  summary: Schema.String,
  binding: Schema.Boolean,
  note: Schema.optionalKey(Schema.String)
})

export const Opinion = Schema.Struct({
  sentiment: Sentiment,
  confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
})

export const Ingredient = Schema.Struct({ item: Schema.String, amount: Schema.Finite, unit: Schema.String })

export const Plan = Schema.Struct({
  goal: Schema.String,
  steps: Schema.Array(Schema.Struct({ action: Schema.String, minutes: Schema.Int }))
})

export const Appointment = Schema.Struct({ patient: Schema.String, at: Schema.DateTimeUtcFromString })

export interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}

export const Tree: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

export const Glossary = Schema.Record(Schema.String, Schema.String)

export const Counts = Schema.Record(Schema.String, Schema.Int)

export const Texts = Schema.Array(Schema.String)
