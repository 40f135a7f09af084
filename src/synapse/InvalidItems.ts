import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"

/**
 * A list cannot be ranked: it is empty, has an empty item, or has an item twice. Spaces and line breaks do not count.
 *
 * `keys` are those of the notes that the list was read from, if any, and `positions` those of the invalid items, from
 * 1. No call was made.
 *
 * @category errors
 */
export class InvalidItems extends Schema.TaggedError<InvalidItems>()("InvalidItems", {
  problem: Schema.Literals(["none", "empty", "duplicate"]),
  keys: Schema.Array(Schema.String),
  positions: Schema.Array(Schema.Int)
}) {
  override get message(): string {
    const from = this.keys.length === 0 ? "" : ` from ${this.keys.map(quoted).join(" and ")}`
    const at = this.positions.join(" and ")
    if (this.problem === "none") return `There are no items${from} to rank: give at least one, or leave out the step.`
    return this.problem === "empty"
      ? `Item ${at} of those${from} to rank is empty: leave it out.`
      : `Items ${at} of those${from} to rank are the same: give each one once.`
  }
}
