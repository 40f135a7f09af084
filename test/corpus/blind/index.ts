/** Answers written by somebody who had not read the parser. */
import type { Case } from "../malformed/case.ts"
import { amongWords } from "./amongWords.ts"
import { brackets } from "./brackets.ts"
import { cutOff } from "./cutOff.ts"
import { enums } from "./enums.ts"
import { gaps } from "./gaps.ts"
import { guesses } from "./guesses.ts"
import { keys } from "./keys.ts"
import { markdown } from "./markdown.ts"
import { noAnswer } from "./noAnswer.ts"
import { quotes } from "./quotes.ts"
import { residue } from "./residue.ts"
import { scripts } from "./scripts.ts"
import { separators } from "./separators.ts"
import { shapes } from "./shapes.ts"
import { syntaxes } from "./syntaxes.ts"
import { toolCalls } from "./toolCalls.ts"
import { validJson } from "./validJson.ts"

export const Categories: Readonly<Record<string, ReadonlyArray<Case>>> = {
  keys,
  gaps,
  "no-answer": noAnswer,
  enums,
  "cut-off": cutOff,
  brackets,
  quotes,
  separators,
  syntaxes,
  "among-words": amongWords,
  markdown,
  scripts,
  "tool-calls": toolCalls,
  shapes,
  "valid-json": validJson,
  residue,
  guesses
}
