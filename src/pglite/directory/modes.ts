/** The rights of files and folders. Windows has none like these. */

/** Rights of a new folder and of a new file: only the user who runs the program may use them. */
export const modes = { folder: 0o700, file: 0o600 } as const

/** The rights of the owner alone. */
export const privateMode = (mode: number): number => mode & ~0o077
