import { ServiceError } from "../../lib/lib.ts";
import { networkOf } from "../callers/network.ts";

/** The reason for which a password is derived. Each has its own places, so that strangers at one do not close the others. */
export type HashPurpose = "sign_in" | "accept" | "reset" | "change";

/** The person who waits for a derivation. */
export interface HashPlace {
  readonly purpose: HashPurpose;
  readonly network: string;
  /** Any text that names the account. */
  readonly account: string;
  /** True if the person signed in from this network before. Strangers then neither come first nor take the place. */
  readonly isKnown?: boolean;
}

export interface HashQueue {
  /** Runs the work in turn. Throws 503 at once if the network or the account has its share of places already. */
  add<T>(place: HashPlace, work: () => Promise<T>): Promise<T>;
  /** True if so many wait that it is worth to know who they are. */
  isBusy(): boolean;
}

interface Waiting {
  readonly place: HashPlace;
  start(): void;
  refuse(): void;
}

/** More at a time would fill the memory, and block the threads for file and DNS look-ups. */
const RUNNING = 2;
const PLACES: Readonly<Record<HashPurpose, number>> = { sign_in: 48, accept: 16, reset: 16, change: 16 };
/** More than the limit of failures by network, which gives the better answer. */
const OF_NETWORK = 40;
const OF_ACCOUNT = 12;
const BUSY = 4;
const RETRY_SECONDS = 2;

export function placeOf(purpose: HashPurpose, { ip }: { readonly ip: string }, account: string): HashPlace {
  return { purpose, network: networkOf(ip), account };
}

/**
 * Creates a queue with an end. People who are known come first. Of the others the newest come first and the oldest is
 * refused: who tries again after a refusal is then the newest, however many wait.
 */
export function createHashQueue(): HashQueue {
  const waiting = new Map<HashPurpose, Waiting[]>();
  const held = new Map<string, number>();
  let running = 0;

  const sharesOf = ({ network, account }: HashPlace): readonly (readonly [name: string, most: number])[] => [
    [`network:${network}`, OF_NETWORK],
    [`account:${account}`, OF_ACCOUNT],
  ];

  function leave(place: HashPlace): void {
    for (const [name] of sharesOf(place)) {
      const left = (held.get(name) ?? 1) - 1;
      if (left > 0) held.set(name, left);
      else held.delete(name);
    }
  }

  function enter(place: HashPlace): void {
    const shares = sharesOf(place);
    if (shares.some(([name, most]) => (held.get(name) ?? 0) >= most)) throw busy();
    for (const [name] of shares) held.set(name, (held.get(name) ?? 0) + 1);
  }

  function next(): void {
    if (running >= RUNNING) return;
    for (const [purpose, all] of waiting) {
      const first = taken(all);
      // The purposes take turns.
      waiting.delete(purpose);
      if (all.length > 0) waiting.set(purpose, all);
      if (first === undefined) continue;
      running += 1;
      first.start();
      return;
    }
  }

  return {
    isBusy: () => Array.from(waiting.values()).some((all) => all.length >= BUSY),
    async add(place, work) {
      enter(place);
      try {
        await new Promise<void>((start, reject) => {
          const all = waiting.get(place.purpose) ?? [];
          waiting.set(place.purpose, all);
          all.push({ place, start, refuse: () => reject(busy()) });
          if (all.length > PLACES[place.purpose]) refused(all)?.refuse();
          next();
        });
        try {
          return await work();
        } finally {
          running -= 1;
          next();
        }
      } finally {
        leave(place);
      }
    },
  };
}

/** Takes the oldest known one, or else the newest. */
function taken(all: Waiting[]): Waiting | undefined {
  const known = all.findIndex(({ place }) => place.isKnown === true);
  return all.splice(known === -1 ? all.length - 1 : known, 1)[0];
}

/** Takes the oldest stranger, or else the newest. */
function refused(all: Waiting[]): Waiting | undefined {
  const stranger = all.findIndex(({ place }) => place.isKnown !== true);
  return all.splice(stranger === -1 ? all.length - 1 : stranger, 1)[0];
}

function busy(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail: `Too many passwords are being checked. Try again in ${RETRY_SECONDS} s.`,
    headers: { "Retry-After": String(RETRY_SECONDS) },
  });
}
