import { adapters } from "./adapters.ts"
import { testAdapter } from "./suite.ts"

testAdapter(adapters.messages)
