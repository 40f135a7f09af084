import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, isAbsolute, join } from "node:path"
import { modulesOf } from "../../scripts/docs/api/modules.ts"
import { readSources } from "../../scripts/docs/api/sources.ts"
import { bin, brief, manifest, root, run } from "../../scripts/run.ts"
import { databaseFlags } from "../flags.ts"
import { prefill } from "../pglite/prefilled.ts"
import { link, packInto, project, share, succeed } from "./pack.ts"
import { exporting } from "./exporting.ts"
import { packageOf, peersOf } from "./peers.ts"

// What a user installs: the sources are built and packed as for publishing, the tarball is installed by npm without a
// network, and every entry point is imported and type-checked with no packages present but effect and its own peers.

const subpaths = Object.keys(manifest().exports).filter((subpath) => subpath !== "./package.json")
const specifierOf = (subpath: string): string => manifest().name + subpath.slice(1)

/** Entry points with the same peers share one consumer project. */
const groups = Object.entries(Object.groupBy(subpaths, (subpath) => (peersOf[subpath] ?? []).join(" "))).map(
  ([peers, members = []]) => ({ peers: peers === "" ? [] : peers.split(" "), members, consumer: "" })
)

/** Outside the project, so that consumers find nothing but what they were given. */
const outside = mkdtempSync(join(tmpdir(), "cogito-package-"))
let installed = ""

beforeAll(async () => {
  installed = await packInto(outside)
  for (const [index, group] of groups.entries()) {
    group.consumer = project(outside, `consumer-${index}`)
    share(installed, join(group.consumer, "node_modules", manifest().name))
    link(group.consumer, ["effect", ...group.peers])
  }
}, 300_000)

afterAll(() => rmSync(outside, { recursive: true, force: true }), 300_000)

