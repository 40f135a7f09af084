/** Which rooms of `src` may import which. A room is a folder; a folder in a folder is a room of its own. */

type Rooms = Readonly<Record<string, ReadonlyArray<string>>>

/** What every room may use: checks of arguments, texts to show, and schemas. They know nothing else of cogito. */
export const common: Rooms = {
  text: [],
  schema: [],
  arguments: []
}

/**
 * The rooms of the core, lowest first: a room imports only rooms that stand before it. Type imports count. The modules at
 * the top of `src` export what is public of these rooms, and no room of the core imports them.
 */
export const core: Rooms = {
  thought: [],
  "memory/model": ["thought"],
  signal: ["thought"],
  logs: ["thought", "memory/model", "signal"],
  run: ["thought", "memory/model", "signal"],
  limits: ["run"],
  "limits/budget": ["thought", "memory/model", "run", "limits"],
  "memory/embedding": ["thought", "memory/model", "run"],
  "memory/search": ["memory/model", "memory/embedding"],
  "memory/archive": ["thought", "memory/model"],
  "memory/inMemory": ["thought", "memory/model", "memory/embedding", "memory/search", "memory/archive"],
  memory: ["thought", "memory/model", "memory/embedding", "memory/search", "memory/archive", "memory/inMemory"],
  "step/runtime": ["thought", "run"],
  step: ["thought", "run", "limits", "limits/budget", "step/runtime"],
  provider: ["thought", "run", "limits", "limits/budget"],
  "provider/protocol": ["provider"],
  "provider/resilience": ["thought", "run", "limits", "limits/budget", "provider"],
  "provider/resumable": ["thought", "provider"],
  recording: ["provider"],
  "synapse/answer": [],
  "synapse/answer/marred/scan": ["synapse/answer"],
  "synapse/answer/marred/align": ["synapse/answer", "synapse/answer/marred/scan"],
  "synapse/answer/marred": ["synapse/answer", "synapse/answer/marred/scan", "synapse/answer/marred/align"],
  "synapse/answer/partial": ["synapse/answer/marred/scan"],
  synapse: [
    "thought",
    "run",
    "provider",
    "synapse/answer",
    "synapse/answer/marred/scan",
    "synapse/answer/marred/align",
    "synapse/answer/marred",
    "synapse/answer/partial"
  ],
  "primitive/reasoning": [
    "thought",
    "memory/model",
    "signal",
    "run",
    "memory",
    "step/runtime",
    "provider",
    "synapse/answer",
    "synapse"
  ],
  primitive: [
    "thought",
    "memory/model",
    "run",
    "memory/search",
    "memory",
    "step/runtime",
    "provider",
    "synapse/answer",
    "synapse",
    "primitive/reasoning"
  ],
  "pipeline/draw": ["step/runtime"],
  "pipeline/run": [
    "thought",
    "memory/model",
    "signal",
    "run",
    "limits/budget",
    "memory",
    "step/runtime",
    "primitive/reasoning"
  ],
  "pipeline/durable": [
    "thought",
    "memory/model",
    "run",
    "limits",
    "limits/budget",
    "memory",
    "step/runtime",
    "provider",
    "synapse/answer",
    "pipeline/draw",
    "pipeline/run"
  ],
  "pipeline/stored": ["thought", "memory/model", "logs", "memory", "step/runtime", "pipeline/draw", "pipeline/durable"],
  pipeline: [
    "thought",
    "memory/model",
    "logs",
    "run",
    "memory",
    "step/runtime",
    "provider",
    "recording",
    "synapse/answer/partial",
    "synapse",
    "primitive/reasoning",
    "pipeline/run",
    "pipeline/durable",
    "pipeline/stored"
  ]
}

/**
 * The rooms of the subpaths, lowest first. They import the public modules as a user would, and of the core's rooms those
 * that are named here.
 */
