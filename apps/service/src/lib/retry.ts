import { isConflict } from "./errors.ts";

/**
 * Repeats a run that lost against another transaction, up to `tries` runs in total. A run that threw must not have
 * written anything.
 */
export async function retryOnConflict<T>(tries: number, run: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 1 || !isConflict(error)) throw error;
    }
  }
}
