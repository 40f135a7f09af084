import { assert, describe, it } from "@effect/vitest"
import { globSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { deadLinks, linksIn, anchorsIn } from "../../scripts/docs/links.ts"
import { sections } from "../../scripts/docs/sections.ts"
import { root } from "../../scripts/run.ts"

const pages = sections().flatMap((section) => section.pages.map(({ path }) => path))
const documents = globSync("docs/**/*.md", { cwd: root }).map((path) => path.replaceAll("\\", "/"))
const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

describe("the sections of the documentation", () => {
  it("have every page of docs once", () => {
    assert.deepStrictEqual(
      documents.filter((path) => !pages.includes(path)),
      [],
      "these pages are in no section of scripts/docs/sections.ts"
    )
    assert.deepStrictEqual(
      pages.filter((path, index) => pages.indexOf(path) !== index),
      []
    )
  })

  it("have pages that begin with a heading and a sentence", () => {
    for (const section of sections()) {
      for (const { path, summary, title } of section.pages) {
        assert.notStrictEqual(title, "", path)
        assert.notStrictEqual(summary, "", `${path} does not say what it is about`)
      }
    }
  })
})

describe("the links of the documentation", () => {
  it("lead to files and headings that exist", () => {
    assert.isAbove(documents.length, 40)
    assert.deepStrictEqual(deadLinks(root, [...new Set([...pages, ...documents])]), [])
  })

  it("lead to files that are published with the page", () => {
    const published = (path: string): boolean => files.some((file) => path === file || path.startsWith(`${file}/`))
    const lost = documents
      .concat(pages)
      .flatMap((page) =>
        linksIn(page, readFileSync(join(root, page), "utf8")).flatMap(({ line, path }) =>
          path === undefined || published(path) ? [] : [`${page}:${line}: ${path}`]
        )
      )
    assert.deepStrictEqual(lost, [])
  })
})

describe("the check of links", () => {
  it("finds links of prose, and none of code", () => {
    const text =
      "[a](b.md#c) `[x](y.md)` ![d](e.png)\n\n```md\n[f](g.md)\n```\n\n[h](https://example.com)\n[i]: docs/j.md\n"
    assert.deepStrictEqual(
      linksIn("docs/page.md", text).map(({ anchor, line, path }) => [line, path, anchor]),
      [
        [1, "docs/b.md", "c"],
        [1, "docs/e.png", ""],
        [7, undefined, ""],
        [8, "docs/docs/j.md", ""]
      ]
    )
  })

  it("makes the anchors that hosts of code make", () => {
    const text = "# The `a/b` page: what, why\n## Twice\n## Twice\n```sh\n# no heading\n```\n## [A link](x.md) & more\n"
    assert.deepStrictEqual([...anchorsIn(text)], ["the-ab-page-what-why", "twice", "twice-1", "a-link--more"])
  })

  it("finds missing files, missing headings, and what is outside the project", () => {
    const folder = join(import.meta.dirname, "dead")
    assert.isTrue(statSync(folder).isDirectory())
    assert.deepStrictEqual(deadLinks(folder, readdirSync(folder)), [
      "page.md:3: missing.md",
      "page.md:4: #nowhere",
      "page.md:5: other.md#nowhere",
      "page.md:6: ../sections.test.ts"
    ])
  })
})
