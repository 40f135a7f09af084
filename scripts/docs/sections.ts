import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../run.ts"

/**
 * The pages of the documentation in their order. A page of `docs` belongs to one section. Patterns may match nothing,
 * pages that are named must exist.
 */
const table: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Start here": ["README.md", "docs/{start-here,tutorial,features,without-effect,effect}.md"],
  Concepts: [
    "docs/concepts/thoughts-and-notes.md",
    "docs/concepts/context.md",
    "docs/concepts/memory.md",
    "docs/concepts/durable-runs.md",
    "docs/concepts/agents.md",
    "docs/concepts/*.md",
    "docs/glossary.md"
  ],
  Pipelines: [
    "docs/primitives.md",
    "docs/pipelines.md",
    "docs/how-it-works.md",
    "docs/context.md",
    "docs/custom-primitives.md",
    "docs/durability.md",
    "docs/spec.md"
  ],
  "Models and memory": ["docs/providers.md", "docs/parsing.md", "docs/memory.md"],
  Agents: ["docs/agents.md", "docs/tools.md"],
  "Tests and insight": [
    "docs/testing.md",
    "docs/report.md",
    "docs/{studio,signals,telemetry}.md",
    "docs/benchmarks.md"
  ],
  Cookbook: ["docs/cookbook/{index,README}.md", "docs/cookbook/*.md"],
  "Coming from": ["docs/coming-from-*.md"],
  Project: [
    "docs/platforms.md",
    "docs/browser.md",
    "docs/scope.md",
    "docs/architecture.md",
    "CHANGELOG.md",
    "THIRD-PARTY-NOTICES.md"
  ],
  Decisions: ["docs/decisions/*.md"]
}

export interface Page {
  /** From the root of the project. */
  readonly path: string
  /** Its first heading, or what `titles` has. */
  readonly title: string
  /** Its first paragraph. */
  readonly summary: string
}

/** In navigation, where the heading says too little. */
const titles: Readonly<Record<string, string>> = { "README.md": "Overview" }

export interface Section {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

const outsideCode = (text: string): string => text.replace(/^(`{3,})[\s\S]*?^\1$/gm, "")

const pageOf = (path: string): Page => {
  const text = outsideCode(readFileSync(join(root, path), "utf8"))
  const title = /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`${path} has no heading`)
  const summary = text.split(/\n{2,}/).find((part) => /^[\w`*[]/.test(part.trim())) ?? ""
  return { path, title: titles[path] ?? title.replaceAll("`", ""), summary: summary.trim().replaceAll("\n", " ") }
}

/** The files of patterns, in the order of the patterns. */
const filesOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const files = patterns.flatMap((pattern) =>
    // a pattern with several names keeps their order
    /[*{]/.test(pattern)
      ? pattern.includes("*")
        ? globSync(pattern, { cwd: root }).toSorted()
        : bracesOf(pattern).flatMap((path) => globSync(path, { cwd: root }))
      : [pattern]
  )
  return [...new Set(files.map((file) => file.replaceAll("\\", "/")))]
}

const bracesOf = (pattern: string): ReadonlyArray<string> => {
  const [whole = "", names = ""] = /\{([^}]*)\}/.exec(pattern) ?? []
  return names.split(",").map((name) => pattern.replace(whole, name))
}

export const sections = (): ReadonlyArray<Section> =>
  Object.entries(table).map(([title, patterns]) => ({ title, pages: filesOf(patterns).map(pageOf) }))