export const subpaths: Rooms = {
  http: ["provider"],
  anthropic: ["provider", "http"],
  "openai/api": ["provider", "provider/resumable", "http"],
  "openai/chat": ["provider", "http", "openai/api"],
  "openai/responses": ["provider", "provider/resumable", "http", "openai/api"],
  "openai/realtime": ["provider/resumable", "http", "openai/api", "openai/responses"],
  "openai/decisions": ["provider", "http", "openai/api", "openai/chat"],
  openai: [
    "provider",
    "provider/resumable",
    "http",
    "openai/api",
    "openai/chat",
    "openai/responses",
    "openai/realtime",
    "openai/decisions"
  ],
  rerank: ["http"],
  "effect-ai": ["provider", "synapse"],
  threads: [],
  "local/encoder": ["threads"],
  "local/language": [],
  "local/mind": ["local/encoder", "local/language"],
  "local/fields": ["local/language", "local/mind"],
  local: ["provider", "local/encoder", "local/language", "local/mind", "local/fields"],
  persistence: ["recording"],
  "sql/database": ["memory/model"],
  "sql/migrations": ["memory/model", "sql/database"],
  "sql/ledger": ["memory/model", "sql/database"],
  "sql/thoughts": ["thought", "memory/model", "sql/database", "sql/ledger"],
  "sql/vectors": ["sql/database"],
  "sql/lifecycle": ["memory/model", "memory/archive", "sql/database", "sql/ledger", "sql/thoughts"],
  "sql/search": ["memory/search", "sql/database", "sql/thoughts", "sql/vectors"],
  sql: ["memory/model", "sql/database", "sql/ledger", "sql/thoughts", "sql/vectors", "sql/lifecycle", "sql/search"],
  "pglite/directory": ["sql/database"],
  "pglite/engine": ["threads", "sql/database", "pglite/directory"],
  pglite: ["memory/model", "sql/database", "sql/migrations", "sql", "pglite/directory", "pglite/engine"],
  postgres: ["memory/model", "sql/database", "sql/migrations", "sql"],
  "spec/model": [],
  "spec/nodes": ["spec/model"],
  "spec/document": ["spec/model", "spec/nodes"],
  "spec/text": ["spec/model", "spec/document"],
  spec: ["run", "step/runtime", "spec/model", "spec/nodes", "spec/document", "spec/text"],
  "testing/contract/stage": [],
  "testing/contract/store": ["testing/contract/stage"],
  "testing/contract/lifecycle": ["testing/contract/stage"],
  "testing/contract/ledger": ["testing/contract/stage"],
  "testing/contract/search": ["testing/contract/stage"],
  "testing/contract": [
    "testing/contract/stage",
    "testing/contract/store",
    "testing/contract/lifecycle",
    "testing/contract/ledger",
    "testing/contract/search"
  ],
  testing: ["thought", "testing/contract"],
  telemetry: ["run"],
  types: [
    "thought",
    "memory/model",
    "signal",
    "limits",
    "limits/budget",
    "step/runtime",
    "step",
    "provider",
    "provider/resilience",
    "provider/resumable",
    "synapse",
    "primitive/reasoning",
    "pipeline/run",
    "pipeline/durable",
    "pipeline"
  ],
  tokenizer: [],
  "agent/model": ["thought", "run", "step/runtime", "provider", "synapse"],
  "agent/calls": ["thought", "run", "step/runtime", "synapse/answer/marred/scan", "primitive", "agent/model"],
  "agent/documents": [
    "thought",
    "run",
    "provider",
    "synapse/answer",
    "synapse",
    "primitive/reasoning",
    "agent/model",
    "agent/calls"
  ],
  "agent/rounds": [
    "thought",
    "run",
    "provider",
    "synapse/answer",
    "synapse",
    "primitive/reasoning",
    "agent/model",
    "agent/calls",
    "agent/documents"
  ],
  "agent/host": [],
  agent: [
    "thought",
    "run",
    "step/runtime",
    "synapse",
    "primitive/reasoning",
    "pipeline/run",
    "pipeline/durable",
    "agent/model",
    "agent/calls",
    "agent/documents",
    "agent/rounds",
    "agent/host"
  ],
  promise: ["thought", "memory/search", "pipeline/run", "pipeline", "agent"],
  "tools/kit": [],
  "tools/text": ["tools/kit"],
  "tools/disk": ["tools/kit"],
  "tools/process": ["tools/kit"],
  "tools/web": ["tools/kit", "tools/text"],
  tools: [
    "run",
    "memory/search",
    "primitive/reasoning",
    "agent/calls",
    "tools/kit",
    "tools/text",
    "tools/disk",
    "tools/process",
    "tools/web"
  ],
  workflow: ["thought", "memory/model", "pipeline/run", "pipeline/durable"],
  report: ["memory/model", "logs", "thought", "pipeline/durable"],
  studio: ["logs", "pipeline/durable", "report"],
  "cli/console": [],
  "cli/replay": ["recording", "cli/console"],
  "cli/memory": [
    "memory/model",
    "memory/archive",
    "local/mind",
    "pglite/directory",
    "pglite",
    "postgres",
    "cli/console"
  ],
  "cli/runs": [
    "memory/model",
    "logs",
    "synapse/answer/marred/scan",
    "pipeline/durable",
    "pipeline/stored",
    "spec",
    "cli/console",
    "cli/memory"
  ],
  "cli/report": ["report", "cli/console", "cli/memory", "cli/runs"],
  "cli/agent": [
    "pipeline/durable",
    "synapse/answer/marred/scan",
    "local",
    "anthropic",
    "openai",
    "agent/model",
    "agent/calls",
    "agent",
    "cli/console",
    "cli/memory",
    "cli/runs"
  ],
  "cli/watch": ["logs", "pipeline/durable", "cli/console", "cli/memory", "cli/runs"],
  "cli/studio": ["studio", "cli/console", "cli/memory"],
  cli: [
    "memory/model",
    "cli/console",
    "cli/replay",
    "cli/memory",
    "cli/runs",
    "cli/report",
    "cli/agent",
    "cli/watch",
    "cli/studio"
  ]
}

