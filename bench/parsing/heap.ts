/**
 * Reads long hostile answers one after the other, in a process that may not use more memory than its flags allow.
 *
 * `node --max-old-space-size=… heap.ts LENGTH [FORM …]` prints each form before it is read, and `done` after the last.
 * Without a length it prints the megabytes that are in use before anything is read.
 */
import { Ticket } from "../../test/corpus/malformed/schemas.ts"
import { parse } from "../../test/corpus/parse.ts"
import { forms } from "./forms.ts"

const [length, ...names] = process.argv.slice(2)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

parse(Ticket, '{"title": "warm", urgent: "true",}', "lossy")
if (length === undefined) print(String(Math.ceil(process.memoryUsage().heapUsed / 2 ** 20)))
else {
  for (const [name, make] of Object.entries(forms)) {
    if (names.length > 0 && !names.includes(name)) continue
    print(name)
    for (const parsing of ["lenient", "lossy"] as const) parse(Ticket, make(Number(length)), parsing)
  }
  print("done")
}
