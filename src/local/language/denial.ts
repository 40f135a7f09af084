/** Finds clauses that deny something bad, such as "no crash" or "I was not charged twice". The encoder hardly notices negation. */

const auxiliary = "(?:do|does|did|is|are|was|were|has|have|had)n['’]?t"
const negator = `(?:not|no|never|nothing|without|neither|nor|none|hardly|${auxiliary})`
const trouble =
  "(?:errors?|crash(?:e[sd]|ing)?|failures?|faults?|faulty|bugs?|broken|breaks?|breaking|outages?|problems?|issues?|trouble|wrong|slow|lost|missing|damaged|" +
  "defective|delay(?:s|ed)?|late|complaints?|complaining|angry|upset|annoyed|unhappy|disappointed|furious|mad|worried|hacked|stolen|hurry|rush|urgent|" +
  "urgency|emergency|critical|pressing|charged (?:twice|two times|double|again|too much)|double[- ](?:charged|billed)|over(?:charged|billed))"
// words that may stand between, so that "did not solve the problem" denies nothing bad
const between =
  "(?:a|an|any|the|at|all|been|be|being|is|was|were|are|have|has|had|having|it|that|this|really|actually|even|so|very|too|here|of|more|further|see|seen|" +
  "seeing|in|sort|kind|single|other|longer)"
const denial = new RegExp(String.raw`\b${negator}(?:\s+${between}){0,4}\s+${trouble}\b`, "iu")
// what somebody does not want to do: "cannot cancel" is another matter
const intent =
  /(?:\b(?:not|never)|n['’]?t)\s+(?:really |actually )?(?:want|wish|intend|plan|mean|going|trying|planning|looking|here)\s+to\s+(?:cancel|leave|complain|switch|return|sue|be rude)/iu
const reproach = /\b(?:why|how)\b[^?]*\?/iu

const boundary = /(?<=[.!?;,:])\s+|\s+(?=(?:but|however|although|though|yet|and|what)\s)/u

/** The clauses of a text. */
export const clausesOf = (text: string): ReadonlyArray<string> => text.split(boundary)

/** Whether a clause says that something bad is not so. */
const denies = (clause: string): boolean => (denial.test(clause) || intent.test(clause)) && !reproach.test(clause)

/** The text without its clauses that deny something bad. */
export const withoutDenials = (text: string): string => {
  const parts = clausesOf(text)
  const kept = parts.filter((part) => !denies(part))
  return kept.length === parts.length ? text : kept.join(" ").trim()
}

const negatives = "(?:not|no|never|nobody|nothing|none|neither|nor|cannot|without|[a-z]+n['’]t)"
const asks =
  /^(?:does|have|been|will|would|should|could|with|that|this|what|when|where|which|from|about|somebody|someone|anybody|anyone|customer|message|text)$/u

/** Whether a text denies, by its words, what a question asks about: "no pain" for "Is there any pain?". */
export const deniesTopic = (text: string, question: string): boolean =>
  (question.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
    .filter((word) => !asks.test(word))
    .map((word) => word.replace(/(?:ing|ed|es|s)$/u, ""))
    .some((stem) => stem.length > 2 && new RegExp(`\\b${negatives}\\s+(?:\\w+\\s+){0,2}${stem}`, "iu").test(text))
