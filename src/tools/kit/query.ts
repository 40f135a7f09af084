/** The parameters of tools that search. */
import * as Schema from "effect/Schema"

export const Query = Schema.Struct({
  query: Schema.String.annotate({ description: "What to look for, in a few words or a sentence" }),
  limit: Schema.optionalKey(Schema.Int.annotate({ description: "Most results" }))
})
export interface Query extends Schema.Schema.Type<typeof Query> {}

/** How many results a model gets: what it wants, within what the tool allows. */
export const limitOf = ({ limit }: Query, most: number): number => Math.max(1, Math.min(limit ?? most, most))
