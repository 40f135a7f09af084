/** Decoding that all answers share, without trust in what servers send. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Servers may omit a field or send null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The value of a JSON text; undefined if the text is not JSON. */
export const parse = (text: string): unknown => Option.getOrUndefined(decodeText(text))
