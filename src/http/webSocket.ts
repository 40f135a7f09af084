/** Opens WebSockets to a model's server, within limits of time and size, with the errors that the same calls have over HTTP. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { Connection, ProviderError } from "../Provider.ts"
import type { Deadlines } from "./deadlines.ts"
import { parse } from "./decoding.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import { errorIn, reasonOf } from "./failure.ts"
import { lookingAt, type Refusal } from "./handshake.ts"
import { unreachable } from "./unreachable.ts"

/** An open socket. */
export interface Opened extends Connection {
  readonly isOpen: () => boolean
  /** Takes the frames that have come and that nobody has received. */
  readonly unread: () => ReadonlyArray<string>
}

/** Where a socket goes, and what its request carries. */
export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Whether this runtime has WebSockets that can carry a key. Those of browsers cannot. */
export const hasSockets = (): boolean =>
  typeof globalThis.WebSocket === "function" && typeof globalThis.process?.versions?.node === "string"

/** The most characters of one message. */
const longest = 32 * 1024 * 1024

/** The address of a socket: that of an `http` or `https` address. */
export const socketUrl = (baseUrl: string, path: string): string =>
  `${baseUrl.replace(/^http/, "ws").replace(/\/+$/, "")}${path}`

/** Why the server has opened no socket. */
const refusedBy = (refusal: Refusal, endpoint: Endpoint, now: number): ProviderError => {
  const { error, headers, status, text } = refusal
  if (status === undefined) return fail(endpoint, unreachable(error, endpoint))
  const problem = errorIn(parse(text)) ?? {}
  return fail(endpoint, reasonOf({ ...problem, status, headers }, endpoint, now), {
    headers,
    requestId: problem.requestId
  })
}

const textOf = (data: unknown): string => {
  if (typeof data === "string") return data
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : ""
}

/**
 * Opens a socket.
 *
 * **Details**
 *
 * - Fails as an HTTP call fails with the status with which the server refuses the socket, and with `Connection` if there is
 *   no response, or `Timeout` if it takes longer than `connect`.
 * - `receive` fails with `Connection` once the socket is closed, with `Timeout` if nothing comes for `idle`, and with
 *   `InvalidResponse` for a message that is too long.
 * - The socket closes with its scope at the latest.
 */
export const openSocket = (
  { headers, url }: Address,
  endpoint: Endpoint,
  { connect, idle, total }: Deadlines
): Effect.Effect<Opened, ProviderError, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) =>
    Effect.callback<Opened, ProviderError>((resume) => {
      const refusal: Refusal = { status: undefined, headers: new Headers(), text: "", error: undefined }
      const frames = Queue.make<string, ProviderError>().pipe(Effect.runSync)
      // Node's own takes headers and a dispatcher, of which the types of browsers know nothing.
      const init = { headers, ...lookingAt(refusal) } as unknown as string
      let socket: WebSocket
      try {
        socket = new WebSocket(url, init)
      } catch {
        const message = "a socket could not be opened: check that headers and apiKey hold only what a header may"
        return resume(Effect.fail(fail(endpoint, { _tag: "InvalidRequest", message })))
      }
      socket.binaryType = "arraybuffer"
      const isOpen = (): boolean => socket.readyState === WebSocket.OPEN
      const broken = (): ProviderError =>
        fail(endpoint, { _tag: "Connection", message: `the connection to ${endpoint.host} was closed: try again` })
      socket.addEventListener("open", () => resume(Effect.succeed(connection)))
      socket.addEventListener("message", ({ data }) => {
        const text = textOf(data)
        if (text.length <= longest) {
          Queue.offerUnsafe(frames, text)
          return
        }
        const message = `${endpoint.host} sent a message of more than ${longest / 1024 / 1024} MiB: ask for less`
        Queue.failCauseUnsafe(frames, Cause.fail(fail(endpoint, { _tag: "InvalidResponse", message })))
        socket.close()
      })
      const end = (): void => {
        Queue.failCauseUnsafe(frames, Cause.fail(broken()))
        resume(Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(refusedBy(refusal, endpoint, now))))
      }
      socket.addEventListener("close", end)
      // in Node 22 no end follows the error of a socket that does not open
      socket.addEventListener("error", end)
      const late = fail(endpoint, {
        _tag: "Timeout",
        message: `${endpoint.host} sent nothing for ${Duration.format(idle)}: raise idleTimeout`
      })
      const connection: Opened = {
        isOpen,
        send: (frame: string) =>
          Effect.suspend(() => {
            if (!isOpen()) return Effect.fail(broken())
            socket.send(frame)
            return Effect.void
          }),
        unread: () => {
          const found: Array<string> = []
          for (let next = Queue.takeUnsafe(frames); next?._tag === "Success"; next = Queue.takeUnsafe(frames)) {
            found.push(next.value)
          }
          return found
        },
        receive: Effect.timeoutOrElse(Queue.take(frames), { duration: idle, orElse: () => Effect.fail(late) }),
        close: Effect.sync(() => socket.close())
      }
      Effect.runSync(Scope.addFinalizer(scope, connection.close))
    })
  ).pipe(
    Effect.timeoutOrElse({
      duration: Duration.min(connect, total),
      orElse: () =>
        Effect.fail(
          fail(endpoint, {
            _tag: "Timeout",
            message: `${endpoint.host} did not open a socket within ${Duration.format(connect)}: raise connectTimeout`
          })
        )
    })
  )
