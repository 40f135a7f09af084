import { assert, describe, it } from "@effect/vitest"
import { Session } from "cogito"
import { Effect } from "effect"

const user = (text: string, ...carries: ReadonlyArray<string>): Session.Draft => ({ role: "user", text, carries })
const assistant = (text: string, ...carries: ReadonlyArray<string>): Session.Draft => ({
  role: "assistant",
  text,
  carries
})

/** Turns of a request and its reply: q1 carries n1, a1 carries m1, and so on. */
const turns = (count: number, from: Session.Session = Session.empty): Session.Session =>
  Session.append(
    from,
    ...Array.from({ length: count }, (_, i) => [
      user(`q${i + 1}`, `n${i + 1}`),
      assistant(`a${i + 1}`, `m${i + 1}`)
    ]).flat()
  )

const texts = (entries: ReadonlyArray<Session.Entry> | Session.Session): string =>
  ("length" in entries && Array.isArray(entries) ? entries : Session.entries(entries as Session.Session))
    .map((entry) => entry.text)
    .join(" ")

const numbers = (session: Session.Session) => Session.entries(session).map((entry) => entry.index)

/** Positions and counts that no session takes. */
const wrong = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]

describe("a new session", () => {
  it("has no entries, no usage, and begins to count from 0", () => {
    assert.strictEqual(Session.empty.length, 0)
    assert.strictEqual(Session.empty.nextIndex, 0)
    assert.isUndefined(Session.empty.usage)
    assert.deepStrictEqual(Session.entries(Session.empty), [])
    assert.deepStrictEqual(Session.turns(Session.empty), [])
  })
})

describe("append", () => {
  it("adds entries at the end, with the next numbers, by default as messages that carry and cover nothing", () => {
    const one = Session.append(Session.empty, { role: "system", text: "s" })
    const two = Session.append(one, user("u", "n"), {
      role: "user",
      text: "sum",
      kind: "summary",
      carries: ["a"],
      covers: ["b"]
    })
    assert.deepStrictEqual(Session.entries(two), [
      { index: 0, kind: "message", role: "system", text: "s", carries: [], covers: [] },
      { index: 1, kind: "message", role: "user", text: "u", carries: ["n"], covers: [] },
      { index: 2, kind: "summary", role: "user", text: "sum", carries: ["a"], covers: ["b"] }
    ])
    assert.deepStrictEqual([one.length, one.nextIndex, two.length, two.nextIndex], [1, 1, 3, 3])
  })

  it("adds nothing when it is given nothing", () => {
    assert.deepStrictEqual(Session.entries(Session.append(turns(1))), Session.entries(turns(1)))
  })
})

describe("at", () => {
  it.effect("gives the entry at a position", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Session.at(turns(2), 0)).text, "q1")
      assert.strictEqual((yield* Session.at(turns(2), 3)).text, "a2")
    })
  )

  it.effect("fails outside", () =>
    Effect.gen(function* () {
      for (const position of [...wrong, 4]) {
        const error = yield* Effect.flip(Session.at(turns(2), position))
        assert.strictEqual(error._tag, "SessionRangeError")
        assert.strictEqual(error.message, `Session.at: ${position} is out of range for a session of 4 entries.`)
      }
      assert.strictEqual((yield* Effect.flip(Session.at(Session.empty, 0)))._tag, "SessionRangeError")
    })
  )
})

