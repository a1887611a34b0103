import { accounts } from "../accounts/accounts.module.ts";
import { events } from "../events/events.module.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import { lastBackupSeconds } from "./backup/record.store.ts";
import { createSelfTest } from "./self-test/self-test.ts";
import { installationRoutes } from "./commands/installation.routes.ts";
import { createInstallation } from "./commands/setup.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";

/** Shows the state of the installation to its operators. */
export const operator = defineModule({
  name: "operator",
  needs: { platform, accounts, events, webhooks },
  create({ platform: base, accounts: { workspaces }, events: { events: fired }, webhooks: { deliver, tester } }) {
    return {
      selfTest: createSelfTest({ ...base, events: fired, deliver, tester }),
      installation: createInstallation({ ...base, ...base.config, workspaces, version: base.version.version }),
    };
  },
  provides: ({ selfTest, installation }, { platform: { db } }) => ({
    routes: [(app) => installationRoutes(app, installation)],
    // The self-test starts once the server listens.
    workers: [{ name: "self-test", phase: "streams", stop: selfTest.stop }],
    attention: [{ self_test: async () => await Promise.resolve(selfTest.latest() ?? null) }],
    gauges: [{ selfTest: selfTest.last, lastBackupSeconds: async () => await lastBackupSeconds(db.query) }],
  }),
});
