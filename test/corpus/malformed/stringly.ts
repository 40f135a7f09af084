import { Schema } from "effect"
import { gives, givesLossily, rejects, type Case } from "./case.ts"
import { Decision, Invoice, Order, Review, Ticket } from "./schemas.ts"

const Stay = Schema.Struct({ nights: Schema.Int, price: Schema.Finite, breakfast: Schema.Boolean })
const Address = Schema.Struct({ street: Schema.String, house: Schema.String, postal_code: Schema.String })

/** Numbers and booleans as text, and the other way round. */
export const stringly: ReadonlyArray<Case> = [
  gives("numbers in quotes", Invoice, '{"number": "2026-44", "total": "3.5", "currency": "EUR", "paid": true}', {
    number: "2026-44",
    total: 3.5,
    currency: "EUR",
    paid: true
  }),
  gives("integers and booleans in quotes", Stay, '{"nights": "3", "price": "240", "breakfast": "true"}', {
    nights: 3,
    price: 240,
    breakfast: true
  }),
  gives(
    "booleans in quotes, with capitals",
    Ticket,
    '{"title": "Heating fails", "priority": "high", "urgent": "True"}',
    { title: "Heating fails", priority: "high", urgent: true }
  ),
  gives("false in quotes is false", Ticket, '{"title": "Paint peels", "priority": "low", "urgent": "FALSE"}', {
    title: "Paint peels",
    priority: "low",
    urgent: false
  }),
  gives("a negative number in quotes", Stay, '{"nights": 2, "price": "-15.75", "breakfast": false}', {
    nights: 2,
    price: -15.75,
    breakfast: false
  }),
  gives("a number in quotes with white space", Stay, '{"nights": " 4 ", "price": 99, "breakfast": false}', {
    nights: 4,
    price: 99,
    breakfast: false
  }),
  gives("numbers in quotes in a list", Schema.Array(Schema.Finite), '["1", "2.5", "-3"]', [1, 2.5, -3]),
  gives("numbers where text is asked for", Address, '{"street": "Rue Haute", "house": 12, "postal_code": 1000}', {
    street: "Rue Haute",
    house: "12",
    postal_code: "1000"
  }),
  gives(
    "a number with zeros before it where text is asked for",
    Address,
    '{"street": "Elm Street", "house": "9", "postal_code": 02139}',
    { street: "Elm Street", house: "9", postal_code: "02139" }
  ),
  givesLossily("yes for true", Stay, '{"nights": 2, "price": 180, "breakfast": "yes"}', {
    nights: 2,
    price: 180,
    breakfast: true
  }),
  givesLossily("No for false", Stay, '{"nights": 2, "price": 180, "breakfast": "No"}', {
    nights: 2,
    price: 180,
    breakfast: false
  }),
  givesLossily("a comma between thousands", Stay, '{"nights": 14, "price": "1,234", "breakfast": true}', {
    nights: 14,
    price: 1234,
    breakfast: true
  }),
  givesLossily("a sign of currency", Stay, '{"nights": 1, "price": "$12.50", "breakfast": false}', {
    nights: 1,
    price: 12.5,
    breakfast: false
  }),
  givesLossily("currency and thousands", Stay, '{"nights": 21, "price": "$2,310.00", "breakfast": true}', {
    nights: 21,
    price: 2310,
    breakfast: true
  }),
  givesLossily(
    "a sign of percent",
    Schema.Struct({ discount_percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })) }),
    '{"discount_percent": "42%"}',
    { discount_percent: 42 }
  ),
  givesLossily(
    "a fraction where an integer is asked for",
    Review,
    '{"sentiment": "positive", "stars": 3.8, "summary": "Nearly great."}',
    { sentiment: "positive", stars: 4, summary: "Nearly great." }
  ),
  rejects("a comma that may be a decimal one", Stay, '{"nights": 1, "price": "12,50", "breakfast": false}'),
  rejects("a range", Stay, '{"nights": "2-3", "price": 100, "breakfast": false}'),
  rejects("a number in words", Stay, '{"nights": "three", "price": 100, "breakfast": false}'),
  rejects("no number at all", Stay, '{"nights": 2, "price": "N/A", "breakfast": false}'),
  rejects("an empty text where a number is asked for", Stay, '{"nights": 2, "price": "", "breakfast": false}'),
  rejects("a boolean that is undecided", Stay, '{"nights": 2, "price": 100, "breakfast": "true or false"}'),
  rejects(
    "a number outside its range",
    Decision,
    '{"decision": true, "confidence": "9.5", "reasoning": ["Very clear."]}'
  ),
  rejects(
    "a quantity below its minimum",
    Order,
    '{"order_id": "G-3", "items": [{"sku": "SOAP", "quantity": "0", "unit_price": "2"}], "shipping": {"city": "Bari", "postal_code": "70121"}}'
  )
]
