import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"

/**
 * A list to be ranked is not one: it has no items, an empty one, or the same one twice (spaces and line breaks aside).
 *
 * `keys` are those of the notes that the list came from, where it came from notes; `positions` those of the items that
 * are wrong, from 1. No call was made.
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