/** Rooms that several subpaths share, with the names of these: their packages must be peers of all of them. */
export const sharedBy: Rooms = {
  http: ["anthropic", "openai"],
  threads: ["local", "pglite"],
  sql: ["pglite", "postgres"]
}

/**
 * The tests to run after a change of a folder of `src`, apart from the folder of its name in `test`: what it does is proved
 * where it is used too. Folders, and beginnings of the names of files, below `test`. `npm run test:room` runs them.
 */
export const proofs: Rooms = {
  agent: ["calls", "promise/chat", "safety"],
  anthropic: ["calls", "faults", "modes"],
  arguments: ["foreignIssues", "messages", "misuse", "otherHandle", "slips"],
  "effect-ai": ["calls", "faults"],
  http: ["anthropic", "faults", "modes", "openai"],
  limits: ["durable/budgets", "pipeline", "provider"],
  logs: ["agent/logs", "durable/logs", "report/totals", "thought"],
  memory: ["durable", "Memory"],
  openai: ["calls", "faults", "modes"],
  pipeline: ["durable", "properties"],
  primitive: ["durable/kinds", "synapse"],
  provider: ["anthropic", "calls", "faults", "modes", "openai", "Provider"],
  recording: ["calls/layers", "cli/replay", "provider/recording"],
  run: ["durable", "pipeline", "signal"],
  schema: ["foreignIssues", "openai/strictForms", "primitive/standard", "synapse"],
  signal: ["pipeline", "properties", "Signal"],
  sql: ["memory", "pglite", "postgres"],
  step: ["durable", "pipeline", "properties", "Step"],
  synapse: ["corpus", "primitive", "safety", "telemetry"],
  testing: ["contract-mutants", "memory/inMemory"],
  text: ["safety", "thought"],
  thought: ["Note", "pipeline/forks", "primitive", "properties", "Session", "Thought"],
  threads: ["local/threads", "pglite/thread"],
  tools: ["agent"],
  workflow: ["durable/resumed"]
}
