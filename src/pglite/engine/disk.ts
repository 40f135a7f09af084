/**
 * PGlite's files in a folder, with three additions: a flush by Postgres reaches the disk, only the user who made the files may
 * use them, and a write that failed for want of space is remembered.
 *
 * Windows has no such rights and cannot flush folders, so neither is tried there.
 */
import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { fsyncSync } from "node:fs"
import { privateMode } from "../directory/modes.ts"

type Options = Parameters<NodeFS["init"]>[1]
type Module = Parameters<NonNullable<Options["preRun"]>[number]>[0]

interface Stream {
  readonly nfd: number
  readonly node: { readonly mode: number }
}

interface Attributes {
  readonly mode?: number
}

/** The parts of Emscripten's files on Node that are used here; it has no types for them. */
interface NodeFiles {
  readonly node_ops: {
    mknod: (parent: unknown, name: string, mode: number, device: number) => unknown
    setattr: (node: unknown, attributes: Attributes) => void
  }
  readonly stream_ops: {
    fsync?: (stream: Stream) => number
    setattr: (stream: Stream, attributes: Attributes) => void
    write: (stream: Stream, ...what: ReadonlyArray<unknown>) => number
  }
}

interface WithFiles {
  readonly FS: { readonly filesystems: { readonly NODEFS: NodeFiles } }
}

/** Emscripten's numbers of ENOSPC and EDQUOT. */
const full = new Set([51, 19])

const isFolder = (mode: number): boolean => (mode & 0o170_000) === 0o040_000

const closed = <A extends Attributes>(attributes: A): A =>
  attributes.mode === undefined ? attributes : { ...attributes, mode: privateMode(attributes.mode) }

export class Disk extends NodeFS {
  /** Whether a write has failed because there was no space. */
  full = false
  /** How many new files of the log were made; reused ones do not count. */
  segments = 0

  override async init(pglite: PGlite, options: Options): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options)
    // Emscripten's own types of its files are not installed
    const change = (module: Module) => this.#change((module as unknown as WithFiles).FS.filesystems.NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), change] } }
  }

  #change({ node_ops, stream_ops }: NodeFiles): void {
    const { mknod, setattr } = node_ops
    const { setattr: setattrOpen, write } = stream_ops
    node_ops.mknod = (parent, name, mode, device) => {
      if (name.startsWith("xlogtemp.")) this.segments += 1
      return mknod(parent, name, privateMode(mode), device)
    }
    node_ops.setattr = (node, attributes) => setattr(node, closed(attributes))
    stream_ops.setattr = (stream, attributes) => setattrOpen(stream, closed(attributes))
    stream_ops.write = (stream, ...what) => {
      try {
        return write(stream, ...what)
      } catch (error) {
        if (full.has((error as { readonly errno?: number }).errno ?? 0)) this.full = true
        throw error
      }
    }
    stream_ops.fsync = ({ nfd, node }) => {
      if (process.platform !== "win32" || !isFolder(node.mode)) fsyncSync(nfd)
      return 0
    }
  }
}
