import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import * as Server from "../postgres/server.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito, type Ended, plant, type Planted, start, until } from "./cogito.ts"

let folder = ""
let planted: Planted = { archive: "", thoughtId: "", traceId: "", forkId: "" }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "cogito-asked-"))
  planted = await Effect.runPromise(plant)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

const commands = ["migrate", "search", "show", "export", "import", "optimize", "verify"]

describe("cogito memory, asked wrongly", () => {
  const url = "postgres://somebody:hunter2@localhost/x"
  const wrong: ReadonlyArray<readonly [what: string, args: ReadonlyArray<string>, said: RegExp]> = [
    ["without a memory", ["verify"], /Name the memory: --database-url or the variable DATABASE_URL .*--data-dir/],
    ["with two memories", ["verify", "--data-dir", "a", "--database-url", url], /not both/],
    ["with an empty folder's name", ["verify", "--data-dir", " "], /--data-dir is empty/],
    [
      "with a scope that is empty, as a variable that is not set",
      ["verify", "--data-dir", "none", "--scope", ""],
      /--scope/
    ],
    ["without a scope on a server", ["verify", "--database-url", url], /--scope/],
    ["with a URL that is none", ["migrate", "--database-url", "hunter2"], /--database-url is not a URL of the form/],
    ["with a broken URL", ["migrate", "--database-url", "postgres://a:hunter2@[::1:1/x"], /is not a URL of the form/],
    ["with another's URL", ["migrate", "--database-url", "mysql://a:hunter2@b/x"], /is not a URL of the form/],
    ["with an unknown command", ["verfy"], /Unknown subcommand "verfy".*did you mean verify/],
    [
      "with an unknown flag",
      ["verify", "--nonsense"],
      /Unrecognized flag: --nonsense .*\(see cogito memory verify --help\)/
    ],
    ["with two unknown flags", ["verify", "--nonsense", "--more"], /^cogito: [^\n]*--nonsense[^\n]*; [^\n]*--more/],
    [
      "with an unknown flag of several lines",
      ["verify", "--made\nup  flag\there"],
      /^cogito: [^\n]*--made up flag here[^\n]*\n$/
    ],
    ["with a flag of other commands", ["optimize", "--scope", "a"], /Unrecognized flag: --scope/],
    ["with a limit out of bounds", ["search", "q", "--limit", "0"], /from 1 to 500/],
    ["with a choice that is none", ["optimize", "--index", "maybe"], /"auto" \| "create" \| "drop"/],
    ["without what to look for", ["search", "--data-dir", "a"], /Missing required argument: query/]
  ]
  for (const [what, args, said] of wrong) {
    it(`${what}, ends with 2, one line and no result`, async () => {
      const ended = await cogito(args)
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.match(ended.stderr, /^cogito: [^\n]+\n$/)
      assert.match(ended.stderr, said)
      assert.notInclude(ended.stderr, "hunter2")
    })
  }

  // as a variable is that a shell script did not set
  it("treats an empty DATABASE_URL as unset", async () => {
    const ended = await cogito(["migrate"], { env: { DATABASE_URL: "" } })
    assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
    assert.include(ended.stderr, "Name the memory:")
  })

  it("takes both names of the scheme of a URL", async () => {
    for (const scheme of ["postgres", "postgresql"]) {
      const ended = await cogito(["migrate", "--database-url", `${scheme}://somebody:hunter2@127.0.0.1:1/x`])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.include(ended.stderr, "ECONNREFUSED")
      assert.notInclude(ended.stderr, "hunter2")
    }
    const other = await cogito(["migrate", "--database-url", "postgresqls://127.0.0.1:1/x"])
    assert.deepStrictEqual([other.code, other.stdout], [2, ""])
  })

  it("says that the variable is no URL, and not what it holds", async () => {
    const ended = await cogito(["migrate"], { env: { DATABASE_URL: "hunter2" } })
    assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
    assert.match(ended.stderr, /^cogito: The variable DATABASE_URL is not a URL of the form .*\n$/)
    assert.notInclude(ended.stderr, "hunter2")
  })

  it("shows the help where errors go when there is no command", async () => {
    const ended = await cogito([])
    assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
    for (const command of commands) assert.match(ended.stderr, new RegExp(`^  ${command} `, "m"))
  })
})

