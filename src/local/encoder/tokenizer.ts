/**
 * Splits text into the pieces that the sentence encoder knows: a SentencePiece unigram model, searched with Viterbi.
 */

/**
 * A piece and the logarithm of its probability. The published vocabulary has null for seven pieces with colons; it
 * counts as 0.
 */
export type Piece = readonly [piece: string, score: number | null]

/** Ids of the pieces of a text: at least one, at most `maxTokens`. */
export type Tokenizer = (text: string) => ReadonlyArray<number>

/** The model itself truncates here. */
export const maxTokens = 128

// 128 pieces are at most about 2,000 characters of known words. The rest is ignored, so a huge text costs no more.
const maxCharacters = 16_384
const unknown = 0
const firstPiece = 6
const unknownPenalty = -100
const space = "\u2581"

/**
 * Builds the tokenizer of a vocabulary. Characters that no piece covers become the unknown piece; a run of them becomes
 * one.
 */
export const make = (vocabulary: ReadonlyArray<Piece>): Tokenizer => {
  const ids = new Map<string, number>()
  const scores = vocabulary.map(([, score]) => score ?? 0)
  let longest = 1
  for (const [id, [piece]] of vocabulary.entries()) {
    if (id < firstPiece) continue
    ids.set(piece, id)
    longest = Math.max(longest, Array.from(piece).length)
  }
  return (text) => {
    const characters = Array.from((space + text.slice(0, maxCharacters).normalize("NFKC")).replaceAll(" ", space))
    const length = characters.length
    const best = new Float64Array(length + 1).fill(-Infinity)
    const from = new Int32Array(length + 1)
    const pieces = new Int32Array(length + 1)
    best[0] = 0
    // The loop bounds keep the indices below within 0..length, hence the non-null assertions.
    for (let start = 0; start < length; start++) {
      let piece = ""
      let known = false
      for (let size = 1; size <= longest && start + size <= length; size++) {
        piece += characters[start + size - 1]!
        const id = ids.get(piece)
        if (id === undefined) continue
        known = true
        const score = best[start]! + scores[id]!
        if (score >= best[start + size]!) {
          best[start + size] = score
          from[start + size] = start
          pieces[start + size] = id
        }
      }
      if (best[start + 1] === -Infinity) {
        best[start + 1] = best[start]! + (known ? unknownPenalty : 0)
        from[start + 1] = start
        pieces[start + 1] = unknown
      }
    }
    const tokens: Array<number> = []
    for (let end = length; end > 0; end = from[end]!) {
      const id = pieces[end]!
      if (id !== unknown || tokens.at(-1) !== unknown) tokens.push(id)
    }
    return tokens.toReversed().slice(0, maxTokens)
  }
}
