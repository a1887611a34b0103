/** What runs now, in the order in which it was started. */
const running: { readonly isNode: boolean; readonly stop: () => Promise<void> }[] = [];

/** Is ended once: by its own call, or by `stopAll`. */
export function tracked(stop: () => Promise<void>, isNode = false): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const once = async (): Promise<void> => await (stopped ??= stop());
  running.push({ isNode, stop: once });
  return once;
}

/** Ends all that an experiment started, the last first; but nodes before all else: they end at once only while their database is there. */
export async function stopAll(): Promise<void> {
  const all = running.splice(0).toReversed();
  for (const { stop } of [...all.filter(({ isNode }) => isNode), ...all.filter(({ isNode }) => !isNode)]) {
    await stop().catch((error: unknown) => console.error(error));
  }
}
