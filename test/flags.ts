/**
 * The flags of processes that tests start: they read the sources. Hardly any code of the embedded database runs for long enough to
 * be worth compiling well, and compiling takes most of the time of its start.
 */
export const flags = ["--conditions=cogito-source", "--liftoff-only"]
