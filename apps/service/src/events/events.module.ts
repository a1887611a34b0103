import { countOverdue } from "./scheduled/scheduled.store.ts";
import { personalScheduled } from "./scheduled/scheduled.ts";
import { contacts } from "../contacts/contacts.module.ts";
import { audit } from "../audit/audit.module.ts";
import { insights } from "../insights/insights.module.ts";
import { findEventType } from "./catalogue/catalogue.ts";
import { createEventTypes } from "./types/event-types.ts";
import { eventTypeRoutes } from "./types/event-types.routes.ts";
import { putTypes } from "./types/type-set.ts";
import type { TypeSet } from "./types/type-set.ts";
import type { Scope } from "../accounts/accounts.ts";
import { createTypeChecks } from "./types/type-checks.ts";
import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { createEventReader } from "./event/event-reader.ts";
import { createDispatch } from "./subscriptions/dispatch.ts";
import { createEvents } from "./fire/events.ts";
import { eventRoutes } from "./fire/events.routes.ts";
import { findEventsBySubject } from "./fire/search.store.ts";
import { findTypes } from "./types/search.ts";
import { after, once } from "../lib/lib.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import { only } from "../composition/points.ts";

/** An event is overdue when its time is longer ago. */
const OVERDUE_MS = 60_000;

/** The events and their subscribers. */
export const events = defineModule({
  name: "events",
  needs: { platform, accounts, access, contacts, insights, audit },
  create(
    {
      platform: base,
      accounts: { workspaces },
      access: { accessChecks },
      contacts: people,
      insights: { usage },
      audit: records,
    },
    { points },
  ) {
    const types = createTypeChecks(base);
    const readEvents = createEventReader({ db: base.db, workspaces });
    const dispatch = createDispatch({
      ...base,
      types,
      subscribers: points.subscribers,
      deliveries: once(() => only("deliveries", points.deliveries())),
      stageWaitMs: base.config.stageWaitMs,
      readEvents,
    });
    const typeDeps = { ...base, usage, audit: records, whoReacts: dispatch.whoReacts };
    return {
      dispatch,
      types: {
        ...createEventTypes(typeDeps),
        put: async (scope: Scope, set: TypeSet) => await putTypes(typeDeps, scope, set),
      },
      events: createEvents({ ...base, idempotency: accessChecks.idempotency, dispatch, readEvents }),
      readEvents,
      personal: personalScheduled({ db: base.db, contacts: people }),
    };
  },
  provides: ({ events: made, types, dispatch, personal }, { platform: { clock, db }, insights: { usage } }) => ({
    gauges: [{ overdueEvents: async () => await countOverdue(db, after(clock.now(), -OVERDUE_MS)) }],
    routes: [(app) => eventRoutes(app, { ...dispatch, events: made, clock }), (app) => eventTypeRoutes(app, types)],
    searchables: [
      {
        kind: "event_type",
        operation: "event_types.list",
        find: async (scope, sought) => await findTypes({ db, usage }, scope, sought),
      },
      {
        kind: "event",
        operation: "events.list",
        find: async (scope, sought) => await findEventsBySubject(db, scope, sought),
      },
    ],
    announcers: [made.announce],
    eventTitles: [(name) => findEventType(name)?.title],
    personalData: [personal],
    workers: [
      { name: "stages", phase: "reactions", ...dispatch },
      { name: "events", phase: "reactions", ...made },
    ],
  }),
});