describe("remove", () => {
  it.effect("takes one entry out and releases its notes; numbers are not used again", () =>
    Effect.gen(function* () {
      const session = yield* Session.remove(turns(2), 2)
      assert.strictEqual(texts(session), "q1 a1 a2")
      assert.deepStrictEqual(numbers(session), [0, 1, 3])
      assert.isFalse(Session.shows(session, "n2"))
      assert.isTrue(Session.shows(session, "m2"))
      assert.deepStrictEqual(numbers(Session.append(session, user("next"))), [0, 1, 3, 4])
      assert.deepStrictEqual(numbers(Session.append(yield* Session.remove(turns(1), 1), user("next"))), [0, 2])
    })
  )

  it.effect("can take out every entry, one by one", () =>
    Effect.gen(function* () {
      let session = turns(2)
      while (session.length > 0) session = yield* Session.remove(session, 0)
      assert.deepStrictEqual([session.length, session.nextIndex], [0, 4])
    })
  )

  it.effect("fails outside", () =>
    Effect.gen(function* () {
      for (const position of [...wrong, 4]) {
        assert.strictEqual((yield* Effect.flip(Session.remove(turns(2), position))).operation, "remove")
      }
      assert.strictEqual((yield* Effect.flip(Session.remove(Session.empty, 0))).length, 0)
    })
  )
})

describe("replace", () => {
  it.effect("puts an entry in the place of another, numbering from there on anew", () =>
    Effect.gen(function* () {
      const session = yield* Session.replace(turns(2), 1, assistant("new", "x"))
      assert.strictEqual(texts(session), "q1 new q2 a2")
      assert.deepStrictEqual(numbers(session), [0, 4, 5, 6])
      assert.isTrue(Object.isFrozen(session))
      assert.isFalse(Session.shows(session, "m1"))
      for (const id of ["n1", "x", "n2", "m2"]) assert.isTrue(Session.shows(session, id))
    })
  )

  it.effect("fails outside", () =>
    Effect.gen(function* () {
      for (const position of [...wrong, 4]) {
        assert.strictEqual((yield* Effect.flip(Session.replace(turns(2), position, user("x")))).operation, "replace")
      }
    })
  )
})

describe("insert", () => {
  it.effect("puts an entry before another, at the beginning, in the middle, at the end, and in an empty session", () =>
    Effect.gen(function* () {
      const inserted = (session: Session.Session, position: number) =>
        Effect.map(Session.insert(session, position, user("x", "y")), (after) => {
          assert.isTrue(Session.shows(after, "y"))
          assert.strictEqual(new Set(numbers(after)).size, after.length)
          assert.deepStrictEqual(
            numbers(after),
            numbers(after).toSorted((a, b) => a - b)
          )
          return texts(after)
        })
      assert.strictEqual(yield* inserted(turns(1), 0), "x q1 a1")
      assert.strictEqual(yield* inserted(turns(1), 1), "q1 x a1")
      assert.strictEqual(yield* inserted(turns(1), 2), "q1 a1 x")
      assert.strictEqual(yield* inserted(Session.empty, 0), "x")
      assert.isTrue(Session.shows(yield* Session.insert(turns(1), 0, user("x")), "m1"))
    })
  )

  it.effect("fails outside", () =>
    Effect.gen(function* () {
      for (const position of [...wrong, 5]) {
        assert.strictEqual((yield* Effect.flip(Session.insert(turns(2), position, user("x")))).operation, "insert")
      }
    })
  )
})

describe("prune", () => {
  it.effect("removes the last turns, each request with all its replies", () =>
    Effect.gen(function* () {
      const session = Session.append(turns(2), user("q3"), assistant("a3"), assistant("a3 again"))
      assert.strictEqual(texts(yield* Session.prune(session, 0)), "q1 a1 q2 a2 q3 a3 a3 again")
      assert.strictEqual(texts(yield* Session.prune(session, 1)), "q1 a1 q2 a2")
      assert.strictEqual(texts(yield* Session.prune(session, 2)), "q1 a1")
      const pruned = yield* Session.prune(turns(2), 1)
      assert.deepStrictEqual(
        [pruned.nextIndex, Session.shows(pruned, "n2"), Session.shows(pruned, "m2")],
        [4, false, false]
      )
    })
  )

  it.effect("empties the session when there are fewer", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Session.prune(turns(2), 3)).length, 0)
      assert.strictEqual((yield* Session.prune(Session.empty, 1)).length, 0)
    })
  )

  it.effect("fails on an invalid count", () =>
    Effect.gen(function* () {
      for (const count of wrong) {
        assert.strictEqual((yield* Effect.flip(Session.prune(turns(2), count))).operation, "prune")
      }
    })
  )
})

