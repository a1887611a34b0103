import type { ConnectorContracts } from "../../actions/actions.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { canonicalJson } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import * as store from "./connectors.store.ts";
import { usedInstall } from "./stored-install.ts";

/** Stops connectors whose code crashes repeatedly, counted over all nodes. */
export type Quarantine = ReturnType<typeof createQuarantine>;

export interface QuarantineDeps {
  readonly db: Db;
  readonly contracts: ConnectorContracts;
  readonly audit: Pick<Audit, "record">;
}

const MOST = 5;
const WINDOW_SECONDS = 600;
const MESSAGE = "Its code crashed five times in ten minutes. Check its runs, then enable it again.";
const SYSTEM = { type: "system", id: null, display: null, keyId: null, ip: null } as const;

export function createQuarantine({ db, contracts, audit }: QuarantineDeps) {
  return {
    /** Counts a crash of a child process. Returns true if the limit is reached and the connector is stopped. */
    async crashed(
      scope: Scope,
      { key, digest, kind }: { readonly key: string; readonly digest: string; readonly kind: string },
    ): Promise<boolean> {
      // A process crashes outside of any request, so that nothing else names the shard.
      const stop = async (tx: Tx): Promise<boolean> => {
        const install = usedInstall(await store.heldInstalls(tx, scope, key), key, scope.environment);
        // Crashes of another version, or of a connector that is already stopped, do not count.
        if (install?.enabled !== true || install.quarantine !== null || install.digest !== digest) return false;
        // Crashes in the sandbox do not stop a live installation, which the sandbox may use too.
        if (install.environment !== scope.environment) return false;
        if ((await store.countCrash(tx, install, kind, WINDOW_SECONDS)) < MOST) return false;
        await store.changeInstall(tx, install, {
          quarantine: canonicalJson({ code: "crashed", path: null, message: MESSAGE }),
        });
        await store.dropListeners(tx, install);
        await store.forgetCrashes(tx, install);
        await contracts.withdraw(tx, scope, key);
        audit.record(tx, scope, {
          kind: "connector",
          action: "connectors.quarantine",
          status: "ok",
          actor: SYSTEM,
          parameters: { key, digest },
          result: { reason: "crashed", crashes: MOST, window_seconds: WINDOW_SECONDS },
        });
        return true;
      };
      return await db.at(scope.bucket, async () => await db.transaction(stop));
    },
  };
}
