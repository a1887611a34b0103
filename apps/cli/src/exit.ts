/** The exit codes of commands (sysexits.h where it has a number). docs/guide/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** The service refused, or the checked value is wrong. */
  refused: 1,
  /** A plan has changes that were not made. */
  changes: 2,
  /** A change waits for the approval of a person. */
  approval: 3,
  /** The command line is wrong. */
  usage: 64,
  /** The text from a file or standard input is wrong. */
  data: 65,
  /** There was no response, an unreadable one, or a 5xx. */
  unavailable: 69,
  /** The output cannot be written, for example because the disk is full. */
  output: 74,
  /** There were too many requests: the same command works later. */
  later: 75,
  /** The key is wrong, or has no permission. */
  denied: 77,
  /** There is no key, or a setting is wrong. */
  config: 78,
  interrupted: 130,
} as const;
