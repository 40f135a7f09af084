/** Backends that see something else, and providers that say something else of themselves. */
import { extend } from "cogito/Provider"
import { type Mutation, onBackend, onProvider } from "./mutation.ts"
import { changesOf } from "./values.ts"

const backends = [
  ...[1, 2, 3, 12].map((count) =>
    onBackend(`backend: call ${count} is never over`, ({ open, received }) => ({
      open: () => open() + (received().length >= count ? 1 : 0)
    }))
  ),
  onBackend("backend: no call is ever open", () => ({ open: () => 0 })),
  ...changesOf([{ prompt: "", temperature: 0 }]).map(({ change, name }) =>
    onBackend(`backend: received ${name}`, ({ received }) => ({ received: () => change(received()) }))
  )
]

const about = changesOf({
  name: "",
  model: "",
  capabilities: {
    efforts: ["", ""],
    contextTokens: 0,
    outputTokens: 0,
    prices: { input: 0, output: 0, asOf: "" },
    temperature: ""
  }
})
  .filter(({ name }) => name !== "capabilities left out" && !/^(?:name|model) left out/.test(name))
  .map(({ change, name }) => onProvider(`about: ${name}`, (provider) => extend(provider, change({ ...provider }))))

export const surroundingMutations: ReadonlyArray<Mutation> = [...backends, ...about]
