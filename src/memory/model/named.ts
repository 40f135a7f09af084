/** Notes that a response of a durable run names, as results of searches do: it may repeat their texts. */

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Everything in a text that has the form of a note's id. */
export const namedIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(id))]
