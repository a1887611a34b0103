/** What runs now, in the order in which it was started. */
const running: (() => Promise<void>)[] = [];

/** Is ended once: by its own call, or by `stopAll`. */
export function tracked(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const once = async (): Promise<void> => await (stopped ??= stop());
  running.push(once);
  return once;
}

/** Ends all that an experiment started, the last first: nodes before their database. */
export async function stopAll(): Promise<void> {
  for (let stop = running.pop(); stop !== undefined; stop = running.pop()) {
    await stop().catch((error: unknown) => console.error(error));
  }
}
