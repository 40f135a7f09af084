/** Reads branches in texts of one another, as a process of its own, and prints what came of it. */
import { Branch, inOneAnother } from "./branches.ts"
import { refusals } from "./reading.ts"

for (const parsing of ["strict", "lenient", "lossy"] as const) {
  const isRefused = refusals(Branch, parsing, inOneAnother()).length > 0
  process.stdout.write(`${parsing}: ${isRefused ? "refused" : "read"}\n`)
}
