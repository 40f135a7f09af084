/** Every word that the reader knows: each changes what an answer is read as, so none may be lost. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const words = (text: string): ReadonlyArray<string> => text.split(/\s+/)

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ada = { name: "Ada", age: 36 }
const first = '{"name":"Ada","age":35}'
const second = '{"name":"Ada","age":36}'

describe("a literal of another language", () => {
  it("is true, false or null", () => {
    const V = Schema.Struct({ v: Schema.NullOr(Schema.Boolean) })
    const literals = { True: true, TRUE: true, False: false, FALSE: false }
    const nulls = words("None NULL Null nil undefined").map((word) => [word, null] as const)
    for (const [word, v] of [...Object.entries(literals), ...nulls]) {
      assertGives(V, "lenient", [[`{"v": ${word}}`, { v }, ["v.literal"]]])
    }
    for (const [word, v] of [
      ["true", true],
      ["false", false],
      ["null", null]
    ] as const) {
      assertGives(V, "lenient", [[`{"v": ${word},}`, { v }, ["trailing-comma"]]])
    }
    assertRefuses(
      V,
      both,
      words("Nil nullptr Undefined NaN").map((word) => `{"v": ${word}}`)
    )
  })

  it("is a word of agreement or of denial, where a loss is allowed", () => {
    const B = Schema.Struct({ b: Schema.Boolean })
    for (const word of words("yes y on ja oui sí sì sim да はい 是")) {
      assertGives(B, "lossy", [[`{"b":"${word}"}`, { b: true }, ["b.boolean-from-word!"]]])
    }
    for (const word of words("no n off nein nee nej non não нет いいえ 否")) {
      assertGives(B, "lossy", [[`{"b":"${word}"}`, { b: false }, ["b.boolean-from-word!"]]])
    }
  })
})

describe("the key of a wrapper", () => {
  it("names the answer, where that is a text", () => {
    for (const key of words(
      `answer answers result results values output outputs response reply text content data string final
      completion return translation summary`
    )) {
      assertGives(Schema.String, "lenient", [
        [`{"${key}": "Paris"}`, "Paris", ["wrapper"]],
        [`{"my_${key}": "Paris"}`, "Paris", ["wrapper"]],
        [`{"my${key.charAt(0).toUpperCase()}${key.slice(1)}": "Paris"}`, "Paris", ["wrapper"]]
      ])
    }
    assertGives(Schema.String, "lenient", [['{"the_value": "Paris"}', "Paris", ["wrapper"]]])
    assertRefuses(Schema.String, both, ['{"city": "Paris"}', '{"answered": "Paris"}', '{"wrong_answer": "Paris"}'])
  })

  it("says of no other value that it is something else", () => {
    for (const key of words(
      `error errors example examples sample counterexample counterexamples placeholder dummy schema template
      format input draft original initial previous prior before old not no non never without incorrect
      invalid wrong bad false failed rejected discarded alternative hypothetical thought thoughts thinking
      scratchpad refusal refused reason question apology clarifying clarification warning proto prototype constructor`
    )) {
      assertRefuses(Schema.Finite, both, [`{"${key}": 4}`, `{"the_${key}": 4}`])
      assertRefuses(Person, both, [`{"${key}": ${second}}`])
    }
    assertGives(Schema.Finite, "lenient", [['{"count": 4}', 4, ["wrapper"]]])
    assertGives(Person, "lenient", [[`{"person": ${second}}`, ada, ["wrapper"]]])
  })

  it("is one of a call, beside the call's name and what else it has", () => {
    for (const key of words("arguments parameters args input Arguments INPUT")) {
      assertGives(Person, "lenient", [[`{"name":"save","${key}":${second}}`, ada, ["wrapper"]]])
      for (const other of words("type id call_id")) {
        assertGives(Person, "lenient", [[`{"name":"save","${other}":"x","${key}":${second}}`, ada, ["wrapper"]]])
      }
      assertRefuses(Person, both, [`{"name":"save","why":"x","${key}":${second}}`])
    }
    assertRefuses(Person, both, [`{"name":"save","arguments":${second},"args":${second}}`])
  })
})

describe("a value that a text names", () => {
  const Option = Schema.Struct({ v: Schema.Literals(["ONE", "TWO"]) })
  const named = (v: string) => [JSON.stringify({ v }), { v: "ONE" }, ["v.enum-near!"]] as const

  it("does not count beside a word of doubt", () => {
    assertGives(Option, "lossy", [named("ONE, indeed"), named("indeed, ONE")])
    for (const word of words(
      `not no non never neither nor none cannot wont dont isnt without except excluding unless unlikely barely hardly
      wrong incorrect false mistaken mistake untrue invalid instead rather than but however although though opposite
      or versus vs either if whether could might may maybe perhaps doubt doubtful was were formerly previously initially
      nicht kein keine falsch nie oder pas faux jamais ou ne nunca ni incorrecto mai sbagliato falso nao não errado
      niet geen fout nej inte ikke don't 不 没 沒 非 错 錯 誤 違 ない ません じゃ`
    )) {
      assertRefuses(Option, ["lossy"], [JSON.stringify({ v: `ONE, ${word}` }), JSON.stringify({ v: `${word}: ONE` })])
    }
  })

  it("is what a sentence comes to, behind a verb that says so", () => {
    for (const word of words("is be as answer choose pick select say would")) {
      assertGives(Option, "lossy", [named(`It ${word} ONE.`)])
      assertRefuses(Option, ["lossy"], [JSON.stringify({ v: `It ${word} ONE here` })])
    }
    assertGives(Option, "lossy", [named("答案是 ONE"), named("答えは ONE です")])
    assertRefuses(
      Option,
      ["lossy"],
      ['{"v":"It found ONE"}', '{"v":"Is it ONE?"}', '{"v":"ONE？"}', '{"v":"答案是 ONE 吗"}']
    )
  })

  it("stands between marks that part it from other words", () => {
    assertGives(Option, "lossy", [named("(ONE) it fits"), named("ONE: it fits"), named("so: ONE!"), named("A — ONE")])
    for (const mark of "-‐‑–_/\\.'&+@#") {
      assertRefuses(Option, ["lossy"], [JSON.stringify({ v: `ONE${mark}x` }), JSON.stringify({ v: `x${mark}ONE` })])
    }
    assertRefuses(Option, ["lossy"], ['{"v":"see ONE, then"}', '{"v":"ONE two: three ONE"}', '{"v":"x ONE: y"}'])
  })
})

describe("words before a value", () => {
  it("say that the answer is another one", () => {
    for (const before of [
      ..."not|never|not be|not like|not this|not like this|never be this|don't|don’t|can't be|wrong|incorrect".split(
        "|"
      ),
      ..."instead of|rather than|unlike|nicht|nicht so|falsch|WRONG".split("|")
    ]) {
      assertRefuses(Person, both, [`It is ${before} ${second}`, `${before}: ${second}`], "example")
      assertGives(Person, "lenient", [[`${before} ${first} It is ${second}`, ada, ["prose"]]])
    }
    assertGives(Person, "lenient", [[`It is knot ${second}`, ada, ["prose"]]])
  })

  it("say that it is an example", () => {
    for (const before of [
      ..."For example|e.g.|such as|A draft|Zum Beispiel|Ein Entwurf|z. B.|z.B.|Par exemple|Un ejemplo|Un esempio".split(
        "|"
      ),
      ..."пример|например|Пример|例えば|例如|示例".split("|")
    ]) {
      assertRefuses(
        Person,
        both,
        [`${before} ${second}`, `${before}: ${second}`, `${before} of it: ${second}`],
        "example"
      )
    }
    assertRefuses(Person, both, [`An example xxxxxxxx ${second}`], "example")
    assertGives(Person, "lenient", [
      [`An example xxxxxxxxx ${second}`, ada, ["prose"]],
      [`No example. ${second}`, ada, ["prose"]],
      [`Counterexamples aside ${second}`, ada, ["prose"]]
    ])
    assertRefuses(Person, both, [`For example:\n\`\`\`json\n${second}\n\`\`\``], "example")
  })

  it("say that it corrects the one before", () => {
    for (const between of [
      ..."Final|Correct|Corrected|Correction|Revised|Updated|Fixed|Actually|Instead|Wait|But like this".split("|"),
      ..."The answer is|Korrektur|Korrigiert|Endgültig|Endgültige Fassung|Richtig|Tatsächlich|Corrigé|Corrigée".split(
        "|"
      ),
      ..."Définitive|Corrección|Corregido|Corregida|Correzione|Corretto|Исправлено|Итоговый|Окончательный".split("|"),
      ..."更正|修正|最終|最终|訂正".split("|")
    ]) {
      assertGives(Person, "lenient", [[`${first}\n${between}: ${second}`, ada, ["prose"]]])
    }
    assertRefuses(Person, both, [`${first} Finally ${second}`, `${first} Awaiting ${second}`], "several answers")
    const long = (length: number) => `${first} ${"Final".padEnd(length - 1)}${second}`
    assertGives(Person, "lenient", [[long(640), ada, ["prose"]]])
    assertRefuses(Person, both, [long(641)], "several answers")
  })
})

describe("words behind a value", () => {
  it("take it back", () => {
    for (const after of [
      ..."Wait|No, wait|Oh wait|Hmm, wait|Sorry, wait|Actually, wait|Scratch that|Never mind|Disregard it".split("|"),
      ..."Ignore that|Ignore this|Ignore the above|That is wrong|This was incorrect|The above is not right".split("|"),
      ..."It is a mistake|It was wrong|That's wrong|That’s not right|That's incorrect|- Wait".split("|")
    ]) {
      assertRefuses(Person, both, [`${second} ${after}.`, `\`\`\`\n${second}\n\`\`\`\n${after}.`], "retracted by")
    }
    for (const after of ["Ignore it", "That is right", "Waiting", "Now wait", "It was it"]) {
      assertGives(Person, "lenient", [[`${second} ${after}.`, ada, ["prose"]]])
    }
  })
})

describe("tags", () => {
  it("of examples and of other answers are left out with what they hold", () => {
    for (const tag of words("example sample counterexample draft plan analysis incorrect wrong rejected previous")) {
      for (const name of [tag, `${tag}s`, `${tag}_1`, `${tag}-answer`, tag.toUpperCase()]) {
        assertGives(Person, "lenient", [[`<${name}>${first}</${name}>${second}`, ada, ["thought"]]])
        assertRefuses(Person, both, [`<${name}>${second}</${name}>`])
      }
    }
  })

  it("of thoughts may be written with other marks", () => {
    for (const tag of words("think thinking thought thoughts reasoning reflection scratchpad")) {
      assertGives(Person, "lenient", [[`◁${tag}▷${first}◁/${tag}▷${second}`, ada, ["thought"]]])
    }
    assertGives(Person, "lenient", [
      [`<|channel|>analysis ${first}<|end|>${second}`, ada, ["thought"]],
      [`<|channel|>analysis ${first}<|channel|>final ${second}`, ada, ["thought"]]
    ])
    assertRefuses(Person, both, [`<|channel|>comment ${first}<|end|>${second}`], "several answers")
  })
})

describe("a text alone", () => {
  it("is no answer where it refuses one", () => {
    for (const text of [
      ..."I'm sorry, no|I’m very sorry|I am sorry|I apologize|Apologise!|Sorry!|Unfortunately no".split("|"),
      ..."As an AI model|I can't do it|I can’t|I cannot|I can not|I won't|I am unable to|I am not able to".split("|"),
      ..."I'm unable to|I'm not able to".split("|")
    ]) {
      assertRefuses(Schema.String, both, [text])
    }
    for (const text of ["I'm happy", "Sorrow", "I can do it"]) {
      assertGives(Schema.String, "lossy", [[text, text, ["bare-text!"]]])
    }
  })

  it("has no control characters", () => {
    for (const char of ["\u0000", "\u0008", "\u000b", "\u000c", "\u000e", "\u001f", "\u007f"]) {
      assertRefuses(Schema.String, both, [`So${char}it is`])
    }
    for (const char of ["\t", "\n", "\r", " ", "\u0080"]) {
      assertGives(Schema.String, "lossy", [[`So${char}it is`, `So${char}it is`, ["bare-text!"]]])
    }
  })
})

describe("words that retract a value", () => {
  it("do not retract the value behind them", () => {
    const texts = [
      `${first}\nWait, that is wrong:\n${second}`,
      `${first}\n\nThat was incorrect: ${second}`,
      `${first} No, it was wrong. ${second}`
    ]
    assertGives(
      Person,
      "lenient",
      texts.map((text) => [text, ada, ["prose"]] as const)
    )
    assertRefuses(Person, both, [`Wait, that is wrong: ${second}`])
  })

  it("may stand behind a rule", () => {
    assertRefuses(Person, both, [`${second}\n\n${"-".repeat(12)}\nWait, that is wrong.`], "retracted")
  })
})

describe("a wrapper", () => {
  it("names an answer if any text fits a list", () => {
    const Tags = Schema.Array(Schema.String)
    assertRefuses(Tags, both, ['{"status": "failed"}', '{"note": "see below"}'])
    assertGives(Tags, "lenient", [
      ['{"labels": ["a"]}', ["a"], ["wrapper"]],
      ['{"answer": "a"}', ["a"], ["list-from-one", "wrapper"]]
    ])
  })

  it("is no example, whatever its number", () => {
    assertRefuses(Person, both, [`{"example1": ${second}}`, `{"draft2": ${second}}`, `{"example_3": ${second}}`])
  })
})

describe("a text in triple quotes", () => {
  it("keeps a backslash that escapes nothing, and all behind it", () => {
    const Code = Schema.Struct({ code: Schema.String })
    for (const code of ["print(a\\, b) and more", "C:\\udata is it", "\\u41 here", "\\{ alone"]) {
      assertGives(Code, "lenient", [[`{"code": """${code}"""}`, { code }, ["code.triple-quotes"]]])
    }
  })
})
