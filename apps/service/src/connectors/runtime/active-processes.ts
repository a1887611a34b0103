import type { Pinned, Pins, Quarantine } from "../registry/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Hosts } from "../sandbox/hosts.ts";
import { createTaskSet } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";

/** The programs that this process has called, and that may have a child process. */
export type Residents = ReturnType<typeof createResidents>;

export interface ResidentsDeps {
  readonly db: Pick<Db, "listen">;
  readonly hosts: Pick<Hosts, "end">;
  readonly pins: Pick<Pins, "current">;
  readonly quarantine: Quarantine;
  readonly log: Log;
}

/**
 * The database sends this notification when a connector is enabled, disabled, pinned or stopped, and when the trust in
 * a key changes.
 */
const CHANGED = "connectors_changed";
const MOST = 1000;

/**
 * Ends the child processes of connectors that may no longer run, regardless of the node or command that changed this.
 */
export function createResidents({ db, hosts, pins, quarantine, log }: ResidentsDeps) {
  const residents = new Map<string, Pinned>();
  const tasks = createTaskSet((error) => log.error({ err: error }, "failed to check the connectors"));
  let unlisten: (() => Promise<void>) | undefined;

  async function lookAfter(): Promise<void> {
    await Promise.all(
      [...residents].map(async ([id, { scope, key, version }]) => {
        const pin = await pins.current(scope, key);
        if (pin.kind === "ready" && pin.pinned.version.digest === version.digest) return;
        residents.delete(id);
        await hosts.end(id);
      }),
    );
  }

  return {
    used(id: string, pinned: Pinned): void {
      residents.delete(id);
      residents.set(id, pinned);
      const [oldest] = residents.keys();
      if (residents.size > MOST && oldest !== undefined) residents.delete(oldest);
    },
    /** Counts a crash of a child process. Returns at once. */
    crashed(id: string, kind: string): void {
      const pinned = residents.get(id);
      if (pinned === undefined) return;
      const { scope, key, version } = pinned;
      tasks.add(
        (async () => {
          const isStopped = await quarantine.crashed(scope, { key, digest: version.digest, kind });
          log.warn({ connector: key, kind, quarantined: isStopped }, "connector process terminated");
        })(),
      );
    },
    async start(): Promise<void> {
      unlisten = await db.listen(CHANGED, () => tasks.add(lookAfter()));
    },
    async stop(): Promise<void> {
      await unlisten?.();
      await tasks.settled();
    },
  };
}
