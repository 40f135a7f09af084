/** A page in headless Chromium, driven over the DevTools protocol through a pipe. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { flags } from "./flags.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly message: string }
}

/** What Chromium needs to know of keys that are no characters. */
const codes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27 }

/** A page that is open. */
export interface Page {
  /** Opens another address in the same page. */
  readonly go: (url: string) => Promise<void>
  /** The value of an expression in the page, awaited. */
  readonly evaluate: <A>(expression: string) => Promise<A>
  /** Presses a key, as a person does. */
  readonly press: (key: string) => Promise<void>
  readonly write: (text: string) => Promise<void>
  readonly prefer: (scheme: "light" | "dark") => Promise<void>
  /** A picture of the window, as PNG. */
  readonly picture: () => Promise<Buffer>
  readonly print: () => Promise<Buffer>
  /** Addresses that the page has requested, its own included. */
  readonly requests: ReadonlyArray<string>
  /** What went wrong in the page: exceptions, and what its policy forbids. */
  readonly problems: ReadonlyArray<string>
  /** Empties both of these lists. */
  readonly forget: () => void
  readonly close: () => Promise<void>
}

export const openPage = async (url: string, size = { width: 1200, height: 900 }): Promise<Page> => {
  const profile = mkdtempSync(join(tmpdir(), "cogito-chromium-"))
  const child = spawn(
    process.env["CHROMIUM"] ?? "chromium",
    [...flags, "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
    { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] }
  )
  const ended = new Promise<void>((done) => child.once("close", () => done()))
  // the descriptors 3 and 4 are pipes, as `stdio` says
  const [, , , input, output] = child.stdio as unknown as ReadonlyArray<Writable & Readable>
  const open = new Map<number, (message: Message) => void>()
  const [requests, problems]: ReadonlyArray<Array<string>> = [[], []]
  let loaded: () => void = () => {}
  const onEvent = ({ method, params }: Message): void => {
    if (method === "Network.requestWillBeSent") requests!.push(params.request.url)
    else if (method === "Runtime.exceptionThrown") problems!.push(JSON.stringify(params.exceptionDetails))
    else if (method === "Log.entryAdded") problems!.push(params.entry.text)
    else if (method === "Page.loadEventFired") loaded()
  }
  let rest = ""
  output!.setEncoding("utf8").on("data", (data: string) => {
    const parts = `${rest}${data}`.split("\0")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const message: Message = JSON.parse(part)
      if (message.id === undefined) onEvent(message)
      else open.get(message.id)?.(message)
    }
  })
  let last = 0
  let sessionId: string | undefined
  const send = (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve, reject) => {
      const id = ++last
      open.set(id, ({ error, result }) => {
        open.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(`${method}: ${error.message}`))
      })
      input!.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
    })
  const close = async () => {
    // its helpers are in its group
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL")
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  const evaluate = async (expression: string): Promise<any> => {
    const { exceptionDetails, result } = await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true
    })
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  const press = async (key: string) => {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined
    const windowsVirtualKeyCode = codes[key] ?? 0
    const about = { key, windowsVirtualKeyCode, ...(text === undefined ? {} : { text }) }
    await send("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...about })
    await send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode })
    // until what it leads to is drawn, which may be another page
    const drawn = () => evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))")
    await drawn().catch((error: unknown) => {
      if (String(error).includes("navigated")) return drawn()
      throw error
    })
  }
  try {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" })
    sessionId = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(`${domain}.enable`)
    await send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 1, mobile: false })
    const go = async (url: string): Promise<void> => {
      const load = new Promise<void>((done) => {
        loaded = done
      })
      await send("Page.navigate", { url })
      await load
    }
    await go(url)
    return {
      go,
      evaluate,
      press,
      write: async (text) => {
        for (const sign of text) await press(sign)
      },
      prefer: async (scheme) => {
        await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
      },
      picture: async () => Buffer.from((await send("Page.captureScreenshot", { format: "png" })).data, "base64"),
      print: async () => Buffer.from((await send("Page.printToPDF", { printBackground: true })).data, "base64"),
      requests: requests!,
      problems: problems!,
      forget: () => {
        requests!.length = 0
        problems!.length = 0
      },
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
