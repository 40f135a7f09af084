/**
 * PGlite's files in a folder, with four additions: a flush by Postgres reaches the disk, now or where the log may wait, later;
 * only the user who made the files may use them; and a write that failed for want of space is remembered.
 *
 * Windows has no such rights and cannot flush folders, so neither is tried there.
 */
import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { fsyncSync } from "node:fs"
import { privateMode } from "../directory/modes.ts"
import { isZero, LateLog } from "./lateLog.ts"

type Options = Parameters<NodeFS["init"]>[1]
type Module = Parameters<NonNullable<Options["preRun"]>[number]>[0]

interface Stream {
  readonly nfd: number
  /** Within Emscripten's files. */
  readonly path: string
  readonly node: { readonly mode: number }
}

interface Attributes {
  readonly mode?: number
  readonly size?: number
}

/** The parts of Emscripten's files on Node that are used here; it has no types for them. */
interface NodeFiles {
  readonly node_ops: {
    mknod: (parent: unknown, name: string, mode: number, device: number) => unknown
    rename: (...what: ReadonlyArray<unknown>) => void
    setattr: (node: unknown, attributes: Attributes) => void
    unlink: (...what: ReadonlyArray<unknown>) => void
  }
  readonly stream_ops: {
    close: (stream: Stream) => void
    fsync?: (stream: Stream) => number
    setattr: (stream: Stream, attributes: Attributes) => void
    write: (stream: Stream, buffer: Int8Array, offset: number, length: number, place: number) => number
  }
}

interface WithFiles {
  readonly FS: { readonly filesystems: { readonly NODEFS: NodeFiles } }
}

/** Emscripten's numbers of ENOSPC and EDQUOT. */
const full = new Set([51, 19])

const isFolder = (mode: number): boolean => (mode & 0o170_000) === 0o040_000

const isLog = ({ path }: Stream): boolean => path.includes("/pg_wal/")

const flushNow = ({ nfd, node }: Stream): void => {
  if (process.platform !== "win32" || !isFolder(node.mode)) fsyncSync(nfd)
}

const closed = <A extends Attributes>(attributes: A): A =>
  attributes.mode === undefined ? attributes : { ...attributes, mode: privateMode(attributes.mode) }

export class Disk extends NodeFS {
  /** Whether a write has failed because there was no space. */
  full = false
  /** How many new files of the log were made; reused ones do not count. */
  segments = 0
  /** The log, which may be flushed later. */
  readonly log = new LateLog(flushNow)

  override async init(pglite: PGlite, options: Options): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options)
    // Emscripten's own types of its files are not installed
    const change = (module: Module) => this.#change((module as unknown as WithFiles).FS.filesystems.NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), change] } }
  }

  #change({ node_ops, stream_ops }: NodeFiles): void {
    const { mknod, rename, setattr, unlink } = node_ops
    const { close, setattr: setattrOpen, write } = stream_ops
    const { log } = this
    const change = (attributes: Attributes) => {
      if (attributes.size !== undefined) log.flush()
      return closed(attributes)
    }
    node_ops.mknod = (parent, name, mode, device) => {
      if (name.startsWith("xlogtemp.")) this.segments += 1
      return mknod(parent, name, privateMode(mode), device)
    }
    node_ops.rename = (...what) => {
      log.flush()
      rename(...what)
    }
    node_ops.unlink = (...what) => {
      log.flush()
      unlink(...what)
    }
    node_ops.setattr = (node, attributes) => setattr(node, change(attributes))
    stream_ops.setattr = (stream, attributes) => setattrOpen(stream, change(attributes))
    stream_ops.close = (stream) => {
      if (log.has(stream)) log.flush()
      close(stream)
    }
    stream_ops.write = (stream, buffer, offset, length, place) => {
      if (!isLog(stream) && !isZero(buffer, offset, length)) log.flush()
      try {
        return write(stream, buffer, offset, length, place)
      } catch (error) {
        if (full.has((error as { readonly errno?: number }).errno ?? 0)) this.full = true
        throw error
      }
    }
    stream_ops.fsync = (stream) => {
      if (isLog(stream)) {
        log.add(stream)
        if (!log.mayWait) log.flush()
      } else {
        log.flush()
        flushNow(stream)
      }
      return 0
    }
  }
}
