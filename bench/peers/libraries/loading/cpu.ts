/** Milliseconds of CPU that a new process takes to import modules, without its own start. */
import { execFileSync } from "node:child_process"
import { peers } from "../../harness/install.ts"

export const importing = (modules: ReadonlyArray<string>): number => {
  const program =
    `const before = process.cpuUsage(); await Promise.all(${JSON.stringify(modules)}.map((name) => import(name)));` +
    "const { system, user } = process.cpuUsage(before); process.stdout.write(String((system + user) / 1000))"
  const args = ["--input-type=module", "-e", program]
  return Number(execFileSync(process.execPath, args, { cwd: peers, encoding: "utf8" }))
}
