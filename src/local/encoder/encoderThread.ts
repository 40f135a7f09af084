/** The program of a worker thread: it answers each text with its vector, in order. */
import { parentPort, workerData } from "node:worker_threads"
import * as Encoder from "./encoder.ts"

// `threads.ts` starts this file with the weights, and sends nothing but texts
const { embed } = Encoder.make(workerData as Encoder.Weights)

parentPort?.on("message", (text: string) => {
  const vector = embed(text)
  parentPort?.postMessage(vector, [vector.buffer])
})
