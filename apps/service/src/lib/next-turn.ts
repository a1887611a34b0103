const waiting: (() => void)[] = [];

/**
 * Lets other work of the process run. Of all work that pauses, one continues in each turn of the event loop: if all continued at once, a turn
 * would take as long as everything that is under way, and a short request needs several turns. Deliveries do not use it: they do not wait
 * behind what customers' texts cost.
 */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
