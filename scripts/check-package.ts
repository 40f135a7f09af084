import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deadLinks } from "./docs/links.ts"
import { problemsOf } from "./entry-points.ts"
import { packed } from "./packed.ts"
import { manifest, root, run, runBin } from "./run.ts"

// Checks the tarball that npm would publish, which is built and packed unless that has been done for the same files: publint
// for its package.json and files (the program's file is there, with a shebang), and "are the types wrong" for what TypeScript
// users get from each entry point. Then it unpacks the tarball: links of its documents lead to files in it, the program says
// its version, and programs of both kinds of modules load it.
const folder = mkdtempSync(join(tmpdir(), "cogito-pack-"))

/** Unpacks into a project that has nothing else but effect. */
const unpack = (tarball: string, name: string): string => {
  const modules = join(folder, "node_modules")
  mkdirSync(modules)
  const { output, status } = run("tar", ["-xzf", tarball, "-C", folder])
  if (status !== 0) throw new Error(output)
  renameSync(join(folder, "package"), join(modules, name))
  symlinkSync(join(root, "node_modules", "effect"), join(modules, "effect"), "junction")
  return join(modules, name)
}

const complain = (problem: string): false => {
  process.stderr.write(`${problem}\n`)
  return false
}

const typesFit = async (unpacked: string): Promise<boolean> => {
  const problems = await problemsOf(unpacked)
  return problems.length === 0 || complain(`TypeScript does not find what runs:\n${problems.join("\n")}`)
}

const linksLead = (unpacked: string): boolean => {
  const documents = globSync("{*.md,docs/**/*.md,llms.txt}", { cwd: unpacked })
  const dead = deadLinks(
    unpacked,
    documents.map((path) => path.replaceAll("\\", "/"))
  )
  if (documents.length < 20) return complain(`The package has only ${documents.length} documents.`)
  return dead.length === 0 || complain(`These links lead to nothing in the package:\n${dead.join("\n")}`)
}

const programsRun = (unpacked: string): boolean => {
  const { bin }: { readonly bin: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(unpacked, "package.json"), "utf8")
  )
  return Object.entries(bin).every(([command, file]) => {
    const { output, status } = run(process.execPath, [join(unpacked, file), "--version"])
    const runs = status === 0 && output.trim() === `${command} v${manifest().version}`
    return runs || complain(`The program ${command} does not run:\n${output}`)
  })
}

const uses = "Pipeline.outline(Step.make('one', { run: () => 1 })) === '- one: step' ? 0 : 1"
const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  require: ["-e", `const { Pipeline, Step } = require("cogito"); process.exitCode = ${uses}`],
  import: ["--input-type=module", "-e", `import { Pipeline, Step } from "cogito"; process.exitCode = ${uses}`]
}

const modulesLoad = (): boolean =>
  Object.entries(ways).every(([way, args]) => {
    const { output, status } = run(process.execPath, args, { cwd: folder })
    return (status === 0 && output === "") || complain(`${way} of the package does not work:\n${output}`)
  })

try {
  const { tarball } = await packed()
  const publint = runBin("publint", "publint", ["run", tarball, "--strict"], { inherit: true })
  const unpacked = unpack(tarball, manifest().name)
  const checks = [await typesFit(unpacked), linksLead(unpacked), programsRun(unpacked), modulesLoad()]
  process.exitCode = publint.status === 0 && checks.every(Boolean) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
