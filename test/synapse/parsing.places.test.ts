import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

// Where in an answer the value stands, and which of several values it is, as docs/parsing.md says.

const both = ["lenient", "lossy"] as const
const several = "several answers"

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ann = { name: "Ann", age: 41 }
const json = JSON.stringify(ann)
const bob = '{"name":"Bob","age":1}'
const Texts = Schema.Array(Schema.String)
const Ints = Schema.Array(Schema.Int)

describe("several values", () => {
  it("are no answer where two that fit as they are differ, however they are marked", () => {
    assertRefuses(Person, both, [`${json}\n${bob}`, `<answer>${json}</answer><answer>${bob}</answer>`], several)
    assertRefuses(Person, both, [`${json} or rather {"name":"Bob","age":2,"sure":true}`], several)
    assertGives(Person, "lenient", [[`<answer>${json}</answer> Again: <answer>${json}</answer>`, ann, ["tag"]]])
  })

  it("are no answer where the one behind the answer fits as it is, also when the answer was marked", () => {
    assertRefuses(Person, both, [`\`\`\`\n${json}\n\`\`\`\nI was wrong, it is ${bob} then.`], several)
  })

  it("are one answer where what follows fits only after a change, or before it", () => {
    assertGives(Person, "lenient", [
      [`${json} Not {"name":"Bob","age":"1"} of course.`, ann, ["prose"]],
      [`Not {"name":"Bob","age":"1"} of course but ${json}`, ann, ["prose"]],
      [`${bob} is too young: \`\`\`\n${json}\n\`\`\``, ann, ["fence"]]
    ])
  })

  it("are no answer where what follows has all keys of one and does not fit", () => {
    assertRefuses(Person, both, [`${json} I mean {"name":"Bob","age":"one"}`], several)
    assertGives(Person, "lenient", [[`${json} For {"age":"one"} nothing changes.`, ann, ["prose"]]])
    assertGives(Person, "lenient", [[`As {"name":"Bob","age":"one"} says, ${json}`, ann, ["prose"]]])
  })

  it("that follow each other are one answer, of which none is a part", () => {
    assertRefuses(Person, both, [`${json}{"name":"Bob"}`, `{"age":1};${json}`, `${json}, {"name":1}`], several)
    assertGives(Person, "lenient", [[`${json} {"ok":true}`, ann, ["prose"]]])
    assertGives(Schema.Array(Person), "lenient", [
      [`${json}\n${bob}`, [ann, { name: "Bob", age: 1 }], ["prose", "sequence"]],
      [`${json}, ${bob}`, [ann, { name: "Bob", age: 1 }], ["prose", "sequence"]],
      [`[${json}]`, [ann]]
    ])
    assertRefuses(Schema.Array(Person), both, [`${json} and ${bob}`, `[${json}] [${bob}]`])
  })

  it("are those of the candidate that would be the answer, if nothing fits", () => {
    assertRefuses(Person, ["lenient"], [`{"a":1} \`\`\`\n{"name":"Ann","age":"x"}\n\`\`\``], "age: Expected number")
    assertRefuses(Person, ["lenient"], [`{"name":"Ann","age":"x"} and {}`], "age: Expected number")
  })
})

describe("behind something broken", () => {
  const Anything = Schema.Record(Schema.String, Schema.Json)

  it("an empty value is no answer", () => {
    assertRefuses(Texts, both, ['["a", : "b"] []', '["a", : "b"]\nor []'], "not valid JSON")
    assertRefuses(Anything, both, ['{"a"; "b"} {}', '{"a"; "b"} or {}'], "not valid JSON")
    assertGives(Texts, "lenient", [["Nothing: []", [], ["prose"]]])
    assertGives(Anything, "lenient", [["Nothing: {}", {}, ["prose"]]])
  })

  it("one that says something is the answer", () => {
    assertGives(Texts, "lenient", [['["a", : "b"] I mean ["b"]', ["b"], ["prose"]]])
    assertGives(Anything, "lenient", [['{"a"; "b"} I mean {"c":1}', { c: 1 }, ["prose"]]])
  })

  it("nothing is the answer that goes on with it", () => {
    assertRefuses(Texts, both, ['["a", : "b"]: ["b"]', '["a", : "b"], "c": ["b"]', '["a", : "b"]"c", ["b"]'])
    assertRefuses(Texts, ["lenient"], ['["a", "b'], "The answer was cut off here")
  })
})