describe("set and clear", () => {
  it("puts other entries in the place of all; numbers go on", () => {
    const drafts = [user("x", "n1"), assistant("y")]
    const session = Session.set(turns(2), drafts)
    drafts.push(user("later"))
    assert.strictEqual(texts(session), "x y")
    assert.deepStrictEqual(numbers(session), [4, 5])
    assert.deepStrictEqual([Session.shows(session, "n1"), Session.shows(session, "n2")], [true, false])
    assert.strictEqual(Session.set(turns(2), []).length, 0)
  })

  it("removes every entry and keeps the number and the usage", () => {
    const session = Session.clear(Session.withUsage(turns(2), { inputTokens: 3 }))
    assert.deepStrictEqual([session.length, session.nextIndex, session.usage], [0, 4, { inputTokens: 3 }])
    for (const id of ["n1", "m1", "n2", "m2"]) assert.isFalse(Session.shows(session, id))
  })
})

describe("truncate", () => {
  const truncated = (session: Session.Session, first: number, last: number, release?: boolean) =>
    Session.truncate(session, { first, last, ...(release === undefined ? {} : { release }) })

  /** Five entries that each stand alone. */
  const lines = Session.append(Session.empty, ...["a", "b", "c", "d", "e"].map((text) => user(text, `of ${text}`)))

  it.effect("keeps the first and the last entries", () =>
    Effect.gen(function* () {
      assert.strictEqual(texts(yield* truncated(lines, 1, 2)), "a d e")
      assert.strictEqual(texts(yield* truncated(lines, 2, 0)), "a b")
      assert.strictEqual(texts(yield* truncated(lines, 0, 2)), "d e")
      assert.strictEqual(texts(yield* truncated(lines, 0, 0)), "")
    })
  )

  it.effect("gives the session itself when there is nothing between", () =>
    Effect.gen(function* () {
      for (const [first, last] of [
        [2, 3],
        [5, 0],
        [0, 5],
        [10, 10]
      ] as const) {
        assert.strictEqual(yield* truncated(lines, first, last, false), lines)
      }
      assert.strictEqual(yield* truncated(Session.empty, 0, 0), Session.empty)
    })
  )

  it.effect("keeps a turn whole that is kept in part", () =>
    Effect.gen(function* () {
      assert.strictEqual(texts(yield* truncated(turns(4), 1, 1)), "q1 a1 q4 a4")
      assert.strictEqual(texts(yield* truncated(turns(4), 3, 0)), "q1 a1 q2 a2")
      assert.strictEqual(texts(yield* truncated(turns(4), 0, 3)), "q3 a3 q4 a4")
      const long = Session.append(turns(1), user("q"), ...["r1", "r2", "r3"].map((text) => assistant(text)))
      assert.strictEqual(texts(yield* truncated(long, 0, 1)), "q r1 r2 r3")
      assert.strictEqual(texts(yield* truncated(long, 3, 0)), "q1 a1 q r1 r2 r3")
    })
  )

  it.effect("releases the notes of what it removes and keeps the entries' numbers", () =>
    Effect.gen(function* () {
      const session = yield* truncated(lines, 1, 1)
      assert.deepStrictEqual(numbers(session), [0, 4])
      assert.strictEqual(session.nextIndex, 5)
      assert.deepStrictEqual(
        ["of a", "of b", "of c", "of d", "of e"].map((id) => Session.shows(session, id)),
        [true, false, false, false, true]
      )
    })
  )

  it.effect("leaves a mark that covers their notes when they are not released", () =>
    Effect.gen(function* () {
      const session = yield* truncated(lines, 1, 1, false)
      const [, mark, kept] = Session.entries(session)
      assert.strictEqual(session.length, 3)
      assert.deepInclude(mark, {
        kind: "omission",
        role: "user",
        index: 5,
        carries: [],
        covers: ["of b", "of c", "of d"]
      })
      assert.deepInclude(kept, { text: "e", index: 6, carries: ["of e"] })
      for (const id of ["of a", "of b", "of c", "of d", "of e"]) assert.isTrue(Session.shows(session, id))
    })
  )

  it.effect("lets a later mark stand for what an earlier one stood for, and releases all when that goes", () =>
    Effect.gen(function* () {
      const once = yield* truncated(turns(3), 0, 2, false)
      const twice = yield* truncated(once, 0, 0, false)
      assert.strictEqual(twice.length, 1)
      assert.sameMembers([...(Session.entries(twice)[0]?.covers ?? [])], ["n1", "m1", "n2", "m2", "n3", "m3"])
      const gone = yield* truncated(Session.append(twice, user("q")), 0, 1)
      for (const id of ["n1", "m1", "n2", "m2", "n3", "m3"]) assert.isFalse(Session.shows(gone, id))
    })
  )

  it.effect("fails on an invalid count", () =>
    Effect.gen(function* () {
      for (const count of wrong) {
        for (const [first, last] of [
          [count, 1],
          [1, count]
        ] as const) {
          assert.strictEqual((yield* Effect.flip(truncated(lines, first, last))).operation, "truncate")
        }
      }
    })
  )
})

