/** Values in the syntax of some other language: Python, JavaScript, Ruby, YAML and others. */
import { Effect, Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Counts, Glossary, Invoice, Person, Plan, Review, Texts, Ticket } from "./schemas.ts"

const ada = { name: "Ada", age: 36, city: null }
const Point = Schema.Tuple([Schema.Finite, Schema.Finite])

export const syntaxes: ReadonlyArray<Case> = [
  gives("a Python tuple for a tuple", Point, `(48.2082, 16.3738)`, [48.2082, 16.3738]),
  gives("a list of Python tuples", Schema.Array(Point), `[(1, 2), (3.5, 4), (-1, .5)]`, [
    [1, 2],
    [3.5, 4],
    [-1, 0.5]
  ]),
  gives("a Python tuple of one, with its comma", Texts, `("only",)`, ["only"]),
  gives("a Python dictionary with None", Person, `{'name': 'Ada', 'age': 36, 'city': None}`, ada),
  gives("a variable in Python", Person, `result = {'name': 'Ada', 'age': 36, 'city': None}`, ada),
  gives("a call of dict", Person, `dict(name="Ada", age=36, city=None)`, ada),
  gives("the text form of a Python class", Person, `Person(name='Ada', age=36, city=None)`, ada),
  gives(
    "a constant in JavaScript",
    Ticket,
    "```js\nconst ticket = {\n  title: 'Crash',\n  priority: 'high',\n  tags: ['ios'],\n};\n```",
    {
      title: "Crash",
      priority: "high",
      tags: ["ios"]
    }
  ),
  gives("an export in TypeScript", Texts, `export default ["a", 'b', \`c\`] as const;`, ["a", "b", "c"]),
  gives(
    "texts joined with plus over two lines",
    Schema.Struct({ text: Schema.String }),
    `{text: "first half, " +\n       "second half"}`,
    {
      text: "first half, second half"
    }
  ),
  gives("a Ruby hash with symbols as keys", Person, `{:name => "Ada", :age => 36, :city => nil}`, ada),
  gives("a PHP array", Glossary, `['cat' => 'Katze', 'dog' => 'Hund']`, { cat: "Katze", dog: "Hund" }),
  gives("a Lua table", Counts, `{ apples = 3, ["green pears"] = 4 }`, { apples: 3, "green pears": 4 }),
  gives("a Swift dictionary", Glossary, `["cat": "Katze", "dog": "Hund"]`, { cat: "Katze", dog: "Hund" }),
  gives("a Go literal", Person, `Person{Name: "Ada", Age: 36, City: nil}`, ada),
  gives("Clojure's map without commas", Counts, `{:apples 3 :pears 4}`, { apples: 3, pears: 4 }),
  gives(
    "YAML with a list",
    Ticket,
    "```yaml\ntitle: Login fails on Safari\npriority: urgent\ntags:\n  - auth\n  - safari\n```",
    { title: "Login fails on Safari", priority: "urgent", tags: ["auth", "safari"] }
  ),
  gives(
    "YAML with a list of objects",
    Plan,
    "goal: Clean the flat\nsteps:\n  - action: Vacuum\n    minutes: 20\n  - action: Windows\n    minutes: 45\n",
    {
      goal: "Clean the flat",
      steps: [
        { action: "Vacuum", minutes: 20 },
        { action: "Windows", minutes: 45 }
      ]
    }
  ),
  gives("TOML", Person, '```toml\nname = "Ada"\nage = 36\ncity = "London"\n```', {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives("Python's underscores and signs in numbers", Counts, `{'a': 1_000_000, 'b': +5, 'c': 0x1F}`, {
    a: 1000000,
    b: 5,
    c: 31
  }),
  gives("a call of json.dumps", Review, `print(json.dumps({"verdict": "approve", "findings": []}))`, {
    verdict: "approve",
    findings: []
  }),
  gives("a return statement", Invoice, `return { number: "R-1", total: 5, currency: "USD", paid: true };`, {
    number: "R-1",
    total: 5,
    currency: "USD",
    paid: true
  }),
  gives(
    "Python's False where a default would do",
    Schema.Struct({
      notify: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
      user: Schema.String
    }),
    `{'user': 'ada', 'notify': False}`,
    { notify: false, user: "ada" }
  ),
  rejects(
    "an expression for a number",
    Invoice,
    `{"number": "R-1", "total": 3 * 4.5, "currency": "EUR", "paid": true}`
  ),
  rejects("a call for a number", Schema.Struct({ count: Schema.Int }), `{"count": len(items)}`),
  rejects("NaN for a number", Invoice, `{"number": "R-1", "total": NaN, "currency": "EUR", "paid": false}`),
  rejects("a text with a place to fill in", Schema.Struct({ total: Schema.Finite }), "{total: `${sum}`}"),
  rejects("a spread that stands for required members", Person, `{...previous, age: 37}`),
  rejects(
    "code that would build the list",
    Texts,
    "items = []\nfor x in source:\n    items.append(x.title)\nprint(items)"
  ),
  rejects(
    "a type instead of a value",
    Person,
    "interface Person {\n  name: string\n  age: number\n  city: string | null\n}"
  ),
  rejects("undefined for a required key", Person, `{name: "Ada", age: undefined, city: null}`)
]