describe("brackets among words", () => {
  it("are sources where only numbers are in them", () => {
    assertGives(Texts, "lenient", [['As [1] and [2, 3] say: ["a"]', ["a"], ["prose"]]])
    assertRefuses(Ints, both, ["As [1] says, it is [2]."], several)
    assertGives(Ints, "lenient", [["It is [2]: two.", [2], ["prose"]]])
  })

  it("are links where round ones follow them", () => {
    assertGives(Texts, "lenient", [['See ["the page"](https://x.org) for ["a"]', ["a"], ["prose"]]])
  })

  it("hold no value where they hold words", () => {
    assertGives(Person, "lenient", [[`[sic] {as said} [see below] ${json}`, ann, ["prose"]]])
    assertGives(Texts, "lenient", [['An [optional] list [None] here: ["a"]', ["a"], ["prose"]]])
  })
})

describe("thoughts and tags", () => {
  it("of any name before the answer are left out", () => {
    for (const tag of ["think", "thinking", "thought", "reasoning", "reflection", "scratchpad", "analysis", "draft"]) {
      assertGives(Person, "lenient", [
        [`<${tag}>${bob}</${tag}>${json}`, ann, ["thought"]],
        [`<${tag.toUpperCase()} x="1">${bob}</${tag}>\n\`\`\`\n${json}\n\`\`\``, ann, ["thought", "fence"]]
      ])
      assertRefuses(Person, both, [`<${tag}>${json}`, `<${tag}>${json}</${tag}>`], "Expected JSON")
    }
  })

  it("of an answer mark it", () => {
    for (const tag of ["answer", "final_answer", "final", "json", "output", "result", "response"]) {
      assertGives(Person, "lenient", [[`${bob} no: <${tag}>${json}</${tag}>`, ann, ["tag"]]])
    }
    assertRefuses(Person, both, [`${bob} no: <b>${json}</b>`], several)
    assertRefuses(Person, both, [`<answer></answer> ${json} or ${bob}`], several)
  })

  it("that end without a beginning take what was before them along", () => {
    assertGives(Person, "lenient", [[`${bob} hm\n</think>\n${json}`, ann, ["thought"]]])
    assertRefuses(Person, both, [`${json}</think>`])
    assertGives(Texts, "lenient", [['["a </think> b"]', ["a </think> b"]]])
  })
})

describe("fences", () => {
  it("are of backticks or tildes, three or more", () => {
    for (const fence of ["```", "````", "~~~", "~~~~~"]) {
      assertGives(Person, "lenient", [
        [`${fence}\n${json}\n${fence}`, ann, ["fence"]],
        [`${fence}json\n${json}\n${fence}`, ann, ["fence"]],
        [`For ${bob} see\n${fence}\n${json}\n${fence}`, ann, ["fence"]]
      ])
    }
    assertGives(Person, "lenient", [[`\`\`${json}\`\``, ann, ["prose"]]])
  })

  it("may hold a single text or number", () => {
    assertGives(Schema.Finite, "lenient", [["It is\n```\n-12.5\n```\nas asked.", -12.5, ["fence"]]])
    assertGives(Schema.String, "lenient", [['Here:\n```json\n"a"\n```', "a", ["fence"]]])
    assertGives(Schema.Boolean, "lenient", [["So:\n```\ntrue\n```", true, ["fence"]]])
    assertRefuses(Schema.Finite, both, ["```\n1\n```\n```\n2\n```"])
  })

  it("that are left open are cut only where the value is", () => {
    assertGives(Person, "lenient", [[`\`\`\`json\n${json}`, ann, ["fence"]]])
    assertRefuses(Person, both, ['```json\n{"age":41,\n```', '```json\n{"age":41\n```'], "cut off")
  })
})

