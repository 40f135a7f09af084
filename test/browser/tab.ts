/** A tab of headless Chromium that a test drives: it goes to pages, runs programs in them, and takes pictures. */
import { open } from "./chromium.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly message: string }
}

export interface Tab {
  /** The addresses of all requests so far. */
  readonly requests: ReadonlyArray<string>
  /** What programs of the pages failed with, and what they logged as errors. */
  readonly errors: ReadonlyArray<string>
  readonly go: (url: string) => Promise<void>
  /** Runs an expression in the page and returns its value, of which JSON is made. Promises are waited for. */
  readonly run: (expression: string) => Promise<any>
  /** Runs the expression until it returns something true. */
  readonly until: (expression: string) => Promise<any>
  readonly press: (text: string) => Promise<void>
  /** A PNG. */
  readonly picture: () => Promise<Buffer>
  readonly close: () => Promise<void>
}

const pause = (millis: number): Promise<void> => new Promise((done) => setTimeout(done, millis))

export const openTab = async (size = "1280,900"): Promise<Tab> => {
  const browser = open("about:blank", ["--remote-debugging-port=0", `--window-size=${size}`])
  let address: string | undefined
  for (let tries = 0; address === undefined; tries++) {
    if (tries > 400) throw new Error(`Chromium does not start: ${browser.output()}`)
    await pause(50)
    address = /ws:\/\/\S+/.exec(browser.output())?.[0]
  }
  const socket = new WebSocket(address)
  await new Promise((done, fail) => {
    socket.addEventListener("open", done)
    socket.addEventListener("error", fail)
  })
  const waiting = new Map<number, PromiseWithResolvers<any>>()
  const requests: Array<string> = []
  const errors: Array<string> = []
  let loaded = Promise.withResolvers<void>()
  socket.addEventListener("message", ({ data }) => {
    const { error, id, method, params, result }: Message = JSON.parse(String(data))
    if (id !== undefined) {
      if (error === undefined) waiting.get(id)?.resolve(result)
      else waiting.get(id)?.reject(new Error(error.message))
      waiting.delete(id)
    } else if (method === "Network.requestWillBeSent") requests.push(params.request.url)
    else if (method === "Page.loadEventFired") loaded.resolve()
    else if (method === "Runtime.exceptionThrown") errors.push(JSON.stringify(params.exceptionDetails))
    else if (method === "Log.entryAdded" && params.entry.level === "error") errors.push(JSON.stringify(params.entry))
  })
  let count = 0
  const ask = (method: string, params: object, sessionId?: string): Promise<any> => {
    const id = ++count
    const answer = Promise.withResolvers<any>()
    waiting.set(id, answer)
    socket.send(JSON.stringify({ id, method, params, sessionId }))
    return answer.promise
  }
  const { targetId } = await ask("Target.createTarget", { url: "about:blank" })
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true })
  const send = (method: string, params: object = {}): Promise<any> => ask(method, params, sessionId)
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(`${domain}.enable`)

  const run = async (expression: string): Promise<any> => {
    const { exceptionDetails, result } = await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  return {
    requests,
    errors,
    run,
    go: async (url) => {
      loaded = Promise.withResolvers()
      await send("Page.navigate", { url })
      await loaded.promise
    },
    until: async (expression) => {
      for (let tries = 0; tries < 300; tries++) {
        const value = await run(expression)
        if (value !== null && value !== undefined && value !== false && value !== "") return value
        await pause(50)
      }
      throw new Error(`It never became true: ${expression}`)
    },
    press: async (text) => {
      await send("Input.insertText", { text })
    },
    picture: async () => Buffer.from((await send("Page.captureScreenshot", { format: "png" })).data, "base64"),
    close: async () => {
      socket.close()
      await browser.close()
    }
  }
}
