// Runs offline: no key, no server. `npm run http-service`, then:
//   curl -H 'authorization: acme-key' -d '{"message":"Refund me today! Jane Doe"}' localhost:8080/triage
/** A service over HTTP with tenants, streams, and an orderly end: Ctrl-C waits for running requests. */
import { Local } from "cogito/local"
import { PgliteMemory } from "cogito/pglite"
import { Cogito } from "cogito/promise"
import { listen, service } from "./http-service/service.ts"

const ai = Cogito.make([Local.extractive, PgliteMemory.layer({ dataDir: ".cogito/http-service" }), Local.embedder])
const tenants = new Map([
  ["acme-key", "acme"],
  ["globex-key", "globex"]
])
const { server, stop } = service({ ai, tenants, graceMillis: 10_000, log: console.log })

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop())
console.log(`http://localhost:${await listen(server, Number(process.env["PORT"] ?? 8080))}`)