describe("answers without brackets", () => {
  it("may be members of an object, to their braces", () => {
    const done = ["missing-braces"]
    assertGives(Person, "lenient", [
      ['"name": "Ann", "age": 41', ann, done],
      ['"name": "Ann",\n"age": 41}', ann, done],
      ['```\n"name": "Ann", "age": 41\n```', ann, ["fence", ...done]]
    ])
    assertRefuses(Person, both, ['"name": "Ann", "age"', '"name" "Ann"'])
  })

  it("may be lines with a key each", () => {
    assertGives(Person, "lenient", [
      ["name: Ann\nage: 41", ann, ["lines", "name.unquoted"]],
      ["**Name**: Ann\n**Age:** 41\n", ann, ["lines", "name.unquoted", "name.key-case", "age.key-case"]],
      ['`name`: Ann\n\n"age": 41', ann, ["lines", "name.unquoted"]]
    ])
    assertRefuses(Person, both, ["name: Ann\nand age: 41 it is", "name: Ann\n41", "name:\nage: 41", "name: {\nage: 41"])
    const Tags = Schema.Struct({ tags: Texts, n: Schema.Int })
    assertGives(Tags, "lenient", [
      ["tags:\n- a\n- b\nn: 1", { tags: ["a", "b"], n: 1 }, ["lines", "tags.0.unquoted", "tags.1.unquoted"]],
      ['n: 1\ntags:\n  * "a"\n  * "b"', { tags: ["a", "b"], n: 1 }, ["lines"]]
    ])
    assertRefuses(Tags, both, ["tags:\nn: 1", "n: 1\n- a", "- a\nn: 1"])
  })

  it("may be lines with an item each", () => {
    const done = ["lines", "0.unquoted", "1.unquoted"]
    for (const text of ["- red\n- blue", "* red\n* blue", "• red\n• blue", "1. red\n2. blue", "1) red\n\n2) blue"]) {
      assertGives(Texts, "lenient", [[text, ["red", "blue"], done]])
    }
    assertGives(Ints, "lenient", [["- 1\n- 2", [1, 2], ["lines"]]])
    assertRefuses(Texts, both, ["- red\nblue", "red\nblue", "-red\n-blue", "- red\n- [blue"])
  })
})

describe("wrappings", () => {
  it("are taken off where they hold one value that fits", () => {
    assertGives(Person, "lenient", [
      [`{"result":${json}}`, ann, ["wrapper"]],
      [`{"note":"here","person":${json}}`, ann, ["wrapper"]],
      [`{"name":"save_person","arguments":${json}}`, ann, ["wrapper"]],
      [`{"type":"function","name":"f","parameters":${json}}`, ann, ["wrapper"]],
      [`{"name":"f","arguments":${JSON.stringify(json)}}`, ann, ["json-in-text", "wrapper"]],
      [`[${json}]`, ann, ["only-item"]],
      [JSON.stringify(json), ann, ["json-in-text"]]
    ])
    assertRefuses(Person, both, [`{"a":${json},"b":${bob}}`, `{"a":${json},"b":{"name":"x"}}`, `[${json},${bob}]`])
    assertRefuses(Person, both, [
      `{"name":"f","arguments":${json},"why":1}`,
      `{"name":"f","args":${json},"input":${bob}}`
    ])
  })

  it("are asked for around what is no object", () => {
    assertGives(Schema.Int, "lenient", [
      ['{"value":5}', 5],
      ["5", 5],
      ['{"answer":5}', 5, ["wrapper"]],
      ['{"Value":5}', 5, ["key-case"]],
      ['{"value":"5"}', 5, ["number-from-text"]]
    ])
    assertRefuses(Schema.Int, both, ['{"value":5,"other":6,}x', '{"a":5,"b":6}', '{"wrong":5}'])
  })

  it("of a list stand around one value only where that is one", () => {
    assertGives(Ints, "lenient", [
      ["7", [7], ["list-from-one"]],
      ['{"value":7}', [7], ["list-from-one"]],
      ['{"items":[7]}', [7], ["wrapper"]]
    ])
    assertRefuses(Schema.Array(Schema.Int).check(Schema.isMinLength(2)), both, ["7", '{"value":7}'])
    assertRefuses(Ints, both, ["null", '"none"', '{"a":[7],"b":[8]}', '{"a":[7],"b":["x"]}'])
    assertGives(Schema.Array(Schema.NullOr(Schema.Int)), "lenient", [["[null]", [null]]])
  })
})