describe("cogito memory --help", () => {
  for (const command of commands) {
    it(`explains ${command}: what it is for, its flags, its exit codes, an example that can be asked for`, async () => {
      const ended = await cogito([command, "--help"])
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      for (const head of ["DESCRIPTION", "USAGE", "FLAGS", "EXAMPLES", "ENVIRONMENT", "EXIT CODES"]) {
        assert.match(ended.stdout, new RegExp(`^${head}$`, "m"))
      }
      for (const flag of ["--database-url url", "--data-dir folder", "--json"]) assert.include(ended.stdout, flag)
      for (const code of [0, 1, 2, 3, 129, 130, 141, 143])
        assert.match(ended.stdout, new RegExp(`^  ${code} +[A-Za-z]`, "m"))
      assert.include(ended.stdout, `npx cogito memory ${command}`)
      // also the flags of the examples are there
      for (const [flag] of ended.stdout.matchAll(/--[a-z]+(?:-[a-z]+)*/g)) {
        assert.match(ended.stdout, new RegExp(`^  ${flag}[ ,]`, "m"), flag)
      }
      assert.isAtMost(Math.max(...ended.stdout.split("\n").map(({ length }) => length)), 110)
    })
  }
})

/** A message as a server sends it. */
const message = (type: string, text: string): Buffer => {
  const [head, body] = [Buffer.from(`${type}\0\0\0\0`), Buffer.from(text)]
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** What becomes of a command whose server gives these answers, and then no more. */
const answered = async (answers: ReadonlyArray<Buffer>, user: string, query = ""): Promise<Ended> => {
  const server = createServer((socket) => {
    const rest = [...answers]
    socket.on("error", () => {})
    socket.on("data", () => {
      const answer = rest.shift()
      if (answer !== undefined) socket.write(answer)
      if (rest.length === 0 && answer?.toString("latin1", 0, 1) === "E") socket.end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const DATABASE_URL = `postgres://${user}@127.0.0.1:${port}/none${query}`
  const ended = await cogito(["migrate"], { env: { DATABASE_URL } })
  server.close()
  return ended
}

describe("cogito memory, where it cannot", { timeout: 180_000 }, () => {
  it("says that a server cannot be reached", async () => {
    const DATABASE_URL = "postgres://somebody:hunter2@127.0.0.1:1/none"
    const ended = await cogito(["verify", "--scope", "acme"], { env: { DATABASE_URL } })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: The database cannot be reached.*ECONNREFUSED.*\n$/)
    assert.notInclude(ended.stderr, "hunter2")
  })

  it("says that a server wants a password, or does not offer SSL", async () => {
    const asking = [message("R", "\0\0\0\nSCRAM-SHA-256\0\0"), message("R", "\0\0\0\vr=a,s=YQ==,i=1")]
    const without = await answered(asking, "somebody")
    assert.deepStrictEqual([without.code, without.stdout], [1, ""])
    assert.strictEqual(without.stderr, "cogito: The database requires a password: add one to the url.\n")
    const plain = await answered([Buffer.from("N")], "somebody:hunter2", "?sslmode=verify-full")
    assert.deepStrictEqual([plain.code, plain.stdout], [1, ""])
    assert.match(
      plain.stderr,
      /^cogito: The database does not support SSL: if you do not need encryption, add sslmode=disable .*\n$/
    )
  })

  it("says that a server does not let the user in, or has no such database", async () => {
    const refusals: ReadonlyArray<readonly [code: string, said: RegExp]> = [
      ["28P01", /does not accept this user or password \(SQLSTATE 28P01\): check the url/],
      ["28000", /does not accept this user or password/],
      ["3D000", /no such database/]
    ]
    for (const [code, said] of refusals) {
      const ended = await answered([message("E", `SFATAL\0C${code}\0Mrefused hunter2\0\0`)], "somebody:hunter2")
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.match(ended.stderr, /^cogito: [^\n]+\n$/)
      assert.match(ended.stderr, said)
      assert.notInclude(ended.stderr, "hunter2")
    }
  })

  it("leaves a directory of another program alone, and creates no directory to read or optimize", async () => {
    const other = mkdtempSync(join(folder, "other-"))
    writeFileSync(join(other, "letter.txt"), "mine")
    const migrated = await cogito(["migrate", "--data-dir", other])
    assert.strictEqual(migrated.code, 1)
    assert.match(migrated.stderr, /^cogito: The directory is not empty and contains no memory.*\n$/)
    assert.deepStrictEqual(readdirSync(other), ["letter.txt"])
    const missing = join(folder, "missing")
    for (const args of [["verify"], ["show", "x"], ["export"], ["search", "x"], ["optimize"]]) {
      const ended = await cogito([...args, "--data-dir", missing])
      assert.strictEqual(ended.code, args[0] === "verify" ? 3 : 1)
      assert.match(ended.stderr, /^cogito: The folder holds no memory.*cogito memory migrate\.\n$/)
      assert.isFalse(existsSync(missing))
    }
    const letter = join(other, "letter.txt")
    for (const [command, ...args] of [["memory", "export"], ["memory", "migrate"], ["agent"]] as const) {
      const ended = await cogito([...args, "--data-dir", letter], { command, input: "hello\n" })
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.strictEqual(ended.stderr, `cogito: "${letter}" is a file: --data-dir names a folder.\n`)
    }
    // as a folder without the right to read it, which the tests may have
    symlinkSync(join(other, "loop"), join(other, "loop"))
    for (const args of [["verify"], ["search", "x"]]) {
      const refused = await cogito([...args, "--data-dir", join(other, "loop")])
      assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
      assert.match(
        refused.stderr,
        /^cogito: The memory's directory cannot be used \(ELOOP\): check its path and rights\.\n$/
      )
    }
  })

  it("says what helps where a memory has lost its mark, or something else is", async () => {
    const torn = join(folder, "torn")
    await prefill(torn)
    rmSync(join(torn, "ready"))
    const before = readdirSync(torn)
    const other = mkdtempSync(join(folder, "theirs-"))
    writeFileSync(join(other, "letter.txt"), "theirs")
    for (const [at, said] of [
      [torn, /^cogito: The memory's directory has a database but no file `ready`, .* restore it .*\n$/],
      [other, /^cogito: The directory is not empty and contains no memory: .*\n$/]
    ] as const) {
      for (const args of [["migrate"], ["verify"], ["export"], ["optimize"]]) {
        const ended = await cogito([...args, "--data-dir", at])
        assert.strictEqual(ended.code, args[0] === "verify" ? 3 : 1)
        assert.match(ended.stderr, said)
      }
    }
    assert.deepStrictEqual([readdirSync(torn), readdirSync(other)], [before, ["letter.txt"]])
  })

  it("says which process has the directory open, and waits for nobody", async () => {
    const memory = join(folder, "open")
    await prefill(memory)
    const first = await start(["import", "--data-dir", memory])
    await until("it has the folder open", () => existsSync(join(memory, "lock.2")), first)
    const second = await cogito(["verify", "--data-dir", memory])
    assert.deepStrictEqual([second.code, second.stdout], [1, ""])
    assert.match(second.stderr, new RegExp(`^cogito: .*open in process ${first.process.pid}.*\\n$`))
    first.process.stdin.end(planted.archive)
    assert.strictEqual((await first.ended).code, 0)
    const third = await cogito(["verify", "--data-dir", memory])
    assert.strictEqual(third.code, 0, third.stderr)
  })
})

describe("a file that is no archive", { timeout: 180_000 }, () => {
  const file = (name: string, text: string): string => {
    mkdirSync(join(folder, "archives"), { recursive: true })
    const path = join(folder, "archives", name)
    writeFileSync(path, text)
    return path
  }
  const [header, first, second] = [0, 1, 2]
  const broken: ReadonlyArray<readonly [what: string, text: (lines: ReadonlyArray<string>) => string, said: RegExp]> = [
    ["without a beginning", (lines) => `${lines[first]}\n`, /Line 1 of the archive cannot be read/],
    ["of a newer version", () => '{"format":"cogito-memory","version":2}\n', /Line 1 .*newer version of cogito/],
    ["that is empty", () => "", /Line 1 of the archive cannot be read: it is missing/],
    ["with a line that is none", (lines) => `${lines.join("\n")}nonsense\n`, /Line 4 of the archive cannot be read/],
    ["that was cut off", (lines) => `${lines[header]}\n${lines[first]}\n${lines[second]?.slice(0, 99)}`, /Line 3 of/],
    [
      "with a note that is too long",
      (lines) => `${lines[header]}\n${lines[first]?.replace("The parcel", "x".repeat(4_000_001))}\n`,
      /Line 2 of the archive: /
    ]
  ]
  for (const [what, text, said] of broken) {
    it(`${what}, is reported with its line before anything is changed`, async () => {
      const path = file("broken.jsonl", text(planted.archive.split("\n")))
      const memory = join(folder, "untouched")
      const ended = await cogito(["import", path, "--data-dir", memory])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.match(ended.stderr, /^cogito: [^\n]+ Nothing was imported\.\n$/)
      assert.match(ended.stderr, said)
      assert.notInclude(ended.stderr, "parcel")
      assert.isFalse(existsSync(memory))
    })
  }

  it("from the standard input, is reported with what became of the lines before", async () => {
    const memory = join(folder, "piped")
    await prefill(memory)
    const ended = await cogito(["import", "--data-dir", memory], { input: `${planted.archive}nonsense\n` })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: Line 4 .* The 2 thoughts before that stay imported; .*\n$/)
    const exported = await cogito(["export", "--data-dir", memory])
    assert.strictEqual(exported.stdout, planted.archive)
  })

  it("that comes from a pipe with a name is read once, as the standard input is", async () => {
    const pipe = join(folder, "pipe")
    execFileSync("bash", ["-c", 'mkfifo "$0"', pipe])
    const importing = cogito(["import", pipe, "--data-dir", join(folder, "piped"), "--json"])
    await writeFile(pipe, planted.archive)
    const ended = await importing
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(ended.stdout), { imported: 0, present: 2 })
  })

  it.each(["none.jsonl", "."])("that is %s, which is no file, is reported", async (name) => {
    const ended = await cogito(["import", join(folder, name), "--data-dir", join(folder, "untouched")])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: The archive cannot be read: check the file's name and rights\.\n$/)
    assert.isFalse(existsSync(join(folder, "untouched")))
  })

  it("that has another state of a thought, is reported and changes nothing", async () => {
    const memory = join(folder, "piped")
    const other = file("other.jsonl", planted.archive.replace("The parcel", "The letter"))
    const ended = await cogito(["import", other, "--data-dir", memory])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(
      ended.stderr,
      /^cogito: The thought .* of line 2 of the archive conflicts with .* Nothing was imported\.\n$/
    )
    assert.strictEqual((await cogito(["export", "--data-dir", memory])).stdout, planted.archive)
  })
})

describe.skipIf(!Server.available)("cogito memory, on a server that refuses", () => {
  let server: Server.Server | undefined
  let url = ""
  beforeAll(async () => {
    server = Server.start()
    url = await Server.database(server)
    assert.strictEqual((await cogito(["migrate"], { env: { DATABASE_URL: url } })).code, 0)
  })
  afterAll(() => server?.stop())

  const as = async (user: string, statements: ReadonlyArray<string>): Promise<string> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
    return url.replace("postgres@", `${user}@`)
  }

  it("says that the database does not exist", async () => {
    const DATABASE_URL = url.replace(/[^/]*$/, "nowhere")
    const ended = await cogito(["verify", "--scope", "acme"], { env: { DATABASE_URL } })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: The server has no such database[^\n]*\n$/)
  })

  it("says that a user has no rights, for every command", async () => {
    const DATABASE_URL = await as("stranger", ["create role stranger login"])
    for (const args of [["migrate"], ["optimize"], ["verify", "--scope", "a"], ["export", "--scope", "a"]]) {
      const ended = await cogito(args, { env: { DATABASE_URL } })
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""], args.join(" "))
      assert.match(
        ended.stderr,
        /^cogito: The memory in the database \w+ belongs to the user postgres .*: connect as that user, not as stranger\.\n$/
      )
    }
  })
})
