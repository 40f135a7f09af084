import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { names, titles } from "../../bench/peers/harness/names.ts"
import { median, medians, percentile } from "../../bench/peers/harness/statistics.ts"

const root = join(import.meta.dirname, "..", "..")

describe("Benchmarks beside other libraries", () => {
  it("takes the middle of the values as their median", () => {
    assert.equal(median([3, 1, 2]), 2)
    assert.equal(median([4, 1, 3, 2]), 2.5)
    assert.throws(() => median([]), "no values")
  })

  it("takes percentiles by the nearest rank", () => {
    const values = Array.from({ length: 1000 }, (_, i) => 1000 - i)
    assert.equal(percentile(values, 0.99), 990)
    assert.equal(percentile(values, 1), 1000)
    assert.equal(percentile([7], 0.01), 7)
  })

  it("takes the median of each figure over the rounds that have it", () => {
    assert.deepEqual(medians([{ cpu: 1, heap: 10 }, { cpu: 3 }, { cpu: 2, heap: 20 }]), { cpu: 2, heap: 15 })
  })

  it("has a file for each scenario, and a part of the page with the title and goals of each", () => {
    const files = readdirSync(join(root, "bench", "peers", "scenarios")).map((file) => file.replace(".ts", ""))
    assert.deepEqual(files.toSorted(), names.toSorted())
    const page = readFileSync(join(root, "docs", "benchmarks.md"), "utf8")
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, ["Where we lose", ...names.map((name) => titles[name])])
  })

  it("has programs that import what the files beside them export", { timeout: 60_000 }, async () => {
    const input = readdirSync(join(root, "bench", "peers"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
      .map((file) => join(root, "bench", "peers", file))
    const build = await rolldown({ input, platform: "node", external: /^[^./]/, logLevel: "silent" })
    await build.generate({ format: "esm" })
    await build.close()
    assert.isAbove(input.length, names.length)
  })

  it("names in the page the versions that are installed", () => {
    const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(root, "bench", "peers", "package.json"), "utf8")
    )
    const page = readFileSync(join(root, "docs", "benchmarks.md"), "utf8")
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/)
      assert.include(page, `| ${name} | ${version} |`)
    }
    assert.isTrue(existsSync(join(root, "bench", "peers", "package-lock.json")))
  })
})