describe("objects", () => {
  it("may have keys in another spelling, where no other could be meant", () => {
    const Form = Schema.Struct({ first_name: Schema.String, v1_2: Schema.optionalKey(Schema.Int) })
    for (const key of ["firstName", "FirstName", "First Name", "first-name", "first.name", " FIRST_NAME "]) {
      assertGives(Form, "lenient", [[`{"${key}":"Ann"}`, { first_name: "Ann" }, ["first_name.key-case"]]])
    }
    assertRefuses(Form, both, ['{"firstName":"Ann","FirstName":"Bob"}', '{"first":"Ann"}', '{"name":"Ann"}'])
    assertRefuses(Form, both, ['{"first_name":"Ann","firstName":"Bob",}'], "Expected one value")
    const Two = Schema.Struct({ ab: Schema.optionalKey(Schema.Int), a_b: Schema.optionalKey(Schema.Int) })
    assertGives(Two, "lenient", [
      ['{"ab":1,"A-B":2}', { ab: 1 }],
      ['{"ab":1,"a_b":2}', { ab: 1, a_b: 2 }]
    ])
  })

  it("may have keys beside those of the schema, which are left out", () => {
    assertGives(Person, "lenient", [['{"name":"Ann","age":"41","x":[1e400]}', ann, ["age.number-from-text"]]])
  })

  it("hold the last of two values of one key where they are JSON, else none", () => {
    assertGives(Person, "lenient", [['{"name":"Bob","name":"Ann","age":41}', ann]])
    assertGives(Person, "lenient", [
      ['{"name":"Ann","name":"Ann","age":41,}', ann, ["trailing-comma", "name.duplicate-key"]]
    ])
    assertRefuses(Person, both, ['{"name":"Bob","name":"Ann","age":41,}'], "name: Expected one value")
    assertRefuses(Person, both, ['{"name":"Ann","age":41,"age":"41x",}'], "age: Expected one value")
  })
})

describe("unions", () => {
  const Either = Schema.Union([Schema.Int, Schema.Boolean, Schema.Struct({ a: Schema.Int })])

  it("take the member that fits as it is, else the only one that can be made to", () => {
    const In = Schema.Struct({ it: Either })
    assertGives(In, "lenient", [
      ['{"it":1}', { it: 1 }],
      ['{"it":"1"}', { it: 1 }, ["it.number-from-text"]],
      ['{"it":"true"}', { it: true }, ["it.boolean-from-text"]],
      ['{"it":{"a":"1"}}', { it: { a: 1 } }, ["it.a.number-from-text"]]
    ])
    assertGives(In, "lossy", [
      ['{"it":"1"}', { it: 1 }, ["it.number-from-text"]],
      ['{"it":"yes"}', { it: true }, ["it.boolean-from-word!"]]
    ])
    assertRefuses(In, both, ['{"it":"x"}', '{"it":null}'], "it: Expected")
    const Texted = Schema.Struct({
      it: Schema.Union([Schema.Struct({ t: Schema.String }), Schema.Struct({ t: Schema.Array(Schema.Int) })])
    })
    assertGives(Texted, "lenient", [['{"it":{"t":"5"}}', { it: { t: "5" } }]])
  })

  it("give nothing where two members could be made to fit, each with another value", () => {
    const Two = Schema.Struct({
      it: Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Boolean })])
    })
    assertRefuses(Two, both, ['{"it":{"a":"1","b":"true"}}'], "it: Expected a value that can be read in one way only")
    assertGives(Two, "lenient", [['{"it":{"a":"1"}}', { it: { a: 1 } }, ["it.a.number-from-text"]]])
  })
})

describe("answers for another reader", () => {
  it("may have all their quotes escaped", () => {
    assertGives(Person, "lenient", [
      [String.raw`{\"name\": \"Ann\", \"age\": 41}`, ann, ["escaped"]],
      [String.raw`{\n\"name\": \"Ann\",\n\"age\": 41\n}`, ann, ["escaped"]],
      [String.raw`{\"name\":\t\"Ann\",\r\"age\": 41}`, ann, ["escaped"]],
      [String.raw`{\"name\": \"A\\\"nn\", \"age\": 41}`, { name: 'A"nn', age: 41 }, ["escaped"]]
    ])
    assertRefuses(Person, both, [String.raw`{\"name": \"Ann\", \"age\": 41}`])
  })

  it("may have entities for their quotes, where a loss is allowed", () => {
    const of = (open: string) =>
      `{${open}name${open}: ${open}A &amp; B &lt;3 &gt; &#65;&#x42;${open}, ${open}age${open}: 41}`
    for (const quote of ["&quot;", "&#34;", "&#x22;", "&QUOT;"]) {
      assertGives(Person, "lossy", [[of(quote), { name: "A & B <3 > AB", age: 41 }, ["entities!"]]])
      assertRefuses(Person, ["lenient"], [of(quote)])
    }
    assertGives(Person, "lossy", [
      [
        "{&quot;name&quot;: &quot;&#xFFFFFF;&quot;, &quot;age&quot;: 41}",
        { name: "\u{10ffff}", age: 41 },
        ["entities!"]
      ]
    ])
    assertGives(Schema.Struct({ t: Schema.String }), "lossy", [
      ['{"t":"&quot;a&quot;",}', { t: "&quot;a&quot;" }, ["trailing-comma"]]
    ])
  })
})
