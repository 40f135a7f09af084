/** Encoders in worker threads. Texts are handed out one at a time, urgent ones first. */
import * as Threads from "../../threads/start.ts"
import * as Encoder from "./encoder.ts"

/** Texts to embed. */
interface Order {
  readonly texts: ReadonlyArray<string>
  /** Whether they come before all texts that are not urgent. */
  readonly urgent: boolean
  /** Called once, with a vector for each text, in order. */
  readonly done: (vectors: ReadonlyArray<Float32Array>) => void
  /** Called instead, maybe several times, if the calling thread cannot embed them. */
  readonly failed: (cause: unknown) => void
}

/** Embeds texts. Returns a function that withdraws those which have not begun. */
export type Embed = (order: Order) => () => void

/** One text of an order. */
interface Task {
  readonly text: string
  readonly done: (vector: Float32Array) => void
  readonly failed: (cause: unknown) => void
}

/** An order that is being handed out. */
interface Open {
  /** How many texts are to be handed out; 0 if the order is withdrawn. */
  readonly left: () => number
  readonly next: () => Task
}

/** What embeds one text at a time, so that an urgent one waits for no more than that. */
interface Member {
  task: Task | undefined
  readonly give: (text: string) => void
}

/**
 * Starts up to `count` threads, each when there is work for it. They share the weights, and keep the process alive only
 * while they work.
 *
 * If no thread can be started, or all have ended, texts are embedded in this thread, one in each turn of the event loop. So
 * are all texts if `count` is 0.
 */
export const make = (weights: Encoder.Weights, count: number): Embed => {
  const urgentOrders: Array<Open> = []
  const otherOrders: Array<Open> = []
  const idle: Array<Member> = []
  /** How many threads there are, and how many more may be started. */
  let started = 0
  let left = count

  /** The order to take the next text from. */
  const nextOpen = (): Open | undefined => {
    for (const queue of [urgentOrders, otherOrders]) {
      for (let [first] = queue; first !== undefined; [first] = queue) {
        if (first.left() > 0) return first
        queue.shift()
      }
    }
    return undefined
  }

  /** Ends the task of a member, which takes the next one first. */
  const finish = (member: Member, end: (task: Task) => void) => {
    const { task } = member
    member.task = undefined
    idle.push(member)
    dispatch()
    if (task !== undefined) end(task)
  }

  const startHere = (): Member => {
    let encoder: Encoder.Encoder | undefined
    const member: Member = {
      task: undefined,
      give: (text) =>
        setImmediate(() => {
          try {
            const vector = (encoder ??= Encoder.make(weights)).embed(text)
            finish(member, ({ done }) => done(vector))
          } catch (cause) {
            finish(member, ({ failed }) => failed(cause))
          }
        })
    }
    return member
  }

  const startThread = (): Member => {
    const worker = Threads.start(import.meta.url, "encoderThread", { name: "cogito encoder", workerData: weights })
    const member: Member = {
      task: undefined,
      give: (text) => {
        worker.ref()
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(text)
      }
    }
    worker.unref()
    worker.on("message", (vector: Float32Array) => {
      finish(member, ({ done }) => done(vector))
      if (member.task === undefined) worker.unref()
    })
    // the end of a thread follows its error
    worker.on("error", () => {})
    worker.on("exit", () => {
      left = 0
      started--
      const { task } = member
      if (task === undefined) idle.splice(idle.indexOf(member), 1)
      else urgentOrders.unshift({ left: () => (member.task === task ? 1 : 0), next: () => takeBack(member, task) })
      dispatch()
    })
    return member
  }

  /** Takes the task of a member that has ended. */
  const takeBack = (member: Member, task: Task): Task => {
    member.task = undefined
    return task
  }

  /** A member without a task: an idle one or a new one. */
  const free = (): Member | undefined => {
    const known = idle.pop()
    if (known !== undefined) return known
    if (left === 0) return started === 0 ? start(startHere) : undefined
    left--
    try {
      return start(startThread)
    } catch {
      left = 0
      return free()
    }
  }

  const start = (make: () => Member): Member => {
    const member = make()
    started++
    return member
  }

  const dispatch = () => {
    for (let open = nextOpen(); open !== undefined; open = nextOpen()) {
      const member = free()
      if (member === undefined) return
      const task = open.next()
      member.task = task
      member.give(task.text)
    }
  }

  return ({ done, failed, texts, urgent }) => {
    const vectors: Array<Float32Array> = []
    let missing = texts.length
    let handedOut = 0
    const next = (): Task => {
      const i = handedOut++
      return {
        // non-null: `left` says how many there are
        text: texts[i]!,
        failed,
        done: (vector) => {
          vectors[i] = vector
          missing--
          if (missing === 0) done(vectors)
        }
      }
    }
    const queue = urgent ? urgentOrders : otherOrders
    queue.push({ left: () => texts.length - handedOut, next })
    dispatch()
    return () => {
      handedOut = texts.length
    }
  }
}
