/** Exit codes as in sysexits.h; docs/guide/self-hosting.md lists them. */
export const EXIT = {
  failure: 1,
  unavailable: 69,
  diskFull: 74,
  inUse: 75,
  noPermission: 77,
  config: 78,
  interrupted: 130,
} as const;

/**
 * Exits cleanly on a signal, so that the database ends with this process. Returns a function that removes the handlers.
 */
export function exitOnSignal(): () => void {
  const exit = (): never => process.exit(EXIT.interrupted);
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, exit);
  return () => {
    for (const signal of signals) process.off(signal, exit);
  };
}
