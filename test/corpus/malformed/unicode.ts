import { gives, rejects, type Case } from "./case.ts"
import { Contact, Review, Tags, Ticket } from "./schemas.ts"

/** Text that is not ASCII, and marks that nobody sees. */
export const unicode: ReadonlyArray<Case> = [
  gives(
    "emoji in and around the value",
    Review,
    "✅ Done! 🎉\n{'sentiment': 'positive', 'stars': 5, 'summary': 'Best pizza ever 🍕👨‍🍳'}\n🙌",
    { sentiment: "positive", stars: 5, summary: "Best pizza ever 🍕👨‍🍳" }
  ),
  gives(
    "Chinese text and punctuation",
    Ticket,
    "以下是结果：\n{'title': '无法登录，请帮忙', 'priority': 'high', 'urgent': True}",
    { title: "无法登录，请帮忙", priority: "high", urgent: true }
  ),
  gives("text from right to left", Contact, "{'full_name': 'ליאת כהן', 'email': 'liat@cohen.example',}", {
    full_name: "ליאת כהן",
    email: "liat@cohen.example"
  }),
  gives("a letter with a mark of its own stays as it is", Tags, "['cafe\u0301', 'na\u00efve']", [
    "cafe\u0301",
    "na\u00efve"
  ]),
  gives(
    "a byte order mark before the value",
    Ticket,
    '\ufeff{"title": "Import fails", "priority": "medium", "urgent": false}',
    { title: "Import fails", priority: "medium", urgent: false }
  ),
  gives(
    "zero width spaces around the value",
    Ticket,
    '\u200b{"title": "Import fails", "priority": "medium", "urgent": false}\u200b',
    { title: "Import fails", priority: "medium", urgent: false }
  ),
  gives(
    "spaces that do not break, between tokens",
    Ticket,
    '{\u00a0"title":\u00a0"Import fails",\n\u00a0\u00a0"priority":\u00a0"low",\n\u00a0\u00a0"urgent":\u00a0false }',
    { title: "Import fails", priority: "low", urgent: false }
  ),
  gives("spaces that do not break, in a string", Tags, "['10\u00a0km', 'hike']", ["10\u00a0km", "hike"]),
  gives("colons and commas of full width", Ticket, '{"title"："Import fails"，"priority"："low"，"urgent"：false}', {
    title: "Import fails",
    priority: "low",
    urgent: false
  }),
  rejects("a choice in another language", Ticket, '{"title": "Import fails", "priority": "élevée", "urgent": true}')
]
