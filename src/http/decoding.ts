/** Forms that the answers of all servers share, read without trust in what they send. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Servers leave fields out or send null, as they like. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The value of a JSON text; undefined if the text is not JSON. */
export const parse = (text: string): unknown => Option.getOrUndefined(decodeText(text))
