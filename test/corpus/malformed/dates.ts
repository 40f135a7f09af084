import { DateTime, Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Meeting } from "./schemas.ts"

const Deadline = Schema.Struct({ task: Schema.String, due: Schema.DateTimeUtcFromString })
const at = DateTime.makeUnsafe

/** Dates in the text form of their schema, in answers that need repair. */
export const dates: ReadonlyArray<Case> = [
  gives("in single quotes", Deadline, "{'task': 'Renew passport', 'due': '2026-04-01T00:00:00Z'}", {
    task: "Renew passport",
    due: at("2026-04-01T00:00:00Z")
  }),
  gives("without quotes, in lines", Deadline, "{\n  task: Renew passport,\n  due: 2026-04-01T08:15:00Z\n}", {
    task: "Renew passport",
    due: at("2026-04-01T08:15:00Z")
  }),
  gives("with an offset", Deadline, '{"task": "Call the notary", "due": "2026-04-01T10:00:00+02:00",}', {
    task: "Call the notary",
    due: at("2026-04-01T08:00:00Z")
  }),
  gives(
    "with milliseconds, after prose",
    Meeting,
    'Here is the calendar entry. {"title": "Handover", "starts_at": "2026-11-02T09:00:00.500Z", "attendees": ["Uma"]}',
    { title: "Handover", starts_at: at("2026-11-02T09:00:00.500Z"), attendees: ["Uma"] }
  ),
  gives(
    "a schema of dates, by its own form",
    Schema.Struct({ published: Schema.Date }),
    "{published: '2025-12-24T12:00:00.000Z'}",
    { published: new Date("2025-12-24T12:00:00.000Z") }
  ),
  rejects("in words", Deadline, '{"task": "Renew passport", "due": "next Tuesday"}'),
  rejects("left open", Deadline, '{"task": "Renew passport", "due": "to be decided"}'),
  rejects("a month that does not exist", Deadline, '{"task": "Renew passport", "due": "2026-13-01T00:00:00Z",}'),
  rejects("an empty text", Deadline, '{"task": "Renew passport", "due": ""}')
]
