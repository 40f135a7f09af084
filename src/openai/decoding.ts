/** Forms that the answers of all calls share, read without trust in what the server sends. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Usage } from "../Provider.ts"

/** Servers leave fields out or send null, as they like. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A number of tokens. */
export const Count = maybe(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The value of a JSON text; nothing if the text is not JSON. */
export const parse = (text: string): unknown => Option.getOrUndefined(decodeText(text))

/** The counts that are known. */
export const toCounts = (counts: { readonly [K in keyof Usage]: Usage[K] | null | undefined }): Usage =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => typeof count === "number"))
