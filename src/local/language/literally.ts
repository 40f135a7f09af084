/** The source of a pattern that matches exactly this text. */
export const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
