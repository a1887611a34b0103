import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

declare global {
  // `var` is how TypeScript declares a global.
  var failpoint: ((place: string) => Promise<void>) | undefined;
}

/** The behavior of failpoints, as the nemesis writes it to their file: "<place> <action> <share>". An empty file: nothing. */
interface Order {
  readonly place: string;
  readonly action: string;
  readonly share: number;
}

const LOOK_MS = 100;
/** Longer than the lease of a delivery that is about to be sent may still last. */
const LEASE_DELAY_MS = 40_000;
const MOST_DELAY_MS = 3000;

/** Obeys the file. Does nothing without one. */
export function startFailpoints(path: string | undefined): void {
  if (path === undefined) return;
  let order = read(path);
  setInterval(() => {
    order = read(path);
  }, LOOK_MS).unref();
  globalThis.failpoint = async (place) => {
    if (order?.place !== place || Math.random() >= order.share) return;
    await obey(order);
  };
}

async function obey({ place, action }: Order): Promise<void> {
  if (action === "kill") process.kill(process.pid, "SIGKILL");
  if (action === "throw") throw new Error(`the failpoint ${place} threw`);
  await sleep(place === "lease_lost" ? LEASE_DELAY_MS : Math.random() * MOST_DELAY_MS);
}

function read(path: string): Order | undefined {
  try {
    const [place, action, share] = readFileSync(path, "utf8").trim().split(" ");
    return place === undefined || action === undefined ? undefined : { place, action, share: Number(share) };
  } catch {
    return undefined;
  }
}
