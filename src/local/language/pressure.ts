/** How pressing a sentence is, by its words. */
import { closes, turns } from "./closing.ts"
import { withoutDenials } from "./denial.ts"
import { asks } from "./requests.ts"
import { calm, promptly, strongSigns, waiting } from "./signs.ts"

// "it closes right away" is not pressing, "close it right away" is
const isPrompt = (text: string): boolean => promptly.test(text) && asks(text)

/** An exclamation after more than a word or two, which may be a greeting. */
const exclaimed = /^\s*\S+\s+\S+\s+\S.*!["”)\s]*$/su
const emphasis = 0.5

/** Log-odds that a sentence is pressing, as far as its words show it: 0 if they show nothing. */
export const pressure = (sentence: string): number => {
  const text = withoutDenials(sentence)
  const strong = strongSigns(text) + (isPrompt(text) ? 1 : 0)
  const isMild = calm.test(sentence) || (closes(sentence) && !turns(sentence))
  if (isMild) return strong === 0 ? -2 : 0
  if (strong > 0) return Math.min(3, 1 + strong)
  return waiting.test(text) ? 1 : exclaimed.test(text) ? emphasis : 0
}

/** Whether the words of a sentence show urgency. */
export const isPressing = (sentence: string): boolean => pressure(sentence) > 0
