import { events } from "../../events/events.module.ts";
import { defineModule } from "../../composition/module.ts";
import { platform } from "../../platform/platform.module.ts";
import { createKeyExpiry } from "../accounts.ts";

/**
 * Warns of keys that expire soon. It is separate from accounts, because it fires events, and events depend on accounts.
 */
export const keyExpiry = defineModule({
  name: "key expiry",
  needs: { platform, events },
  create: ({ platform: base, events: { events: fired } }) => createKeyExpiry({ ...base, announce: fired.announce }),
  provides: (worker) => ({ workers: [{ name: "key expiry", phase: "effects", workerOnly: true, ...worker }] }),
});
