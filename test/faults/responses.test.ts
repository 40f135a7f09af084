import { OpenAi } from "cogito/openai"
import { responses } from "./responses.ts"
import { testAdapter } from "./suite.ts"

testAdapter(responses, (origin, options) =>
  OpenAi.make({ model: "gpt-4o", api: "responses", baseUrl: `${origin}/v1`, ...options })
)