describe("turns", () => {
  it("groups a request with the replies to it and lets everything else stand alone", () => {
    const session = Session.append(
      Session.empty,
      assistant("hello"),
      { role: "system", text: "s" },
      user("q1"),
      user("q2"),
      assistant("a2"),
      assistant("a2 again"),
      { role: "user", text: "sum", kind: "summary" },
      assistant("after"),
      { role: "user", text: "gap", kind: "omission" }
    )
    assert.deepStrictEqual(
      Session.turns(session).map((group) => texts(group)),
      ["hello", "s", "q1", "q2 a2 a2 again", "sum", "after", "gap"]
    )
  })
})

describe("a view", () => {
  const summary: Session.Draft = { role: "user", text: "sum", kind: "summary", covers: ["n1"] }
  const long = turns(2, Session.append(turns(3), summary))

  it("shows all", () => {
    assert.strictEqual(texts(Session.view(long, "full")), "q1 a1 q2 a2 q3 a3 sum q1 a1 q2 a2")
  })

  it("shows the last turns", () => {
    assert.strictEqual(texts(Session.view(long, { recent: 1 })), "q2 a2")
    assert.strictEqual(texts(Session.view(long, { recent: 3 })), "sum q1 a1 q2 a2")
    assert.strictEqual(texts(Session.view(long, { recent: 0 })), "")
    assert.strictEqual(texts(Session.view(turns(1), { recent: 9 })), "q1 a1")
  })

  it("counts the last turns as `turns` groups them, also replies without a request", () => {
    const session = Session.append(
      Session.empty,
      assistant("hello"),
      { role: "system", text: "s" },
      assistant("after s"),
      assistant("after it"),
      user("q1"),
      assistant("a1"),
      { role: "user", text: "r1", kind: "result" },
      { role: "user", text: "sum", kind: "summary" },
      assistant("after sum"),
      { role: "user", text: "gap", kind: "omission" },
      { role: "user", text: "r2", kind: "result" }
    )
    const groups = Session.turns(session)
    for (let count = 0; count <= groups.length + 1; count++) {
      const last = groups.slice(Math.max(0, groups.length - count)).flat()
      assert.deepStrictEqual(Session.view(session, { recent: count }), last)
    }
  })

  it("shows the newest summary and the last turns after it", () => {
    assert.strictEqual(texts(Session.view(long, { summaryAndRecent: 1 })), "sum q2 a2")
    assert.strictEqual(texts(Session.view(long, { summaryAndRecent: 9 })), "sum q1 a1 q2 a2")
    assert.strictEqual(texts(Session.view(long, { summaryAndRecent: 0 })), "sum")
    const again = Session.append(long, { ...summary, text: "newer" }, user("q"))
    assert.strictEqual(texts(Session.view(again, { summaryAndRecent: 5 })), "newer q")
    assert.strictEqual(texts(Session.view(turns(3), { summaryAndRecent: 2 })), "q2 a2 q3 a3")
  })
})

