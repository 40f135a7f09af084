/** Plain JSON of the schema that looks as if it had to be changed: it is to be taken exactly as it stands. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Finding, Glossary, Invoice, Person, Texts } from "./schemas.ts"

const Note = Schema.Struct({ text: Schema.String })

export const validJson: ReadonlyArray<Case> = [
  gives("escapes of every kind", Note, String.raw`{"text": "tab\t quote\" slash\/ back\\ line\n é \u00e9"}`, {
    text: 'tab\t quote" slash/ back\\ line\n é é'
  }),
  gives("a zero character in a text", Note, String.raw`{"text": "a\u0000b"}`, { text: "a\u0000b" }),
  gives("half of a pair of surrogates", Note, String.raw`{"text": "\ud83d"}`, { text: "\ud83d" }),
  gives("a text that is JSON", Note, String.raw`{"text": "{\"text\": \"inner\"}"}`, { text: '{"text": "inner"}' }),
  gives(
    "a text that holds a fence with another answer",
    Note,
    '{"text": "Write:\\n```json\\n{\\"text\\": \\"inner\\"}\\n```"}',
    {
      text: 'Write:\n```json\n{"text": "inner"}\n```'
    }
  ),
  gives("a text that is a comment", Note, `{"text": "// not a comment, /* nor this */ # nor this"}`, {
    text: "// not a comment, /* nor this */ # nor this"
  }),
  gives("a text with tags of thoughts", Note, `{"text": "<think>keep this</think> and this <answer>too</answer>"}`, {
    text: "<think>keep this</think> and this <answer>too</answer>"
  }),
  gives(
    "texts that look like other values",
    Texts,
    `["1", "01", "1e5", "true", "null", "None", "", " ", "NaN", "[]", "{}"]`,
    ["1", "01", "1e5", "true", "null", "None", "", " ", "NaN", "[]", "{}"]
  ),
  gives("a list of numbers with commas, as texts", Texts, `["1,200", "1.200", "$12", "85%", "0x1F", "1_000"]`, [
    "1,200",
    "1.200",
    "$12",
    "85%",
    "0x1F",
    "1_000"
  ]),
  gives("a plain key twice, of which the last counts", Note, `{"text": "first", "text": "last"}`, { text: "last" }),
  gives(
    "keys with signs, blanks, and quotes",
    Glossary,
    String.raw`{"": "empty", " ": "blank", "!a": "no", "a\"b": "quote", "// c": "slashes", "constructor": "new"}`,
    {
      "": "empty",
      " ": "blank",
      "!a": "no",
      'a"b': "quote",
      "// c": "slashes",
      constructor: "new"
    }
  ),
  gives(
    "a key that is no wrapper here",
    Schema.Struct({ result: Schema.Struct({ result: Schema.String }) }),
    `{"result": {"result": "result"}}`,
    {
      result: { result: "result" }
    }
  ),
  gives(
    "numbers in unusual but valid forms",
    Schema.Array(Schema.Finite),
    `[1E2, 1.50, -0.0e0, 1e-2, 0]`,
    [100, 1.5, -0, 0.01, 0]
  ),
  gives("a text that ends with a backslash and a quote", Note, String.raw`{"text": "C:\\dir\\"}`, {
    text: "C:\\dir\\"
  }),
  gives("a text with typographic quotes and guillemets", Note, `{"text": "“yes”, he said: «oui», 「はい」, it’s"}`, {
    text: "“yes”, he said: «oui», 「はい」, it’s"
  }),
  gives(
    "a text that says another answer follows",
    Person,
    `{"name": "Final answer: {\\"name\\": \\"Bob\\"}", "age": 36, "city": "null"}`,
    {
      name: 'Final answer: {"name": "Bob"}',
      age: 36,
      city: "null"
    }
  ),
  gives(
    "further keys that nobody asked for",
    Person,
    `{"name": "Ada", "age": 36, "city": null, "Name": "Bob", "_comment": "n/a", "answer": {"name": "Eve", "age": 1, "city": null}}`,
    {
      name: "Ada",
      age: 36,
      city: null
    }
  ),
  gives("entities in a text", Note, `{"text": "&quot;a&quot; &amp; &lt;b&gt;"}`, {
    text: "&quot;a&quot; &amp; &lt;b&gt;"
  }),
  gives("a text of a fence's marks only", Schema.String, '"```"', "```"),
  gives("a text that looks like a number, alone", Schema.String, `"42"`, "42"),
  gives("a mark of byte order and line separators around it", Note, `\ufeff{"text": "a\u2028b"}\r\n`, {
    text: "a\u2028b"
  }),
  gives(
    "a key named like an object's prototype",
    Schema.Struct({ ["__proto__"]: Schema.String, a: Schema.Int }),
    `{"__proto__": "x", "a": 1}`,
    {
      ["__proto__"]: "x",
      a: 1
    }
  ),
  gives(
    "three dots in a message",
    Finding,
    `{"file": "...", "line": 1, "severity": "info", "message": "and so on ..."}`,
    {
      file: "...",
      line: 1,
      severity: "info",
      message: "and so on ..."
    }
  ),
  rejects(
    "plain JSON with a number as words",
    Invoice,
    `{"number": "R-1", "total": "twelve or thirteen", "currency": "EUR", "paid": true}`
  ),
  rejects("plain JSON of something else", Invoice, `{"status": "ok", "items": [1, 2, 3]}`),
  rejects("plain JSON without a required key", Person, `{"name": "Ada", "city": null}`),
  rejects(
    "plain JSON with a number beyond what a number can be",
    Invoice,
    `{"number": "R-1", "total": 1e400, "currency": "EUR", "paid": true}`
  )
]
