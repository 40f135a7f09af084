/**
 * More malformed answers, of other schemas, in manners of their own. The parser was written beside the other ones and
 * before these: they tell whether it reads what it was not fitted to.
 */
import { DateTime, Schema } from "effect"
import { gives, givesLossily, rejects, type Case } from "./malformed/case.ts"

const fence = "```"
const longer = "````"

const Recipe = Schema.Struct({
  name: Schema.String,
  servings: Schema.Int,
  ingredients: Schema.Array(Schema.Struct({ item: Schema.String, grams: Schema.Finite })),
  vegetarian: Schema.Boolean
})
const Flight = Schema.Struct({
  carrier: Schema.String,
  flight_no: Schema.String,
  departs: Schema.DateTimeUtcFromString,
  cabin: Schema.Literals(["economy", "premium_economy", "business"])
})
const Expense = Schema.Struct({
  payee: Schema.String,
  amount: Schema.Finite,
  category: Schema.Literals(["travel", "meals", "software", "office"]),
  memo: Schema.optionalKey(Schema.String)
})
const Alert = Schema.Struct({
  host: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  threshold: Schema.Finite,
  firing: Schema.Boolean
})
const Screening = Schema.Struct({
  candidate: Schema.String,
  yearsOfExperience: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
  skills: Schema.Array(Schema.String),
  recommend: Schema.Boolean
})
const Clause = Schema.Struct({
  heading: Schema.String,
  risk: Schema.Literals(["none", "some", "grave"]),
  quote: Schema.String
})
const Translation = Schema.Struct({ source: Schema.String, target: Schema.String })
const Query = Schema.Struct({ sql: Schema.String, explanation: Schema.String })
const Plan = Schema.Struct({
  goal: Schema.String,
  steps: Schema.Array(Schema.Struct({ id: Schema.Int, action: Schema.String, depends_on: Schema.Array(Schema.Int) }))
})
const Shape = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("circle"), radius: Schema.Finite }),
  Schema.Struct({ kind: Schema.Literal("box"), width: Schema.Finite, height: Schema.Finite })
])
const Names = Schema.Array(Schema.String)
const Verdict = Schema.Literals(["approve", "reject", "escalate"])
const Scores = Schema.Record(Schema.String, Schema.Int)

const soup: typeof Recipe.Type = {
  name: "Leek soup",
  servings: 4,
  ingredients: [
    { item: "leek", grams: 500 },
    { item: "cream", grams: 120.5 }
  ],
  vegetarian: true
}
const lunch: typeof Expense.Type = { payee: "Trattoria Verde", amount: 46.8, category: "meals" }
const disk: typeof Alert.Type = { host: "db-03", metric: "disk_used", value: 91.5, threshold: 90, firing: true }

