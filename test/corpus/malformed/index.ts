/**
 * Answers as language models write them, with the schema that was asked for and what a careful reader takes from them.
 * Where readers may differ the expectation is that nothing is taken. All were written for this corpus.
 */
import type { Case } from "./case.ts"
import { commas } from "./commas.ts"
import { comments } from "./comments.ts"
import { dates } from "./dates.ts"
import { duplicates } from "./duplicates.ts"
import { enums } from "./enums.ts"
import { escapes } from "./escapes.ts"
import { fences } from "./fences.ts"
import { javascript } from "./javascript.ts"
import { keyCase } from "./keyCase.ts"
import { keys } from "./keys.ts"
import { lines } from "./lines.ts"
import { lists } from "./lists.ts"
import { markup } from "./markup.ts"
import { mixed } from "./mixed.ts"
import { nested } from "./nested.ts"
import { nothing } from "./nothing.ts"
import { numbers } from "./numbers.ts"
import { prose } from "./prose.ts"
import { prototype } from "./prototype.ts"
import { python } from "./python.ts"
import { quotes } from "./quotes.ts"
import { sequences } from "./sequences.ts"
import { stringly } from "./stringly.ts"
import { thinking } from "./thinking.ts"
import { truncation } from "./truncation.ts"
import { unicode } from "./unicode.ts"
import { unions } from "./unions.ts"
import { unquoted } from "./unquoted.ts"
import { wrappers } from "./wrappers.ts"

export type { Case } from "./case.ts"

export const categories = {
  fences,
  prose,
  comments,
  commas,
  quotes,
  python,
  javascript,
  unquoted,
  truncation,
  thinking,
  wrappers,
  keyCase,
  stringly,
  enums,
  lists,
  keys,
  dates,
  nested,
  unions,
  unicode,
  escapes,
  numbers,
  duplicates,
  prototype,
  sequences,
  lines,
  markup,
  nothing,
  mixed
} as const satisfies Record<string, ReadonlyArray<Case>>
