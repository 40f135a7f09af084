import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph"
import { notes, type Open, text } from "./task.ts"

/** Bytes of everything that is serialized inside a value. */
export const bytesIn = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + bytesIn(inner), 0)
}

/** A node that adds a note to the state, as often as there are notes, with a checkpoint after each. */
export const saver: Open = async () => {
  const checkpointer = new MemorySaver()
  const State = Annotation.Root({
    notes: Annotation<Array<string>>({ reducer: (all, more) => [...all, ...more], default: () => [] })
  })
  const app = new StateGraph(State)
    .addNode("add", (state) => ({ notes: [text(state.notes.length)] }))
    .addEdge(START, "add")
    .addConditionalEdges("add", (state) => (state.notes.length < notes ? "add" : END))
    .compile({ checkpointer })
  const config = { configurable: { thread_id: "thread" }, recursionLimit: notes + 10 }
  return {
    write: async () => {
      await app.invoke({ notes: [] }, config)
    },
    stored: async () => ({
      bytes: { data: bytesIn(checkpointer.storage) + bytesIn(checkpointer.writes), search: 0, vectors: 0 },
      texts: (await app.getState(config)).values["notes"],
      statements: 0
    }),
    close: async () => {}
  }
}