describe("the packed package", () => {
  it("holds the build, its sources, the documents and nothing else", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(installed.length + 1)
          .replaceAll("\\", "/")
      )
    const sources = files.filter((file) => file.startsWith("src/") && file.endsWith(".ts"))
    const built = sources.flatMap((file) => {
      const stem = file.replace(/^src\//, "dist/").slice(0, -".ts".length)
      return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`, `${stem}.d.ts.map`]
    })
    assert.isNotEmpty(sources)
    const [bundled = [], single = []] = [true, false].map((inFolder) =>
      files.filter((file) => file.startsWith("dist/") && file.startsWith("dist/node/") === inFolder)
    )
    assert.sameMembers(single, built)
    const entries = bundled.filter((file) => !file.startsWith("dist/node/chunks/") && file.endsWith(".js"))
    const { bin: programs, exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
      readonly bin: Readonly<Record<string, string>>
      readonly exports: Readonly<Record<string, { readonly node?: string }>>
    }
    const named = Object.values(exports).flatMap((one) => one.node?.slice(2) ?? [])
    assert.sameMembers(entries, [...named, ...Object.values(programs)])
    assert.isBelow(bundled.filter((file) => file.endsWith(".js")).length, sources.length / 3)
    const documents = files.filter((file) => /^(docs|examples)\//.test(file))
    assert.include(documents, "docs/pipelines.md")
    for (const file of documents) assert.match(file, /^docs\/.+\.(md|png|svg)$|^examples\/.+\.ts$/)
    const others = files.filter((file) => !/^(src|dist|docs|examples)\//.test(file))
    const texts = ["README.md", "CHANGELOG.md", "THIRD-PARTY-NOTICES.md", "LICENSE", "llms.txt", "llms-full.txt"]
    assert.sameMembers(others, ["package.json", ...texts])
  })

  it("has maps that lead to the sources it ships", () => {
    const maps = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".map")
    )
    for (const file of maps) {
      const path = join(installed, "dist", file)
      const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(readFileSync(path, "utf8"))
      for (const source of map.sources) assert.isTrue(existsSync(join(dirname(path), source)), `${file}: ${source}`)
    }
  })

  it("has files for Node that never load one another in a circle, so that each can be the first", () => {
    const folder = join(installed, "dist", "node")
    const files = globSync("**/*.js", { cwd: folder }).map((file) => join(folder, file))
    const importedBy = new Map(
      files.map((file) => {
        const froms = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;"']*?["'](\.[^"']+)["']/gm)
        return [file, Array.from(froms, ([, path = ""]) => join(dirname(file), path))] as const
      })
    )
    assert.isAbove([...importedBy.values()].flat().length, files.length)
    // those whose imports are all settled are settled too, until no more are
    const settled = new Set<string>()
    for (let before = -1; before < settled.size;) {
      before = settled.size
      for (const [file, paths] of importedBy) if (paths.every((path) => settled.has(path))) settled.add(file)
    }
    assert.deepStrictEqual(
      files.filter((file) => !settled.has(file)),
      []
    )
  })

  it("gives the same values by its root and by its subpaths, in Node from the few files, by require too", () => {
    const code = `
      import { createRequire } from "node:module"
      import * as all from "cogito"
      import * as Step from "cogito/Step"
      import { PipelineError } from "cogito/Pipeline"
      const require = createRequire(process.cwd() + "/program.cjs")
      const same = [
        all.Step.make === Step.make,
        all.Pipeline.PipelineError === PipelineError,
        require("cogito").Step.make === require("cogito/Step").make,
        require("cogito/Step").make === Step.make
      ]
      process.stdout.write(JSON.stringify([same, import.meta.resolve("cogito")]))`
    const cwd = groups[0]?.consumer ?? ""
    const printed = succeed("the program", run(process.execPath, ["--input-type=module", "--eval", code], { cwd }))
    const [same, path]: [ReadonlyArray<boolean>, string] = JSON.parse(printed)
    assert.deepStrictEqual(same, [true, true, true, true])
    assert.isTrue(path.endsWith("/dist/node/index.js"), path)
  })

  /** Runs code where a subpath is installed, and returns what it prints, with what became of the threads in `seen`. */
  const printedBy = (subpath: string, code: string): unknown => {
    const watched = `
      const seen = []
      process.on("worker", (worker) => {
        seen.push("started")
        worker.on("exit", () => seen.push("ended"))
      })
      ${code}`
    const cwd = groups.find(({ members }) => members.includes(subpath))?.consumer ?? ""
    return JSON.parse(
      succeed(
        "the program",
        run(process.execPath, [...databaseFlags, "--input-type=module", "--eval", watched], { cwd })
      )
    )
  }

  it("computes the vectors of the offline encoder in worker threads", () => {
    const code = `
      import { Effect } from "effect"
      import { Embedder } from "cogito"
      import { Local } from "cogito/local"
      const program = Effect.flatMap(Embedder.Embedder, ({ embedMany }) => embedMany(["one", "two", "three"]))
      const vectors = await Effect.runPromise(Effect.provide(program, Local.embedderWith({ threads: 1 })))
      process.stdout.write(JSON.stringify([vectors.length, seen]))`
    assert.deepStrictEqual(printedBy("./local", code), [3, ["started"]])
  })

  it("runs the embedded database in a worker thread", async () => {
    const dataDir = join(outside, "memory")
    await prefill(dataDir)
    const code = `
      import { Effect } from "effect"
      import { PgliteMemory } from "cogito/pglite"
      const program = Effect.flatMap(PgliteMemory.makeStore({ dataDir: ${JSON.stringify(dataDir)} }), (store) => store.load("a", { traceId: "none" }))
      const found = await Effect.runPromise(Effect.scoped(program))
      process.stdout.write(JSON.stringify([found === undefined, seen]))`
    assert.deepStrictEqual(printedBy("./pglite", code), [true, ["started", "ended"]])
  })

  it("installs nothing by itself and asks for every package it can use as a peer", () => {
    const { dependencies, optionalDependencies, peerDependencies } = manifest(installed)
    assert.isUndefined(dependencies)
    assert.isUndefined(optionalDependencies)
    assert.sameMembers(Object.keys(peerDependencies), [
      "effect",
      ...new Set(Object.values(peersOf).flat().map(packageOf))
    ])
  })

  const modules = modulesOf(readSources(join(root, "src"), ".ts"))

  /** Those of which a package declares types for all files. Beside them, others would not miss such a type. */
  const declaresGlobals = ({ peers }: (typeof groups)[number]): boolean => peers.includes("openai")
  const others = groups.filter((group) => !declaresGlobals(group))
  let shared: ReadonlyArray<string> | undefined

  /** Checks these projects in one run of the compiler, which checks Effect once. A line is an error and what belongs to it. */
  const typeErrorsIn = (some: typeof groups): ReadonlyArray<string> => {
    for (const { consumer, members } of some) {
      const imports = members.map((subpath, index) => `import * as m${index} from "${specifierOf(subpath)}"`)
      // A type that cannot be resolved becomes `any`, silently; an entry point must have no export of that type.
      const checks = members.map((_, index) => `export const c${index}: NoAny<typeof m${index}> = true`)
      const helper = `type NoAny<M> = true extends { [K in keyof M]: 0 extends 1 & M[K] ? true : false }[keyof M] ? never : true`
      writeFileSync(join(consumer, "consumer.ts"), [...imports, helper, ...checks, ""].join("\n"))
      writeFileSync(join(consumer, "exporting.ts"), exporting(modules, members.map(specifierOf)))
    }
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      // the compiler's own declarations
      skipDefaultLibCheck: true,
      noEmit: true,
      // what is exported must have a declaration
      declaration: true,
      types: []
    }
    const files = some.flatMap(({ consumer }) => ["consumer.ts", "exporting.ts"].map((file) => join(consumer, file)))
    const name = `tsconfig.${some.length}.json`
    writeFileSync(join(outside, name), JSON.stringify({ compilerOptions, files }))
    const args = [bin("typescript", "tsc"), "-p", name, "--singleThreaded", "--pretty", "false", "--listFiles"]
    const { output, status } = run(process.execPath, args, { cwd: outside, env: brief })
    const lines = output.split(/\n(?!\s)/).filter((line) => line !== "")
    const [read = [], errors = []] = [true, false].map((isPath) => lines.filter((line) => isAbsolute(line) === isPath))
    for (const file of files) assert.include(read, file, output)
    if (some.length > 1) assert.isEmpty(read.filter((file) => file.includes("/@types/")))
    assert.strictEqual(status === 0, errors.length === 0, output)
    return errors
  }

  for (const group of groups) {
    const alone = ["effect", ...group.peers].join(" and ")
    let outcomes: ReadonlyMap<string, ReadonlyArray<string> | string> | undefined
    /** The names that an entry point exports, or why it cannot be imported. One process imports those of the group. */
    const outcomeOf = (subpath: string): ReadonlyArray<string> | string | undefined => {
      const code = `
        const outcomes = []
        for (const specifier of ${JSON.stringify(group.members.map(specifierOf))}) {
          const outcome = await import(specifier).then(Object.keys, (error) => String(error.stack))
          outcomes.push([specifier, outcome])
        }
        process.stdout.write(JSON.stringify(outcomes))`
      outcomes ??= new Map(
        JSON.parse(
          succeed(
            `import of ${group.members.map(specifierOf).join(", ")}`,
            run(process.execPath, ["--input-type=module", "--eval", code], { cwd: group.consumer })
          )
        )
      )
      return outcomes.get(specifierOf(subpath))
    }
    for (const subpath of group.members) {
      it(`imports ${specifierOf(subpath)} with only ${alone} installed`, () => {
        const outcome = outcomeOf(subpath)
        assert.isArray(outcome, String(outcome))
        if (subpath === "./types") assert.isEmpty(outcome, "it exports more than types")
        else assert.isNotEmpty(outcome, "it exports nothing")
      })
    }

    it(`type-checks for a user with only ${alone} installed, who exports what it infers`, () => {
      const checked = declaresGlobals(group) ? typeErrorsIn([group]) : (shared ??= typeErrorsIn(others))
      const own = `${basename(group.consumer)}/`
      // an error in no project is one of all
      assert.deepStrictEqual(
        checked.filter((line) => line.startsWith(own) || !line.startsWith("consumer-")),
        []
      )
    })
  }
})
