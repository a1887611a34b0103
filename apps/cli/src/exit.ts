/** How a command ends (sysexits.h where it has a number); docs/guide/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** The service refused, or what was checked is not right. */
  refused: 1,
  /** The command line is at fault. */
  usage: 64,
  /** What was read from a file or standard input is. */
  data: 65,
  /** No answer, none that can be read, or a 5xx. */
  unavailable: 69,
  /** Too many requests: the same works later. */
  later: 75,
  /** The key is wrong, or may not do this. */
  denied: 77,
  /** No key, or a setting that is not right. */
  config: 78,
  interrupted: 130,
} as const;