export const unseen: ReadonlyArray<Case> = [
  gives(
    "a fence inside a list item",
    Expense,
    `1. The expense:

   ${fence}json
   {
     "payee": "Trattoria Verde",
     "amount": 46.8,
     "category": "meals"
   }
   ${fence}

2. Nothing else was on the receipt.`,
    lunch
  ),
  gives(
    "a longer fence around a fence",
    Query,
    `${longer}json
{"sql": "select 1", "explanation": "Use ${fence}sql to show it."}
${longer}`,
    { sql: "select 1", explanation: "Use ```sql to show it." }
  ),
  gives(
    "a quotation mark of Markdown before every line",
    Alert,
    '> {\n>   "host": "db-03",\n>   "metric": "disk_used",\n>   "value": 91.5,\n>   "threshold": 90,\n>   "firing": true\n> }',
    disk
  ),
  gives(
    "everything as Python, over several lines, with comments",
    Recipe,
    `{
    'name': 'Leek soup',  # from grandma
    'servings': 4,
    'ingredients': [
        {'item': 'leek', 'grams': 500},
        {'item': 'cream', 'grams': 120.5},  # full fat
    ],
    'vegetarian': True,
}`,
    soup
  ),
  gives(
    "a wrapper, keys in Pascal case and numbers in quotes",
    Recipe,
    '{"Recipe": {"Name": "Leek soup", "Servings": "4", "Ingredients": [{"Item": "leek", "Grams": "500"}, {"Item": "cream", "Grams": "120.5"}], "Vegetarian": "true"}}',
    soup
  ),
  gives(
    "YAML with a list of objects",
    Recipe,
    `name: Leek soup
servings: 4
ingredients:
  - item: leek
    grams: 500
  - item: cream
    grams: 120.5
vegetarian: true`,
    soup
  ),
  gives(
    "no quotes at all, one line",
    Alert,
    "{host: db-03, metric: disk_used, value: 91.5, threshold: 90, firing: true}",
    disk
  ),
  gives(
    "a log line before it",
    Alert,
    `[2026-01-04 10:22:01] INFO {'host': 'db-03', 'metric': 'disk_used', 'value': 91.5, 'threshold': 90, 'firing': True}`,
    disk
  ),
  gives(
    "SQL in a string, with quotes of its own, unescaped",
    Query,
    '{"sql": "select "name" from users", "explanation": "All names."}',
    { sql: 'select "name" from users', explanation: "All names." }
  ),
  gives(
    "SQL with line breaks in backticks",
    Query,
    '{"sql": `select id\nfrom t\nwhere x = \'a\'`, "explanation": "Ids of a."}',
    { sql: "select id\nfrom t\nwhere x = 'a'", explanation: "Ids of a." }
  ),
  gives(
    "text with braces and colons in a string, single quotes",
    Query,
    `{'sql': 'select json_build_object("a": 1)', 'explanation': 'Gives {a: 1}.'}`,
    { sql: 'select json_build_object("a": 1)', explanation: "Gives {a: 1}." }
  ),
  gives(
    "dates with an offset, unquoted keys",
    Flight,
    "{carrier: 'KLM', flight_no: 'KL 1009', departs: '2026-08-14T07:05:00+02:00', cabin: 'Business'}",
    { carrier: "KLM", flight_no: "KL 1009", departs: DateTime.makeUnsafe("2026-08-14T05:05:00Z"), cabin: "business" }
  ),
  gives(
    "a number for a code, an enum with a space",
    Flight,
    '{"carrier": "Iberia", "flightNo": 3171, "departs": "2026-10-01T18:00:00Z", "cabin": "Premium Economy"}',
    {
      carrier: "Iberia",
      flight_no: "3171",
      departs: DateTime.makeUnsafe("2026-10-01T18:00:00Z"),
      cabin: "premium_economy"
    }
  ),
  gives("an empty memo is text", Expense, '{"payee": "ACM", "amount": 99, "category": "software", "memo": "",}', {
    payee: "ACM",
    amount: 99,
    category: "software",
    memo: ""
  }),
  gives(
    "None for a memo and an amount in quotes",
    Expense,
    "{'payee': 'Trattoria Verde', 'amount': '46.80', 'category': 'Meals', 'memo': None}",
    lunch
  ),
  gives(
    "a skill alone, and camel case in snake case",
    Screening,
    '{"candidate": "P. Novak", "years_of_experience": 7, "skills": "Rust", "recommend": true}',
    { candidate: "P. Novak", yearsOfExperience: 7, skills: ["Rust"], recommend: true }
  ),
  gives(
    "a thought without its beginning and a fence",
    Screening,
    `Seven years, knows Rust and C. I'd say yes.
</think>

${fence}json
{"candidate": "P. Novak", "yearsOfExperience": 7, "skills": ["Rust", "C"], "recommend": true}
${fence}`,
    { candidate: "P. Novak", yearsOfExperience: 7, skills: ["Rust", "C"], recommend: true }
  ),
  gives(
    "a reflection and a result in tags",
    Clause,
    `<reflection>The clause is one-sided.</reflection>
<result>{"heading": "Liability", "risk": "grave", "quote": "in no event"}</result>`,
    { heading: "Liability", risk: "grave", quote: "in no event" }
  ),
  gives(
    "typographic quotes inside and ASCII quotes outside, last comma",
    Clause,
    '{"heading": "“Term”", "risk": "none", "quote": "The “Term” begins",}',
    { heading: "“Term”", risk: "none", quote: "The “Term” begins" }
  ),
  gives(
    "typographic quotes all over, one kind in the other",
    Clause,
    "{“heading”: “Notice”, “risk”: “some”, “quote”: “the party’s ‘notice’ address”}",
    { heading: "Notice", risk: "some", quote: "the party’s ‘notice’ address" }
  ),
  gives("guillemets in a text", Translation, "{source: 'Hello', target: '« Bonjour »'}", {
    source: "Hello",
    target: "« Bonjour »"
  }),
  gives(
    "apostrophes on both sides of a comma",
    Translation,
    "{'source': 'the cats', 'target': 'les chats d'Anna, l'eau'}",
    { source: "the cats", target: "les chats d'Anna, l'eau" }
  ),
  gives(
    "escapes of two kinds",
    Translation,
    String.raw`{'source': 'it\'s 50% off', 'target': "50\u00a0% de r\u00e9duction"}`,
    { source: "it's 50% off", target: "50\u00a0% de réduction" }
  ),
  gives(
    "a plan with lists of numbers, last commas and comments",
    Plan,
    `{
  goal: "Move the database",
  steps: [
    { id: 1, action: "Take a backup", depends_on: [] }, // first
    { id: 2, action: "Restore it; check counts", depends_on: [1,] },
    { id: 3, action: "Switch over", depends_on: [1, 2], },
  ],
}`,
    {
      goal: "Move the database",
      steps: [
        { id: 1, action: "Take a backup", depends_on: [] },
        { id: 2, action: "Restore it; check counts", depends_on: [1] },
        { id: 3, action: "Switch over", depends_on: [1, 2] }
      ]
    }
  ),
  gives(
    "one step and one dependency, each without its list",
    Plan,
    '{"goal": "Ship it", "steps": {"id": "4", "action": "Tag", "depends_on": 3}}',
    { goal: "Ship it", steps: [{ id: 4, action: "Tag", depends_on: [3] }] }
  ),
  gives(
    "a member of a union, its tag in capitals, wrapped",
    Shape,
    '{"shape": {"kind": "BOX", "width": "2", "height": 3}}',
    {
      kind: "box",
      width: 2,
      height: 3
    }
  ),
  gives(
    "a member of a union in a fence, with keys too many",
    Shape,
    `${fence}\n{kind: circle, radius: 2.5, width: 9}\n${fence}`,
    {
      kind: "circle",
      radius: 2.5
    }
  ),
  gives("a list in prose, quoted singly", Names, "They are ['Ada', 'Grace', 'Radia'], in this order.", [
    "Ada",
    "Grace",
    "Radia"
  ]),
  gives("a list as a set", Names, "{'Ada', 'Grace'}", ["Ada", "Grace"]),
  gives("a list with bullets of text", Names, "• Ada\n• Grace\n• Radia", ["Ada", "Grace", "Radia"]),
  gives("a list with numbers in parentheses", Names, "1) Ada\n2) Grace", ["Ada", "Grace"]),
  gives("a choice in quotes and code", Verdict, "`approve`", "approve"),
  gives("a choice as JSON in a fence", Verdict, `${fence}json\n"Escalate"\n${fence}`, "escalate"),
  gives("a choice under its name", Verdict, '{"verdict": "reject"}', "reject"),
  gives("a record with numbers in quotes", Scores, "{'Team A': '3', \"Team B\": 5, c-9: 1}", {
    "Team A": 3,
    "Team B": 5,
    "c-9": 1
  }),
  gives("a boolean alone, as Python prints it", Schema.Boolean, "True", true),
  gives("a number alone, in bold", Schema.Int, "**42**", 42),
  gives(
    "a call with a keyword before it",
    Expense,
    "return record_expense({payee: 'Trattoria Verde', amount: 46.8, category: 'meals'});",
    lunch
  ),
  gives("arguments by name", Expense, "record_expense(payee='Trattoria Verde', amount=46.8, category='meals')", lunch),
  gives(
    "arrows in place of colons",
    Expense,
    `{"payee" => "Trattoria Verde", "amount" => 46.8, "category" => "meals"}`,
    lunch
  ),
  gives(
    "equals signs in place of colons",
    Expense,
    `{"payee" = "Trattoria Verde", "amount" = 46.8, "category" = "meals"}`,
    lunch
  ),
  gives(
    "a table of one row",
    Expense,
    "| payee | amount | category |\n|---|---|---|\n| Trattoria Verde | 46.8 | meals |",
    lunch
  ),
  gives(
    "tool calls of an API, as a message",
    Expense,
    String.raw`{"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "record", "arguments": "{\"payee\": \"Trattoria Verde\", \"amount\": 46.8, \"category\": \"meals\"}"}}]}`,
    lunch
  ),
  gives(
    "JSON in a string in a string",
    Expense,
    JSON.stringify(JSON.stringify('{"payee": "Trattoria Verde", "amount": 46.8, "category": "meals"}')),
    lunch
  ),
  gives("a string of JSON that ends in brackets", Plan, String.raw`"{\"goal\": \"Wait\", \"steps\": []}"`, {
    goal: "Wait",
    steps: []
  }),
  gives(
    "a list of one member as text",
    Screening,
    String.raw`{"candidate": "X", "yearsOfExperience": 1, "skills": "[\"Go\", \"SQL\"]", "recommend": false}`,
    {
      candidate: "X",
      yearsOfExperience: 1,
      skills: ["Go", "SQL"],
      recommend: false
    }
  ),
  gives(
    "an amount in capitals and an enum with an exclamation mark",
    Expense,
    '{"PAYEE": "Trattoria Verde", "AMOUNT": 46.80, "CATEGORY": "meals!"}',
    lunch
  ),
  gives(
    "prose with a smiley and a brace after",
    Expense,
    `{"payee": "Trattoria Verde", "amount": 46.8, "category": "meals"}\nDone :-} (see {receipt})`,
    lunch
  ),
  gives(
    "the values before the fence are of another kind",
    Alert,
    `The threshold is {90} and the host {db-03}.\n${fence}json\n${JSON.stringify(disk)}\n${fence}`,
    disk
  ),
  gives(
    "windows' line ends and tabs",
    Alert,
    '{\r\n\t"host": "db-03",\r\n\t"metric": "disk_used",\r\n\t"value": 91.5\r\n\t"threshold": 90\r\n\t"firing": true\r\n}\r\n',
    disk
  ),
  gives(
    "null keys too many and a key that is like another",
    Alert,
    '{"host": "db-03", "Host name": null, "metric": "disk_used", "value": 91.5, "threshold": 90, "firing": true, "since": null,}',
    disk
  ),
  givesLossily(
    "a currency by its name",
    Expense,
    '{"payee": "Trattoria Verde", "amount": "46.80 EUR", "category": "meals"}',
    lunch
  ),
  givesLossily(
    "a sign of pounds before thousands",
    Expense,
    '{"payee": "Rail", "amount": "£1,204.50", "category": "travel"}',
    {
      payee: "Rail",
      amount: 1204.5,
      category: "travel"
    }
  ),
  givesLossily(
    "no for false",
    Alert,
    '{"host": "db-03", "metric": "disk_used", "value": 1, "threshold": 90, "firing": "no"}',
    {
      ...disk,
      value: 1,
      firing: false
    }
  ),
  givesLossily(
    "a fraction of a year",
    Screening,
    '{"candidate": "Y", "yearsOfExperience": 6.6, "skills": [], "recommend": true}',
    {
      candidate: "Y",
      yearsOfExperience: 7,
      skills: [],
      recommend: true
    }
  ),
  rejects(
    "cut in the middle of a Python dictionary",
    Recipe,
    "{'name': 'Leek soup', 'servings': 4, 'ingredients': [{'item': 'leek', 'grams': 500}, {'item': 'cre"
  ),
  gives(
    "cut after a whole inner list",
    Recipe,
    '{"name": "Leek soup", "servings": 4, "vegetarian": true, "ingredients": [{"item": "leek", "grams": 500}]',
    { name: "Leek soup", servings: 4, vegetarian: true, ingredients: [{ item: "leek", grams: 500 }] }
  ),
  rejects(
    "cut in lines of YAML, in the middle of a list",
    Recipe,
    "name: Leek soup\nservings: 4\nvegetarian: true\ningredients:\n  - item: leek\n    grams: 500\n  - item: cre"
  ),
  givesLossily("cut inside a record", Scores, '{"a": 1, "b": 2, "c": 3', { a: 1, b: 2 }),
  rejects(
    "cut list of which the first elements are whole objects",
    Schema.Array(Expense),
    `[${JSON.stringify(lunch)}, ${JSON.stringify(lunch).slice(0, 30)}`
  ),
  givesLossily("cut inside a member of a wrapper", Expense, `{"result": ${JSON.stringify(lunch).slice(0, -1)}`, lunch),
  givesLossily("a wrapper that is cut after the whole answer", Expense, `{"result": ${JSON.stringify(lunch)}`, lunch),
  rejects("cut inside JSON in a string", Expense, JSON.stringify(JSON.stringify(lunch)).slice(0, -12)),
  rejects("cut with a comment at its end", Expense, '{"payee": "Trattoria Verde", "amount": 46.8, // rest follows'),
  rejects("two drafts in tags", Verdict, "<draft>approve</draft>\n<draft>reject</draft>"),
  rejects("two choices in prose", Verdict, "I would either approve or escalate."),
  rejects(
    "two fences that differ in a number",
    Expense,
    `${fence}json\n{"payee": "A", "amount": 1, "category": "meals"}\n${fence}\n${fence}json\n{"payee": "A", "amount": 2, "category": "meals"}\n${fence}`
  ),
  rejects(
    "two members of a union in an object",
    Shape,
    '{"a": {"kind": "circle", "radius": 1}, "b": {"kind": "box", "width": 1, "height": 2}}'
  ),
  rejects("a member with the fields of another", Shape, "{kind: 'circle', width: 2, height: 3}"),
  rejects(
    "an answer in a thought and a promise after it",
    Expense,
    `<think>${JSON.stringify(lunch)}</think>I will record that now.`
  ),
  rejects(
    "an amount with a comma that may be either",
    Expense,
    '{"payee": "Rail", "amount": "1,5", "category": "travel"}'
  ),
  rejects("a sum that is not worked out", Expense, '{"payee": "Rail", "amount": "12 + 30", "category": "travel"}'),
  rejects("a sum of two currencies", Expense, '{"payee": "Rail", "amount": "12 EUR / 13 USD", "category": "travel"}'),
  rejects(
    "too many years",
    Screening,
    '{"candidate": "Z", "yearsOfExperience": "700", "skills": [], "recommend": true}'
  ),
  rejects(
    "an object for a number",
    Alert,
    '{"host": "db-03", "metric": "disk_used", "value": {"now": 91.5}, "threshold": 90, "firing": true}'
  ),
  rejects(
    "a list of two for a number",
    Alert,
    '{"host": "db-03", "metric": "disk_used", "value": [91.5, 92], "threshold": 90, "firing": true}'
  ),
  rejects(
    "a placeholder for a boolean",
    Alert,
    '{"host": "db-03", "metric": "disk_used", "value": 91.5, "threshold": 90, "firing": "<true or false>"}'
  ),
  rejects(
    "a date of words",
    Flight,
    "{carrier: 'KLM', flight_no: 'KL1', departs: 'tomorrow morning', cabin: 'economy'}"
  ),
  rejects(
    "a cabin that is not offered",
    Flight,
    '{"carrier": "KLM", "flight_no": "KL1", "departs": "2026-01-01T00:00:00Z", "cabin": "first"}'
  ),
  rejects("a template of the answer", Translation, "{source: ..., target: ...}"),
  rejects("an apology", Plan, 'I apologise, but planning that isn\'t something I can do. {"goal": null}'),
  rejects("an error that looks like the answer's wrapper", Translation, '{"error": "rate limited", "result": null}'),
  rejects(
    "a table of two rows for one object",
    Expense,
    "| payee | amount | category |\n|---|---|---|\n| A | 1 | meals |\n| B | 2 | meals |"
  ),
  rejects("two records one after the other", Scores, '{"a": 1}\n{"a": 2}'),
  rejects("keys that collide", Expense, '{"Payee": "A", "PAYEE": "B", "amount": 1, "category": "meals"}'),
  rejects(
    "a key twice with two values in broken JSON",
    Expense,
    "{payee: 'A', amount: 1, amount: 2, category: 'meals'}"
  ),
  rejects(
    "a diff in place of an answer",
    Query,
    '- {"sql": "select 1", "explanation": "old"}\n+ {"sql": "select 2", "explanation": "new"}'
  )
]
