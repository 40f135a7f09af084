/**
 * A matrix product in WebAssembly SIMD, with weights that are copied in once.
 *
 * The source of the kernel is `matmul.wat` beside this file: out[T,N] = x[T,K] * w[K,N] + bias[N], N a multiple of 8.
 */
import { maxTokens } from "./tokenizer.ts"

const kernel =
  "AGFzbQEAAAABCwFgB39/f39/f38AAwIBAAUDAQABBw8CBm1lbW9yeQIAAm1tAAAK6gQB5wQDCH8LewF/IAVBAnQhDSAGQQJ0IQ5BACEIAkADQC" +
  "AIIA5PDQFBACEHAkADQCAHQQRqIARLDQEgAiAIav0ABAAhDyACIAhq/QAEECEQIA8hESAQIRIgDyETIBAhFCAPIRUgECEWIAAgByANbGohCiAK" +
  "IA1qIRogASAIaiELA0AgC/0ABAAhFyAL/QAEECEYIAr9CQIAIRkgDyAZIBf95gH95AEhDyAQIBkgGP3mAf3kASEQIAogDWohDCAM/QkCACEZIB" +
  "EgGSAX/eYB/eQBIREgEiAZIBj95gH95AEhEiAMIA1qIQwgDP0JAgAhGSATIBkgF/3mAf3kASETIBQgGSAY/eYB/eQBIRQgDCANaiEMIAz9CQIA" +
  "IRkgFSAZIBf95gH95AEhFSAWIBkgGP3mAf3kASEWIAsgDmohCyAKQQRqIQogCiAaSQ0ACyADIAcgDmxqIAhqIQwgDCAP/QsEACAMIBD9CwQQIA" +
  "wgDmohDCAMIBH9CwQAIAwgEv0LBBAgDCAOaiEMIAwgE/0LBAAgDCAU/QsEECAMIA5qIQwgDCAV/QsEACAMIBb9CwQQIAdBBGohBwwACwsCQANA" +
  "IAcgBE8NASACIAhq/QAEACEPIAIgCGr9AAQQIRAgACAHIA1saiEKIAogDWohGiABIAhqIQsDQCAK/QkCACEZIA8gGSAL/QAEAP3mAf3kASEPIB" +
  "AgGSAL/QAEEP3mAf3kASEQIAsgDmohCyAKQQRqIQogCiAaSQ0ACyADIAcgDmxqIAhqIQwgDCAP/QsEACAMIBD9CwQQIAdBAWohBwwACwsgCEEg" +
  "aiEIDAALCws="

/** The kernel's own signature: byte offsets into its memory, then the sizes. */
type Kernel = (x: number, w: number, bias: number, out: number, rows: number, inner: number, columns: number) => void

/** `x[rows, inner] * weights[inner, columns] + bias[columns]`, into a fresh array. */
export type Matmul = (
  x: Float32Array,
  rows: number,
  inner: number,
  weights: Float32Array,
  columns: number,
  bias: Float32Array
) => Float32Array

const pageBytes = 65_536
const align = (bytes: number) => (bytes + 15) & ~15

/**
 * Loads the kernel and copies the matrices into its memory. Later calls accept only these same arrays as weights and
 * bias. No operand may have more than `maxTokens` rows or be wider than `widest`.
 */
export const make = (matrices: ReadonlyArray<Float32Array>, widest: number): Matmul => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(kernel, "base64")))
  // A cast, because a module's exports are untyped; this module is the constant above.
  const { memory, mm } = exports as unknown as { readonly memory: WebAssembly.Memory; readonly mm: Kernel }
  const offsets = new Map<Float32Array, number>()
  let top = 0
  for (const matrix of matrices) {
    offsets.set(matrix, top)
    top = align(top + matrix.byteLength)
  }
  const room = maxTokens * widest
  const inOffset = top
  const outOffset = inOffset + room * 4
  memory.grow(Math.ceil((outOffset + room * 4) / pageBytes))
  for (const [matrix, offset] of offsets) new Float32Array(memory.buffer, offset, matrix.length).set(matrix)
  const input = new Float32Array(memory.buffer, inOffset, room)
  const output = new Float32Array(memory.buffer, outOffset, room)
  // Non-null: callers pass only matrices that they passed to `make`.
  const offsetOf = (matrix: Float32Array) => offsets.get(matrix)!
  return (x, rows, inner, weights, columns, bias) => {
    input.set(x)
    // The kernel computes four rows at once. Two or three single rows cost more than four, so leftovers in the memory
    // fill up.
    const whole = rows % 4 < 2 ? rows : rows - (rows % 4) + 4
    mm(inOffset, offsetOf(weights), offsetOf(bias), outOffset, whole, inner, columns)
    return output.slice(0, rows * columns)
  }
}
