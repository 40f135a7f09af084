import { figure, ratio, type Results, type Scenario, type Start, times, whole } from "../harness/scenario.ts"

const imports = {
  "effect/Effect, Schema and Stream": ["effect/Effect", "effect/Schema", "effect/Stream"],
  effect: ["effect"],
  ai: ["ai"],
  "effect/ai/LanguageModel": ["effect/Effect", "effect/Schema", "effect/ai/LanguageModel"],
  "@langchain/langgraph": ["@langchain/langgraph"],
  "cogito: Pipeline, Primitive and Thought": ["cogito/Pipeline", "cogito/Primitive", "cogito/Thought"],
  cogito: ["cogito"]
}

const bundles = {
  "AI SDK": "aiSdk",
  "effect/ai": "effectAi",
  "cogito: decide": "decide",
  "cogito: decide, in-process memory": "decideInMemory"
}

const programs = { "AI SDK": "aiSdk", "effect/ai": "effectAi", LangGraph: "langGraph", cogito: "cogito" }

const entries = <A>(all: Readonly<Record<string, A>>, kind: string, start: (one: A) => Start): Record<string, Start> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [`${kind} ${name}`, start(one)]))

const subjects = {
  ...entries(imports, "import", (modules) => async () => {
    const { importing } = await import("../libraries/loading/cpu.ts")
    importing(modules)
    return async () => ({ cpu: importing(modules) })
  }),
  ...entries(bundles, "bundle", (program) => async () => {
    const { bytesOf } = await import("../libraries/loading/bundle.ts")
    const [bytes, own] = [await bytesOf(program), await bytesOf(program, [/^effect(\/|$)/])]
    return async () => ({ bytes: bytes / 1000, own: own / 1000 })
  }),
  ...entries(programs, "types", (program) => async () => {
    const { checking, linesOf } = await import("../libraries/loading/types.ts")
    const { checkTriage } = await import("../libraries/loading/triage.ts")
    await checkTriage(program)
    return async () => ({ ...checking(program), lines: linesOf(program) })
  })
}

const reference = "import effect/Effect, Schema and Stream"

const size = (results: Results, what: string, subject: string, name: string, limit: number) => ({
  what,
  limit,
  measured: figure(results, `bundle ${subject}`, name),
  unit: " kB"
})

const report = (results: Results) => ({
  tables: [
    {
      name: "CPU of an import in a new process",
      columns: ["", "ms", "beside effect/Effect, Schema and Stream"],
      rows: Object.keys(imports).map((name) => [
        name,
        whole(figure(results, `import ${name}`, "cpu")),
        times(ratio(results, "cpu", `import ${name}`, reference))
      ])
    },
    {
      name: "Bundle of one yes/no question for browsers, in kB",
      columns: ["", "whole", "without effect"],
      rows: Object.keys(bundles).map((name) => [
        name,
        figure(results, `bundle ${name}`, "bytes").toFixed(1),
        name === "AI SDK" ? "" : figure(results, `bundle ${name}`, "own").toFixed(1)
      ])
    },
    {
      name: "A program that triages a ticket",
      columns: ["", "lines", "type check, ms", "of that checking, ms", "instantiated types"],
      rows: Object.keys(programs).map((name) => [
        name,
        ...["lines", "total", "check", "instantiations"].map((what) => whole(figure(results, `types ${name}`, what)))
      ])
    }
  ],
  goals: [
    {
      what: "CPU of importing what decide needs, beside effect/Effect, Schema and Stream",
      limit: 1.25,
      measured: ratio(results, "cpu", "import cogito: Pipeline, Primitive and Thought", reference),
      unit: " ×"
    },
    size(results, "Bundle of decide, own code", "cogito: decide", "own", 24),
    size(results, "Bundle of decide, whole", "cogito: decide", "bytes", 64),
    size(
      results,
      "Bundle of decide with the in-process memory, own code",
      "cogito: decide, in-process memory",
      "own",
      36
    ),
    size(
      results,
      "Bundle of decide with the in-process memory, whole",
      "cogito: decide, in-process memory",
      "bytes",
      85
    )
  ]
})

export const scenario: Scenario = {
  method: `- Import: CPU time of \`import\` in a new process, without the start of the process, with no cache of compiled code.
- Bundle: Rolldown for browsers, minified, each file compressed by gzip at its highest level. Each bundle is run up to its
  first answer by a stub of a model, and every file loaded until then counts. The provider is the caller's own. The second
  column is what the library adds to a program that has Effect.
- Types: each program extracts the fields of a ticket, searches earlier tickets, and asks for a category, a mood and whether
  to escalate, with reasons. The search is the caller's own, but for cogito, whose memory is part of it. Lines are those that
  are not blank, as oxfmt formats them. The compiler checks each program alone, with the libraries' declarations.`,
  rounds: 5,
  quickRounds: 2,
  subjects,
  report
}
