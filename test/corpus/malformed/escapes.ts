import { gives, rejects, type Case } from "./case.ts"
import { Review, Snippet, Tags, Ticket } from "./schemas.ts"

/** Escapes, right and wrong, in answers that need repair. */
export const escapes: ReadonlyArray<Case> = [
  gives("letters by number", Tags, String.raw`["caf\u00e9", "\u00fcber",]`, ["café", "über"]),
  gives("an emoji in two halves", Tags, String.raw`['\ud83d\ude80 launch', 'news']`, ["🚀 launch", "news"]),
  gives(
    "an escaped apostrophe",
    Review,
    String.raw`{"sentiment": "negative", "stars": 1, "summary": "It doesn\'t work."}`,
    { sentiment: "negative", stars: 1, summary: "It doesn't work." }
  ),
  gives(
    "an escaped apostrophe in single quotes",
    Review,
    String.raw`{'sentiment': 'mixed', 'stars': 3, 'summary': 'Can\'t complain, won\'t praise.'}`,
    { sentiment: "mixed", stars: 3, summary: "Can't complain, won't praise." }
  ),
  gives("a pattern whose backslashes are not escaped", Snippet, String.raw`{"language": "regex", "code": "\d+\.\d+"}`, {
    language: "regex",
    code: String.raw`\d+\.\d+`
  }),
  gives(
    "a dollar sign that is escaped for a shell",
    Ticket,
    String.raw`{"title": "Charged \$20 twice", "priority": "high", "urgent": true}`,
    { title: "Charged $20 twice", priority: "high", urgent: true }
  ),
  gives(
    "escapes that are right, in single quotes",
    Snippet,
    String.raw`{'language': 'text', 'code': 'a\tb\nc \\ d \"e\"'}`,
    { language: "text", code: 'a\tb\nc \\ d "e"' }
  ),
  gives(
    "underscores escaped for Markdown, in keys",
    Snippet,
    String.raw`{"language": "python", "code": "x = 1", "line\_count": 1}`,
    { language: "python", code: "x = 1" }
  ),
  gives(
    "a line that goes on after a backslash",
    Ticket,
    `{"title": "Screen goes \\
dark", "priority": "low", "urgent": false}`,
    { title: "Screen goes dark", priority: "low", urgent: false }
  ),
  rejects("cut inside an escape", Tags, String.raw`["caf\u00`)
]
