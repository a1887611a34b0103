/** The running parts of an experiment, in the order in which they were started. */
const running: { readonly isNode: boolean; readonly stop: () => Promise<void> }[] = [];

/** Registers a stop function and returns it. It runs once, by its own call or by `stopAll`. */
export function tracked(stop: () => Promise<void>, isNode = false): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const once = async (): Promise<void> => await (stopped ??= stop());
  running.push({ isNode, stop: once });
  return once;
}

/** Ends everything that an experiment started, the last first. Nodes end before everything else, because they end at once only while their database exists. */
export async function stopAll(): Promise<void> {
  const all = running.splice(0).toReversed();
  for (const { stop } of [...all.filter(({ isNode }) => isNode), ...all.filter(({ isNode }) => !isNode)]) {
    await stop().catch((error: unknown) => console.error(error));
  }
}
