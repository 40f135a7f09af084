/** Tells whether a text excludes what it names: "not the red one", "anything but red", "green instead of red". */

import { isBefore } from "./before.ts"

const negators = String.raw`(?:not|no|never|without|avoid|skip|leave\s+out|neither|nor|except(?:\s+for)?|excluding|other\s+than|instead\s+of|rather\s+than|any\w*(?:\s+\p{L}+)?\s+but|\p{L}+n['’]t)`
/** Words that may stand between, so that in "not warm in the red room" nothing excludes the room. */
const between =
  "(?:a|an|the|any|my|your|our|this|that|these|those|it|them|me|us|in|with|to|for|of|be|want|wanted|need|like|take|have|choose|pick|use|send|order|" +
  "buy|get|prefer|really|please|one|ones|either|both|colou?r|kind|sort|type|size)"
/** Another thing that is excluded before it: "not red or green". */
const others = String.raw`(?:(?:\p{L}+\s*,\s*){0,3}\p{L}+,?\s+(?:or|nor)\s+)`
const excludes = new RegExp(
  String.raw`(?<![\p{L}'’])${negators}\s+(?:${between}\s+){0,5}${others}?(?:${between}\s+){0,3}["“'‘]?$`,
  "iu"
)
/** What somebody must not forget is wanted, and "why not" and "if not" propose. */
const proposes = /\b(?:why|if|not\s+only|no\s+matter|no\s+problem)\b[^.!?;]*$/iu
const clause = /[.!?;](?=\s)|\n|\b(?:but|however|though|although)\b(?<!\bany\p{L}*(?:\s+\p{L}+)?\s+but\b)/giu
const longest = 120

/** What follows a thing that is not wanted. */
const unwanted = /(?:\s+ones?)?\s+(?:is|are|was|were)(?:\s+not|n['’]t)\s+(?:wanted|needed|what|for\s+me|right)\b/iuy
/** "No. 5" names a number. */
const numbering = /(?<=\bno\.?\s*)\d/iuy

/** Whether the text excludes what stands between two places. */
export const isExcluded = (text: string, start: number, end: number): boolean => {
  unwanted.lastIndex = end
  if (unwanted.test(text)) return true
  if (isBefore(numbering, text, start)) return false
  const before = text.slice(Math.max(0, start - longest), start)
  const boundary = Array.from(before.matchAll(clause)).at(-1)
  const said = boundary === undefined ? before : before.slice(boundary.index + boundary[0].length)
  return excludes.test(said) && !proposes.test(said)
}
