import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Tags, Ticket } from "./schemas.ts"

/** Keys that mean something to JavaScript. They are keys like all others, and change nothing. */
export const prototype: ReadonlyArray<Case> = [
  gives(
    "__proto__ as a key nobody asked for",
    Contact,
    `{'__proto__': {'phone_number': '666', 'admin': true}, 'full_name': 'Zoe', 'email': 'zoe@zoe.example'}`,
    { full_name: "Zoe", email: "zoe@zoe.example" }
  ),
  gives(
    "__proto__ in valid JSON",
    Contact,
    '{"full_name": "Zoe", "email": "zoe@zoe.example", "__proto__": {"phone_number": "666"}}',
    { full_name: "Zoe", email: "zoe@zoe.example" }
  ),
  gives(
    "constructor and prototype",
    Ticket,
    "{constructor: {prototype: {urgent: true}}, title: 'Odd keys', priority: 'low', urgent: false}",
    { title: "Odd keys", priority: "low", urgent: false }
  ),
  gives(
    "constructor as a key of a record",
    Schema.Record(Schema.String, Schema.Finite),
    "{'constructor': 3, 'toString': 4, 'walls': 5,}",
    { constructor: 3, toString: 4, walls: 5 }
  ),
  gives("such names as texts", Tags, "['__proto__', 'constructor']", ["__proto__", "constructor"]),
  rejects(
    "members that only a prototype would have",
    Ticket,
    `{"__proto__": {"title": "Inherited", "priority": "low", "urgent": false},}`
  ),
  rejects(
    "a missing key that every object inherits",
    Schema.Struct({ name: Schema.String, constructor: Schema.String }),
    "{'name': 'Brick Ltd.'}"
  )
]
