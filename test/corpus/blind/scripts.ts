/** Other languages and scripts: their digits, punctuation, amounts, units, and dates. */
import { DateTime, Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Appointment, Counts, Invoice, Opinion, Person, Texts, Ticket } from "./schemas.ts"

const Measure = Schema.Struct({ name: Schema.String, weight: Schema.Finite })
const Stay = Schema.Struct({ hotel: Schema.String, nights: Schema.Int, breakfast: Schema.Boolean })

export const scripts: ReadonlyArray<Case> = [
  gives("full-width punctuation and quotes", Person, `｛＂name＂：＂王伟＂，＂age＂：34，＂city＂：null｝`, {
    name: "王伟",
    age: 34,
    city: null
  }),
  gives("full-width digits without quotes", Stay, `{"hotel": "富士屋", "nights": ３, "breakfast": true}`, {
    hotel: "富士屋",
    nights: 3,
    breakfast: true
  }),
  gives("Arabic digits without quotes", Person, `{"name": "ليلى", "age": ٣٤, "city": "القاهرة"}`, {
    name: "ليلى",
    age: 34,
    city: "القاهرة"
  }),
  gives("full-width colon and comma only", Counts, `{"苹果"：3，"梨"：12}`, { 苹果: 3, 梨: 12 }),
  gives("an Arabic comma between members", Counts, `{"تفاح": 3، "كمثرى": 4}`, { تفاح: 3, كمثرى: 4 }),
  gives("an ideographic comma between texts", Texts, `["春"、"夏"、"秋"、"冬"]`, ["春", "夏", "秋", "冬"]),
  gives(
    "a Spanish sentence before and after",
    Ticket,
    `Claro, aquí está el resultado:

{"title": "No puedo iniciar sesión", "priority": "high", "tags": ["acceso", "móvil"],}

¿Quieres que añada algo más?`,
    { title: "No puedo iniciar sesión", priority: "high", tags: ["acceso", "móvil"] }
  ),
  gives(
    "Russian words around a fence",
    Opinion,
    'Вот ответ:\n```json\n{"sentiment": "negative", "confidence": 0.8}\n```\nНадеюсь, это поможет.',
    {
      sentiment: "negative",
      confidence: 0.8
    }
  ),
  gives(
    "Japanese words around an answer",
    Stay,
    `承知しました。以下が結果です：{"hotel": "湯本", "nights": "2", "breakfast": "true"}以上です。`,
    {
      hotel: "湯本",
      nights: 2,
      breakfast: true
    }
  ),
  gives(
    "digits of a text that stays a text",
    Schema.Struct({ phone: Schema.String, zip: Schema.String }),
    `{'phone': '٠١٠ ٢٣٤', 'zip': '０１２３'}`,
    {
      phone: "٠١٠ ٢٣٤",
      zip: "０１２３"
    }
  ),
  gives(
    "a date in German words where a text was asked for",
    Schema.Struct({ due: Schema.String, paid: Schema.Boolean }),
    `{due: "3. März 2026", paid: False}`,
    {
      due: "3. März 2026",
      paid: false
    }
  ),
  gives(
    "an ISO date with a zone, in single quotes",
    Appointment,
    `{patient: 'Müller', at: '2026-03-04T09:30:00+01:00'}`,
    {
      patient: "Müller",
      at: DateTime.makeUnsafe("2026-03-04T08:30:00Z")
    }
  ),
  gives("an amount as it is printed, as a text", Schema.Struct({ printed: Schema.String }), `{printed: "1.234,56 €"}`, {
    printed: "1.234,56 €"
  }),
  gives(
    "Hebrew, with marks of direction around the answer",
    Person,
    `\u200f{"name": "דנה", "age": 29, "city": "חיפה"}\u200f`,
    {
      name: "דנה",
      age: 29,
      city: "חיפה"
    }
  ),
  givesLossily("a decimal comma in a text", Measure, `{"name": "Mehl", "weight": "12,5"}`, {
    name: "Mehl",
    weight: 12.5
  }),
  givesLossily(
    "a German amount with its sign",
    Invoice,
    `{"number": "R-1", "total": "1.234,56 €", "currency": "EUR", "paid": true}`,
    {
      number: "R-1",
      total: 1234.56,
      currency: "EUR",
      paid: true
    }
  ),
  givesLossily("thousands with blanks, as in French", Counts, `{"habitants": "12 345 678"}`, { habitants: 12345678 }),
  givesLossily("thousands with commas", Counts, `{"population": "1,204,310"}`, { population: 1204310 }),
  givesLossily("a number with its unit", Measure, `{"name": "Parcel", "weight": "2.4 kg"}`, {
    name: "Parcel",
    weight: 2.4
  }),
  givesLossily(
    "about, with a percentage, for a share",
    Opinion,
    `{"sentiment": "positive", "confidence": "about 85%"}`,
    {
      sentiment: "positive",
      confidence: 0.85
    }
  ),
  givesLossily("yes in German for a boolean", Stay, `{"hotel": "Sacher", "nights": 2, "breakfast": "ja"}`, {
    hotel: "Sacher",
    nights: 2,
    breakfast: true
  }),
  rejects("two units for one number", Measure, `{"name": "Parcel", "weight": "2 kg or 5 lb"}`),
  rejects("a range in words", Stay, `{"hotel": "Sacher", "nights": "zwei bis drei", "breakfast": true}`),
  rejects("a date that does not exist", Appointment, `{"patient": "Müller", "at": "31.02.2026"}`),
  rejects("a day without a date", Appointment, `{"patient": "Müller", "at": "nächsten Dienstag"}`),
  rejects("perhaps for a boolean, in Spanish", Stay, `{"hotel": "Alfonso", "nights": 1, "breakfast": "quizás"}`),
  rejects("a number of more than one person in Chinese prose", Person, `张三今年34岁，李四今年36岁，都住在北京。`)
]
