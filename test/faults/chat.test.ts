import { OpenAi } from "cogito/openai"
import { chat } from "./chat.ts"
import { testAdapter } from "./suite.ts"

testAdapter(chat, (origin, options) =>
  OpenAi.make({ model: "gpt-4o", api: "chat", baseUrl: `${origin}/v1`, ...options })
)
