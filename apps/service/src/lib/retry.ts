import { isConflict } from "./errors.ts";

/** Runs again what lost against another transaction, up to `tries` times in all. Nothing of a run that threw may have been written. */
export async function retryOnConflict<T>(tries: number, run: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 1 || !isConflict(error)) throw error;
    }
  }
}
