import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { root } from "../../scripts/run.ts"
import { available } from "../postgres/server.ts"
import { flags } from "../flags.ts"

// Every program in examples/ runs to its end, from a fresh clone, without a key and without a build. The table names
// the arguments of those that take any; the others run without.
const argumentsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "batch.ts": ["--rows", "2"],
  "support-triage.ts": ["--limit", "1"]
}

/** Those that a test runs to their end with texts from outside. */
const elsewhere = new Set(["document-review.ts", "recall.ts", "refund-approval.ts"])

/** Those that start a Postgres server. */
const onServer = new Set(["two-workers.ts"])

/** Those that run until they are stopped. */
const servers = new Set(["http-service.ts"])

const folder = join(root, "examples")
const examples = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith(".ts"))
      .toSorted()
  : []

/** Runs an example to its end, without a key. */
const ending = async (file: string): Promise<{ readonly ended: ReadonlyArray<unknown>; readonly output: string }> => {
  const home = mkdtempSync(join(tmpdir(), "cogito-example-"))
  try {
    const { OPENAI_API_KEY: _, ANTHROPIC_API_KEY: __, ...rest } = process.env
    const program = spawn(process.execPath, [...flags, join(folder, file), ...(argumentsOf[file] ?? [])], {
      cwd: home,
      env: { ...rest, HOME: home, USERPROFILE: home },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const closed = once(program, "close")
    const outputs = await Promise.all([text(program.stdout), text(program.stderr)])
    return { ended: await closed, output: outputs.join("") }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

describe("examples", () => {
  /** Those that wait most of the time run beside the others. */
  const early = new Map<string, ReturnType<typeof ending>>()
  beforeAll(() => {
    for (const file of available ? onServer : []) early.set(file, ending(file))
  })

  it("include every program that is named here", () => {
    for (const file of Object.keys(argumentsOf)) assert.include(examples, file)
    const hostile = readFileSync(join(root, "test/examples/hostile.test.ts"), "utf8")
    for (const file of elsewhere) assert.include(hostile, `printed("${file}", `)
  })

  it.each([...servers])("%s listens, and ends when it is stopped", { timeout: 240_000 }, async (file) => {
    const home = mkdtempSync(join(tmpdir(), "cogito-example-"))
    const server = spawn(process.execPath, [...flags, join(folder, file)], {
      cwd: home,
      env: { ...process.env, HOME: home, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    try {
      const [first] = await once(server.stdout, "data")
      assert.match(String(first), /^http:\/\/localhost:\d+\n/)
      const ended = once(server, "exit")
      server.kill("SIGTERM")
      assert.deepStrictEqual(await ended, [0, null])
    } finally {
      server.kill("SIGKILL")
      rmSync(home, { recursive: true, force: true })
    }
  })

  for (const file of examples.filter((one) => !servers.has(one) && !elsewhere.has(one))) {
    const args = argumentsOf[file] ?? []
    const skipped = onServer.has(file) && !available
    it.skipIf(skipped)(`${[file, ...args].join(" ")} runs`, { timeout: 240_000 }, async () => {
      const { ended, output } = await (early.get(file) ?? ending(file))
      assert.deepStrictEqual(ended, [0, null], output)
      assert.notStrictEqual(output.trim(), "", "an example that prints nothing shows nothing")
    })
  }
})
