import { gives, rejects, type Case } from "./case.ts"
import { Decision, Review, Snippet, Tags, Ticket } from "./schemas.ts"

/** Blocks in which a model thinks aloud, with values that it then thinks better of. */
export const thinking: ReadonlyArray<Case> = [
  gives(
    "a block before the answer",
    Review,
    `<think>
The user complains about the lid but likes the taste. Mixed, three stars.
</think>
{"sentiment": "mixed", "stars": 3, "summary": "Great coffee, bad lid."}`,
    { sentiment: "mixed", stars: 3, summary: "Great coffee, bad lid." }
  ),
  gives(
    "a block with a decoy that fits",
    Ticket,
    `<think>
First idea: {"title": "Router reboots", "priority": "low", "urgent": false}
But they cannot work at all, so it must be high.
</think>

{"title": "Router reboots", "priority": "high", "urgent": true}`,
    { title: "Router reboots", priority: "high", urgent: true }
  ),
  gives(
    "a block under another name, with a decoy in a fence",
    Decision,
    `<thinking>
Maybe
\`\`\`json
{"decision": true, "confidence": 0.5, "reasoning": ["No rule against it."]}
\`\`\`
No, rule 4 applies.
</thinking>
\`\`\`json
{"decision": false, "confidence": 0.9, "reasoning": ["Rule 4 applies."]}
\`\`\``,
    { decision: false, confidence: 0.9, reasoning: ["Rule 4 applies."] }
  ),
  gives(
    "the end of a block whose beginning is not shown",
    Ticket,
    `The user seems annoyed. {"title": "Late parcel", "priority": "medium", "urgent": false} would be too mild.
</think>
{"title": "Late parcel", "priority": "high", "urgent": true}`,
    { title: "Late parcel", priority: "high", urgent: true }
  ),
  gives(
    "two blocks",
    Tags,
    `<think>["draft"]</think>
<think>["still a draft"]</think>
["heating", "landlord"]`,
    ["heating", "landlord"]
  ),
  gives("an empty block", Tags, '<think>\n\n</think>\n\n["visa", "travel"]', ["visa", "travel"]),
  gives(
    "the tag inside a string of the answer",
    Snippet,
    '{"language": "xml", "code": "<think>not a thought</think>",}',
    { language: "xml", code: "<think>not a thought</think>" }
  ),
  gives(
    "a block in capitals, with braces in it",
    Review,
    `<THINK>{ sentiment? stars? } hmm</THINK>
{"sentiment": "neutral", "stars": 3, "summary": "As described."}`,
    { sentiment: "neutral", stars: 3, summary: "As described." }
  ),
  rejects(
    "a block that never ends",
    Ticket,
    `<think>
They want a refund. Something like {"title": "Refund wanted", "priority": "medium", "urgent": false} perhaps, but first I`
  ),
  rejects(
    "a block and no answer after it",
    Ticket,
    `<think>
{"title": "Refund wanted", "priority": "medium", "urgent": false}
</think>
`
  ),
  rejects(
    "a block and a refusal after it",
    Decision,
    `<thinking>I could say {"decision": true, "confidence": 1, "reasoning": ["They asked."]}.</thinking>
I'm sorry, but I can't decide this for you.`
  )
]
