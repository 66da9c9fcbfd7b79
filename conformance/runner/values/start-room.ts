/**
 * Options of Node for programs of ours that are started over and over: megabytes for what is new. Loading fills a smaller place ten times over,
 * and each time it is swept.
 */
export const START_ROOM: readonly string[] = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