describe("usage", () => {
  it("is that of the last call recorded, and stays through changes", () => {
    const first = Session.withUsage(turns(1), { inputTokens: 10, outputTokens: 0 })
    assert.deepStrictEqual(first.usage, { inputTokens: 10, outputTokens: 0 })
    assert.deepStrictEqual(Session.append(first, user("q")).usage, first.usage)
    assert.deepStrictEqual(Session.withUsage(first, { outputTokens: 2 }).usage, { outputTokens: 2 })
    assert.isUndefined(turns(1).usage)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(first)).usage, { inputTokens: 10, outputTokens: 0 })
  })
})

describe("stored entries", () => {
  it("make the same session again, numbers past the removed ones included", () => {
    const session = Session.withUsage(Effect.runSync(Session.remove(turns(2), 3)), { inputTokens: 1 })
    const again = Session.fromEntries(Session.entries(session), { nextIndex: session.nextIndex, usage: session.usage })
    assert.deepStrictEqual(Session.fromEntries(Session.entries(session), session), again)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(session)))
    assert.deepStrictEqual(numbers(Session.append(again, user("next"))), [0, 1, 2, 4])
    assert.deepStrictEqual([Session.shows(again, "n2"), Session.shows(again, "m2")], [true, false])
    assert.isUndefined(Session.fromEntries([], { nextIndex: 7 }).usage)
  })
})

it("a note that two entries show is shown until the last of them goes", () => {
  const session = Session.append(Session.empty, user("a", "n"), user("b", "n"), {
    role: "user",
    text: "c",
    covers: ["n"]
  })
  const one = Effect.runSync(Session.remove(session, 0))
  const two = Effect.runSync(Session.remove(one, 0))
  assert.deepStrictEqual(
    [one, two, Effect.runSync(Session.remove(two, 0))].map((it) => Session.shows(it, "n")),
    [true, true, false]
  )
})

it("a session is a pipeable, readable as JSON", () => {
  assert.strictEqual(Session.empty.pipe((session) => Session.append(session, user("q"))).length, 1)
  assert.deepStrictEqual(JSON.parse(JSON.stringify(Session.append(Session.empty, user("q", "n")))), {
    entries: [{ index: 0, kind: "message", role: "user", text: "q", carries: ["n"], covers: [] }],
    nextIndex: 1
  })
})

describe("tokens", () => {
  it("are a quarter of the characters, or 1.3 times the words where that is more, rounded up", () => {
    assert.strictEqual(Session.estimateTokens(""), 0)
    assert.strictEqual(Session.estimateTokens("extraordinarily"), 4)
    assert.strictEqual(Session.estimateTokens("a b c d"), 6)
    assert.strictEqual(Session.estimateTokens("a\nb\t\tc  d"), 6)
    assert.strictEqual(Session.estimateTokens("        "), 2)
  })

  it("are more for Chinese, Japanese and Korean characters", () => {
    assert.strictEqual(Session.estimateTokens("我被重复收费了两次"), 7)
    // each of the scripts by itself
    assert.strictEqual(Session.estimateTokens("ありがとうございます"), 7)
    assert.strictEqual(Session.estimateTokens("アメリカカナダインド"), 7)
    assert.strictEqual(Session.estimateTokens("안녕하세요반갑습니다"), 7)
    assert.strictEqual(Session.estimateTokens("спасибо за"), 3)
  })

  it.effect("of a session are those of its texts, by the tokenizer of the context", () =>
    Effect.gen(function* () {
      const tokens = Session.tokens(turns(3))
      assert.strictEqual(yield* Session.tokens(Session.empty), 0)
      assert.strictEqual(yield* tokens, 12)
      const one = Effect.provideService(Session.Tokenizer, { count: () => 1 })
      assert.strictEqual(yield* one(tokens), 6)
    })
  )
})
