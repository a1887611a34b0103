import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { createDispatch, createEventReader } from "./subscriptions/dispatch.ts";
import { createEvents } from "./fire/events.ts";
import { eventRoutes } from "./fire/events.routes.ts";
import { once } from "../lib/lib.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import { only } from "../composition/points.ts";

/** The events and their subscribers. */
export const events = defineModule({
  name: "events",
  needs: { platform, accounts, access },
  create({ platform: base, accounts: { workspaces }, access: { gate } }, { points }) {
    const readEvents = createEventReader({ db: base.db, workspaces });
    const dispatch = createDispatch({
      ...base,
      subscribers: points.subscribers,
      deliveries: once(() => only("deliveries", points.deliveries())),
      stageWaitMs: base.config.stageWaitMs,
      readEvents,
    });
    return {
      dispatch,
      events: createEvents({ ...base, idempotency: gate.idempotency, fanout: dispatch }),
      readEvents,
    };
  },
  provides: ({ events: made, dispatch }, { platform: { clock } }) => ({
    routes: [(app) => eventRoutes(app, { ...dispatch, events: made, clock })],
    workers: [
      { name: "stages", phase: "reactions", ...dispatch },
      { name: "events", phase: "reactions", ...made },
    ],
  }),
});
