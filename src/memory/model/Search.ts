import type { Note, Trust } from "../../thought/Note.ts"
import type * as Effect from "effect/Effect"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
/**
 * What a search may find. Every filter given must hold; they hold before anything is ranked.
 *
 * @category search
 */
export interface Filter {
  /** Only notes under these keys. */
  readonly keys?: ReadonlyArray<string>
  /** Only notes from these sources. */
  readonly sources?: ReadonlyArray<string>
  /**
   * No notes from these sources. Default `["seek", "survey"]`, so that what was found before is not found again; with
   * `sources` none.
   */
  readonly excludeSources?: ReadonlyArray<string>
  /** Only notes of thoughts of this task. */
  readonly taskId?: string
  /** No notes that these thoughts wrote. */
  readonly excludeThoughts?: ReadonlyArray<string>
  /** No notes that these thoughts wrote, those they descend from, or those that descend from them. */
  readonly excludeLineageOf?: ReadonlyArray<string>
  /** Only notes created at this moment or later. */
  readonly since?: DateTime.Utc
  /** Only notes created before this moment. */
  readonly until?: DateTime.Utc
  /** Only notes of this trust. */
  readonly trust?: Trust
  /** Only notes whose metadata has these fields with these values. */
  readonly metadata?: Readonly<Record<string, string>>
  /**
   * Only notes at least this similar to the query, in [0, 1], also of those that words find. A note whose similarity is not
   * known is left out: one without a vector yet, or every one if the query could not be embedded. Fails with `Query` without
   * an embedder. Default 0: no bound.
   */
  readonly minSimilarity?: number
  /** The same as cosine distance: only notes at most this far, in [0, 2]. Default 2: no bound. */
  readonly maxDistance?: number
}

/**
 * The filters and the ranking of a survey.
 *
 * **Details**
 *
 * A note's score is the sum of two squares. One is how well it and its surroundings match by words (BM25): the part of the
 * question's words that the note has, where rare words count most, also words that no note has; a share from the notes
 * beside it; the part that its task has, or its thought without a task; and how similar the notes of the task are on
 * average. The other is how similar the note itself is: how far it is nearer than the mean, in standard deviations; 1 is
 * that of the best of as many random notes.
 *
 * The similarity counts less the better the best match by words is, and hardly at all if no note is nearer than random
 * vectors would be. Equal notes count as one. A task ranks by its best note.
 *
 * @category search
 */
export interface SurveyOptions extends Filter {
  /** Most matches to return. Of notes default 10, at most 500; of tasks default 5, at most 100. */
  readonly limit?: number
  /** How much each of the two counts, 0 or more, default 1. An arm of weight 0 finds nothing. */
  readonly fusion?: { readonly vectorWeight?: number; readonly lexicalWeight?: number }
  /**
   * What a hit by words gives to others, as a part of its score in [0, 1]: `neighbours`, default 0.3, to the two notes before
   * and the two after it in its thought; `task`, default 1, to the notes of its task, for all the words that the task has.
   */
  readonly context?: { readonly neighbours?: number; readonly task?: number }
  /**
   * Prefers new notes, a little: half the preference is gone after `halfLife`. The score of a new note grows, and that of
   * an old one shrinks, by half of `weight`, which is in [0, 0.2], default 0.1. Default: age does not count.
   */
  readonly recency?: { readonly halfLife: Duration.Input; readonly weight?: number }
  /**
   * Prefers notes that were created at a time that the question names in English, such as "last week", "in May" or
   * "2025-05-12": their score grows by `weight` times itself, 0 or more, default 1. A weight of 0 turns this off. Days begin
   * and end as in `timeZone`, such as "Europe/Berlin" or "+02:00", default "UTC". Of equal notes, one of that time is shown.
   * Words that name a time are not embedded.
   */
  readonly dates?: { readonly weight?: number; readonly timeZone?: string }
}

/**
 * What a search may find, and how it ranks.
 *
 * @category search
 */
