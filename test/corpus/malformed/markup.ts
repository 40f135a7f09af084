import { gives, givesLossily, rejects, type Case } from "./case.ts"
import { Decision, Invoice, Review, Snippet, Tags, Ticket } from "./schemas.ts"

/** Tags around the value, and the entities of HTML in it. */
export const markup: ReadonlyArray<Case> = [
  gives(
    "a tag around the value",
    Ticket,
    '<answer>{"title": "Door sensor", "priority": "low", "urgent": false}</answer>',
    { title: "Door sensor", priority: "low", urgent: false }
  ),
  gives(
    "tags in tags, on lines of their own",
    Review,
    `<response>
  <json>
    {"sentiment": "negative", "stars": 1, "summary": "Smells of glue."}
  </json>
</response>`,
    { sentiment: "negative", stars: 1, summary: "Smells of glue." }
  ),
  gives("a tag with attributes, as of tools", Tags, '<tool_call name="set_labels">\n["glue", "smell"]\n</tool_call>', [
    "glue",
    "smell"
  ]),
  gives(
    "a tag around a fence",
    Decision,
    '<output>\n```json\n{"decision": true, "confidence": 1, "reasoning": ["It is stated."]}\n```\n</output>',
    { decision: true, confidence: 1, reasoning: ["It is stated."] }
  ),
  gives(
    "a tag that is never closed",
    Ticket,
    '<result>\n{"title": "Door sensor", "priority": "low", "urgent": false}',
    { title: "Door sensor", priority: "low", urgent: false }
  ),
  gives(
    "a mark of the model's own format",
    Ticket,
    '<|assistant|>{"title": "Door sensor", "priority": "low", "urgent": false}<|end|>',
    { title: "Door sensor", priority: "low", urgent: false }
  ),
  gives(
    "entities in a string of valid JSON stay",
    Snippet,
    '{"language": "html", "code": "<p>Fish &amp; chips &quot;to go&quot;</p>"}',
    { language: "html", code: "<p>Fish &amp; chips &quot;to go&quot;</p>" }
  ),
  givesLossily(
    "quotes as entities",
    Ticket,
    "{&quot;title&quot;: &quot;Door sensor&quot;, &quot;priority&quot;: &quot;low&quot;, &quot;urgent&quot;: false}",
    { title: "Door sensor", priority: "low", urgent: false }
  ),
  givesLossily("quotes as entities by number, in a list", Tags, "[&#34;door&#34;, &#34;sensor&#34;]", [
    "door",
    "sensor"
  ]),
  rejects("tags and nothing in them", Invoice, "<answer></answer>"),
  rejects(
    "a page of an error in place of an answer",
    Ticket,
    "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"
  )
]
