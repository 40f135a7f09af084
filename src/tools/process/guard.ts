/** Ends the group of a command if this process ends before it. */
import { spawn } from "node:child_process"

/** Its input ends when this process has ended, in whatever way. */
const script = `read -r line; kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"`

/** Starts a process that no signal to this one or to its terminal reaches. Returns what ends it. */
const watch = (group: number): (() => void) => {
  const watcher = spawn("/bin/sh", ["-c", script, "cogito-guard", String(group)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  // where there is no shell, a command outlives a signal that ends this process
  watcher.on("error", () => {})
  watcher.stdin.on("error", () => {})
  watcher.unref()
  return () => {
    watcher.kill("SIGKILL")
    watcher.stdin.destroy()
  }
}

const open = new Set<() => void>()

const killAll = () => open.forEach((kill) => kill())

/** Guards a group until the function that it returns is called. `kill` ends it at once. */
export const guard = (group: number | undefined, kill: () => void): (() => void) => {
  if (group === undefined) return () => {}
  const unwatch = process.platform === "win32" ? () => {} : watch(group)
  if (open.size === 0) process.on("exit", killAll)
  open.add(kill)
  return () => {
    unwatch()
    open.delete(kill)
    if (open.size === 0) process.off("exit", killAll)
  }
}
