/**
 * Resolves like the work, or with undefined if it takes longer; the work itself continues. The timer does not keep the
 * process alive.
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined).unref();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
