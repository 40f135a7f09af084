import * as Note from "../../Note.ts"
import * as Primitive from "../../Primitive.ts"
import { define, type Definition } from "../model/define.ts"
import { count, maybe, Name, option, text } from "../model/parts.ts"
import { askingDefaults, calling, compactable, parsing, reasons, repairs, sampling, via } from "./asking.ts"

const amplify = define("amplify", {
  description: "Refines a note until it meets criteria.",
  fields: (parts) => ({
    key: option("Key of the note that is written.", Name),
    source: option("Key of the note of text that is refined.", parts.textHandle),
    refine: option("How to refine it.", text(parts)),
    criteria: option("When it is good enough.", text(parts)),
    rounds: maybe("Most rounds.", count(0)),
    checkSampling: maybe("Sampling wishes for the checks.", sampling),
    via,
    reasons,
    repairs,
    parsing,
    compact: compactable,
    ...calling(parts)
  }),
  defaults: { ...askingDefaults, rounds: 3 },
  build: ({ key, ...options }) => Primitive.amplify(key, options),
  handle: ({ key }) => Note.handle(key, Primitive.Amplification)
})

/** Steps that work on one note. */
export const refining: ReadonlyArray<Definition> = [amplify]
