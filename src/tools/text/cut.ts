/** The beginning of a text, which says how much of it was left out. */
export const cut = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : `${text.slice(0, characters).toWellFormed()}[… ${text.length - characters} more characters]`