export interface SearchOptions extends SurveyOptions {
  /**
   * How much matches should differ from each other, in [0, 1]: among four times as many candidates, 500 at most, those too
   * near to a better match are passed over. Useful are 0.2 to 0.3; near 0.5 notes come in that are off the subject. The order
   * then is not that of the scores. Default 0: not at all.
   */
  readonly diversity?: number
  /** Has the best candidates scored again, as by a cross-encoder or a model. Default: not. */
  readonly rerank?: Rerank
}

/**
 * A second look at the best candidates.
 *
 * @category search
 */
export interface Rerank {
  /**
   * A finite score for each note, in the order given; the greatest is best. When it fails, or breaks, the search answers in
   * its own order and says so.
   */
  readonly score: (query: string, notes: ReadonlyArray<Note>) => Effect.Effect<ReadonlyArray<number>, unknown>
  /**
   * Most notes to score, from 1 to 500. Default 40, or the search's limit where that is more. Those after them follow in the
   * search's own order and with its scores.
   */
  readonly candidates?: number
  /** Past it the search answers in its own order and says so, also when `score` cannot be interrupted. Default 5 seconds. */
  readonly deadline?: Duration.Input
}

/**
 * One note that a search found, with where it comes from.
 *
 * @category search
 */
export interface Match {
  readonly note: Note
  readonly thought: {
    readonly id: string
    readonly traceId: string
    readonly taskId: string | undefined
    readonly intent: string
  }
  /**
   * What the matches are ordered by, greatest first; not with `diversity`. Comparable within one result only, and after a
   * `rerank` with fewer candidates than the limit not there either: those after the candidates keep the search's scores.
   */
  readonly score: number
  /** Cosine similarity of query and note, in [0, 1]: 0 when it is below, or not known as the note or query has no vector. */
  readonly similarity: number
  /** How many notes, this one included, have the same content; this is the newest. In a survey those of its task. */
  readonly copies: number
  /** Ids of the other thoughts with a copy, those of the newest copies first, at most 20. Absent if only this thought has the content. */
  readonly alsoIn?: ReadonlyArray<string>
  /** Rank in each arm of the search that found it, from 1; equals share a rank. */
  readonly ranks: { readonly vector?: number; readonly lexical?: number }
  /**
   * Score in each arm that found it: similarity in [0, 1]; by words above 0, with what its surroundings give it, where 1 is
   * about a note that has all the words itself.
   */
  readonly scores: { readonly vector?: number; readonly lexical?: number }
}

/**
 * How the arms of a search did.
 *
 * @category search
 */
export interface Arms {
  /**
   * By meaning. `partial`: `pending` notes have no vector yet and could be found by words only. `unavailable`: the query
   * could not be embedded now, or not at all, as some embedders have no vector for signs. `none`: the memory has no embedder.
   */
  readonly vector: "ok" | "partial" | "unavailable" | "none"
  /**
   * By words. `unavailable`: the query has none but those that say nothing, as "the" and "of", or has more than 16 of which
   * no note has one.
   */
  readonly lexical: "ok" | "unavailable"
  /** The scope's notes that wait to be embedded; 0 without an embedder. */
  readonly pending: number
  /** Only with `rerank`. `late`: its deadline passed; `failed`: it gave no scores. The order then is the search's own. */
  readonly rerank?: "ok" | "late" | "failed"
}

/**
 * What a search found, best first.
 *
 * @category search
 */
export interface SearchResult {
  readonly matches: ReadonlyArray<Match>
  readonly arms: Arms
}

/**
 * One task that a survey found.
 *
 * @category search
 */
export interface TaskMatch {
  readonly taskId: string
  /** The newest of the task's thoughts that have a note which the filters allow. */
  readonly thoughtId: string
  /** That thought's intent. */
  readonly intent: string
  /** That of its best note; the tasks are ordered by it, greatest first. */
  readonly score: number
  /** That of the nearest of its matches, in [0, 1]. */
  readonly similarity: number
  /** Its best notes, at most three, best first. */
  readonly matches: ReadonlyArray<Match>
}

/**
 * Which tasks a survey found, best first.
 *
 * @category search
 */
export interface SurveyResult {
  readonly tasks: ReadonlyArray<TaskMatch>
  readonly arms: Arms
}
