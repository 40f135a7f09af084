import { DateTime, Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Meeting, Order, Ticket } from "./schemas.ts"

const Person = Schema.Struct({ firstName: Schema.String, yearOfBirth: Schema.Int })

/** Keys that are the right words, written otherwise. */
export const keyCase: ReadonlyArray<Case> = [
  gives(
    "camel case where snake case is asked for",
    Contact,
    '{"fullName": "Nora Feld", "email": "nora@feld.example", "phoneNumber": "0171 5550"}',
    { full_name: "Nora Feld", email: "nora@feld.example", phone_number: "0171 5550" }
  ),
  gives("snake case where camel case is asked for", Person, '{"first_name": "Tariq", "year_of_birth": 1984}', {
    firstName: "Tariq",
    yearOfBirth: 1984
  }),
  gives("spaces and capitals", Person, '{"First Name": "Tariq", "Year of Birth": 1984}', {
    firstName: "Tariq",
    yearOfBirth: 1984
  }),
  gives("hyphens", Contact, '{"full-name": "Nora Feld", "email": "nora@feld.example"}', {
    full_name: "Nora Feld",
    email: "nora@feld.example"
  }),
  gives("capitals", Ticket, '{"TITLE": "Elevator stuck", "PRIORITY": "high", "URGENT": true}', {
    title: "Elevator stuck",
    priority: "high",
    urgent: true
  }),
  gives("Pascal case", Meeting, '{"Title": "Tasting", "StartsAt": "2026-09-12T17:00:00Z", "Attendees": ["Noor"]}', {
    title: "Tasting",
    starts_at: DateTime.makeUnsafe("2026-09-12T17:00:00Z"),
    attendees: ["Noor"]
  }),
  gives(
    "nested keys",
    Order,
    '{"orderId": "F-1", "items": [{"SKU": "LAMP", "Quantity": 1, "unitPrice": 49}], "shipping": {"City": "Graz", "postalCode": "8010"}}',
    {
      order_id: "F-1",
      items: [{ sku: "LAMP", quantity: 1, unit_price: 49 }],
      shipping: { city: "Graz", postal_code: "8010" }
    }
  ),
  gives("white space around a key", Ticket, '{" title": "Elevator stuck", "priority ": "high", "urgent": true}', {
    title: "Elevator stuck",
    priority: "high",
    urgent: true
  }),
  rejects(
    "the right key beside one that is like it and differs in value",
    Contact,
    '{"fullName": "N. Feld", "full_name": "Nora Feld", "email": "nora@feld.example",}'
  ),
  rejects(
    "two keys that are both like it and differ in value",
    Contact,
    '{"fullName": "N. Feld", "FullName": "Nora Feld", "email": "nora@feld.example"}'
  ),
  rejects("a key of another meaning", Ticket, '{"headline": "Elevator stuck", "priority": "high", "urgent": true}'),
  rejects("keys in another language", Ticket, '{"titel": "Aufzug steckt fest", "dringlichkeit": "high", "eilig": true}')
]
