import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Invoice } from "./schemas.ts"

const Parcel = Schema.Struct({ tracking: Schema.String, grams: Schema.Int })

/** Numbers at the edges of what a number can hold. */
export const numbers: ReadonlyArray<Case> = [
  gives(
    "more digits than a number holds, where text is asked for",
    Parcel,
    '{"tracking": 9007199254740993, "grams": 450}',
    { tracking: "9007199254740993", grams: 450 }
  ),
  gives(
    "forty digits, where text is asked for",
    Parcel,
    "{tracking: 1234567890123456789012345678901234567890, grams: 450}",
    { tracking: "1234567890123456789012345678901234567890", grams: 450 }
  ),
  gives(
    "zeros at the end, where text is asked for",
    Schema.Struct({ version: Schema.String, build: Schema.Int }),
    "{'version': 1.10, 'build': 7}",
    { version: "1.10", build: 7 }
  ),
  gives("an exponent", Schema.Struct({ mass: Schema.Finite, unit: Schema.String }), "{mass: 5.97e24, unit: 'kg'}", {
    mass: 5.97e24,
    unit: "kg"
  }),
  gives("an integer written with a fraction of zero", Parcel, "{'tracking': 'PX', 'grams': 450.0}", {
    tracking: "PX",
    grams: 450
  }),
  gives(
    "the greatest integer that is exact",
    Schema.Struct({ id: Schema.Int, ok: Schema.Boolean }),
    "{'id': 9007199254740991, 'ok': True}",
    { id: 9007199254740991, ok: true }
  ),
  rejects("an integer that a number cannot hold", Parcel, '{"tracking": "PX", "grams": 9007199254740993}'),
  rejects("an integer in quotes that a number cannot hold", Parcel, '{"tracking": "PX", "grams": "9007199254740993"}'),
  rejects("a number beyond all numbers", Invoice, '{"number": "N", "total": 1e400, "currency": "EUR", "paid": false}'),
  rejects("two points", Invoice, '{"number": "N", "total": 1.2.3, "currency": "EUR", "paid": false}'),
  rejects("a unit after the number", Parcel, '{"tracking": "PX", "grams": "450 g or so"}')
]
