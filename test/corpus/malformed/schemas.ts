/** What the models of this corpus are asked for. */
import { Schema } from "effect"

export const Ticket = Schema.Struct({
  title: Schema.String,
  priority: Schema.Literals(["low", "medium", "high"]),
  urgent: Schema.Boolean
})

export const Review = Schema.Struct({
  sentiment: Schema.Literals(["positive", "negative", "neutral", "mixed"]),
  stars: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  summary: Schema.String
})

export const Invoice = Schema.Struct({
  number: Schema.String,
  total: Schema.Finite,
  currency: Schema.Literals(["EUR", "USD", "GBP"]),
  paid: Schema.Boolean
})

export const Meeting = Schema.Struct({
  title: Schema.String,
  starts_at: Schema.DateTimeUtcFromString,
  attendees: Schema.Array(Schema.String)
})

export const Finding = Schema.Struct({
  file: Schema.String,
  line: Schema.Int,
  severity: Schema.Literals(["info", "warning", "error"]),
  message: Schema.String
})

export const CodeReview = Schema.Struct({ approved: Schema.Boolean, findings: Schema.Array(Finding) })

export const Contact = Schema.Struct({
  full_name: Schema.String,
  email: Schema.String,
  phone_number: Schema.optionalKey(Schema.String)
})

export const Decision = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  reasoning: Schema.Array(Schema.String)
})

export const Order = Schema.Struct({
  order_id: Schema.String,
  items: Schema.Array(
    Schema.Struct({
      sku: Schema.String,
      quantity: Schema.Int.check(Schema.isGreaterThan(0)),
      unit_price: Schema.Finite
    })
  ),
  shipping: Schema.Struct({ city: Schema.String, postal_code: Schema.String })
})

export const Action = Schema.Union([
  Schema.Struct({ type: Schema.Literal("refund"), amount: Schema.Finite }),
  Schema.Struct({ type: Schema.Literal("reply"), message: Schema.String }),
  Schema.Struct({ type: Schema.Literal("escalate"), team: Schema.String })
])

export const Snippet = Schema.Struct({ language: Schema.String, code: Schema.String })

export const Tags = Schema.Array(Schema.String)
