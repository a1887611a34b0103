import { deleteGone } from "../platform/db/db.ts";
import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { audit } from "../audit/audit.module.ts";
import { contacts } from "../contacts/contacts.module.ts";
import { createDeliver } from "./deliver.ts";
import { deliveryRoutes } from "./deliveries/deliveries.routes.ts";
import { endpointReplayRoutes } from "./deliveries/endpoint-replays.routes.ts";
import { replayRoutes } from "./deliveries/replays.routes.ts";
import { sealedByEndpoints } from "./endpoints/encrypted-columns.ts";
import { endpointRoutes } from "./endpoints/endpoints.routes.ts";
import { sealPlainEndpoints } from "./endpoints/plain-headers.ts";
import { laneRoutes } from "./lanes/lanes.routes.ts";
import { countBlocked, oldestBlockedAge } from "./lanes/lanes.store.ts";
import { idleConsumersMail } from "./pull/idle-consumers-mail.ts";
import { createIdleConsumers } from "./pull/idle-consumers.worker.ts";
import { pullRoutes } from "./pull/pull.routes.ts";
import { largestLag, oldestUnreadAge } from "./pull/pull.store.ts";
import { events } from "../events/events.module.ts";
import { createInbound, sealedByInbound } from "./sources/inbound.ts";
import { inboundRoutes } from "./sources/inbound.routes.ts";
import { issues } from "../issues/issues.module.ts";
import { insights } from "../insights/insights.module.ts";
import { defineModule } from "../composition/module.ts";
import { only } from "../composition/points.ts";
import { createBlockedNotice, endpointMail, mailingDisabled } from "./endpoints/endpoint-mail.ts";
import { mail } from "../platform/mail/mail.module.ts";
import { portal } from "../portal/portal.module.ts";
import { platform } from "../platform/platform.module.ts";
import { createCertificateExpiry } from "./endpoints/certificate-expiry.worker.ts";
import { createPublicKeys } from "./endpoints/public-keys.ts";
import { publicKeyRoutes } from "./endpoints/public-keys.routes.ts";
import { ISSUE_SOURCES, issueEndpoints } from "./issue-objects.ts";
import { createTester } from "./tester/tester.ts";
import { createTenants } from "./tenants/tenants.ts";
import { findEndpoints, findSources } from "./endpoints/endpoint-search.store.ts";
import { tenantRoutes } from "./tenants/tenants.routes.ts";
import { sealedByInboxes } from "./inboxes/inbox.ts";
import { inboxRoutes } from "./inboxes/inbox.routes.ts";
import { createConnectionTester } from "./tester/connection-test.ts";
import { connectionTestRoutes, testerRoutes } from "./tester/tester.routes.ts";
import { namedInboxRoutes } from "./inboxes/named-inboxes.routes.ts";

/** The webhooks in both directions: endpoints and deliveries, sources and receipts, the tester and its inboxes. */
export const webhooks = defineModule({
  name: "webhooks",
  needs: { platform, accounts, access, mail, audit, portal, insights, contacts, events, issues },
  encryptedColumns: [...sealedByEndpoints, ...sealedByInbound, ...sealedByInboxes],
  create(
    {
      platform: base,
      accounts: { workspaces },
      mail: mails,
      audit: audited,
      portal: { sessions },
      insights: { usage },
      contacts: people,
      events: { events: fired, types },
      issues: tracked,
    },
    { points },
  ) {
    const deliver = createDeliver({
      ...base,
      retrySchedule: base.config.retrySchedule,
      retentionDays: base.config.retentionDays,
      secretFor: async (...asked) => await only("outboundSecrets", points.outboundSecrets())(...asked),
      usage,
      announcer: mailingDisabled(fired, mails),
      reported: tracked.reported,
      issuesEnded: tracked.ended,
      blockedNotice: createBlockedNotice({ ...base, mail: mails }),
      events: fired,
      hiddenTypes: types.hidden,
      awaited: points.awaitedDeliveries,
      scripts: () => only("scriptRunners", points.scriptRunners()),
    });
    const certificates = createCertificateExpiry({ ...base, events: fired });
    const idleConsumers = createIdleConsumers({ ...base, mail: mails, audit: audited });
    const inbound = createInbound({
      ...base,
      contacts: people,
      events: fired,
      issuesEnded: tracked.ended,
      reported: tracked.reported,
    });
    const tester = createTester({
      ...base,
      audit: audited,
      endpoints: deliver.endpoints,
      ownInboxes: deliver.inboxes,
      runner: deliver.runner,
      signIn: deliver.signIn,
      toBroker: deliver.toBroker,
      actionSecrets: points.actionSecrets,
      callSecrets: points.callSecrets,
    });
    const tenants = createTenants({
      ...base,
      endpoints: deliver.endpoints,
      keys: workspaces.keys,
      portal: sessions,
      eventRecords: points.eventRecords,
      lanes: deliver.lanes,
    });
    return { deliver, certificates, idleConsumers, inbound, tester, tenants };
  },
  provides: (
    { deliver, certificates, idleConsumers, inbound, tester, tenants },
    { platform: base, accounts: { workspaces }, access: { accessChecks } },
  ) => ({
    routes: [
      (app) => endpointRoutes(app, deliver.endpoints),
      (app) => laneRoutes(app, deliver.laneOperations),
      (app) => endpointReplayRoutes(app, deliver.replays),
      (app) => deliveryRoutes(app, deliver),
      (app) => replayRoutes(app, deliver.replays),
      (app) => pullRoutes(app, { ...deliver, accessChecks }),
      (app) => publicKeyRoutes(app, createPublicKeys(base)),
      (app) => inboundRoutes(app, inbound),
      (app) => tenantRoutes(app, tenants),
      (app) => testerRoutes(app, tester),
      (app) =>
        connectionTestRoutes(
          app,
          createConnectionTester({ endpoints: deliver.endpoints, connect: deliver.testConnection }),
        ),
      (app) => namedInboxRoutes(app, tester.named),
    ],
    mailComposers: [
      {
        endpoint_disabled: endpointMail({ ...base, nameOf: workspaces.nameOf }, "endpoint_disabled"),
        lane_blocked: endpointMail({ ...base, nameOf: workspaces.nameOf }, "lane_blocked"),
        consumer_idle: idleConsumersMail({ ...base, nameOf: workspaces.nameOf }),
      },
    ],
    // A worker has the inbox too, because it delivers to the inbox through its own listener.
    innerRoutes: [(app) => inboxRoutes(app, tester.inboxes)],
    workers: [
      { name: "deliveries", phase: "effects", ...deliver },
      { name: "waiting pulls", phase: "streams", start: deliver.waitingPulls.start, stop: deliver.waitingPulls.stop },
      { name: "client certificates", phase: "effects", workerOnly: true, ...certificates },
      { name: "idle consumers", phase: "effects", workerOnly: true, ...idleConsumers },
      { name: "inbox tokens", phase: "effects", workerOnly: true, ...tester.tokenSealing },
      { name: "tenant deletions", phase: "effects", workerOnly: true, ...tenants.deletions },
    ],
    upgrades: [
      {
        of: "endpoints",
        done: "encrypted header values of endpoints that were stored in plain text",
        run: async () => await sealPlainEndpoints(base),
      },
    ],
    deliveries: [deliver],
    redactionSources: [deliver.secrets, inbound.secrets],
    addedSecrets: [deliver.addedSecrets],
    personalData: [inbound.receipts.personal],
    eventRecords: [{ eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "mail", scope, gone) }],
    liveKinds: [deliver.insight.news, { receipt: inbound.receipts.news }],
    searchables: [
      {
        kind: "webhook_endpoint",
        operation: "webhook_endpoints.list",
        find: async (scope, sought) => await findEndpoints(base.db, scope, sought),
      },
      {
        kind: "inbound_endpoint",
        operation: "inbound_endpoints.list",
        find: async (scope, sought) => await findSources(base.db, scope, sought),
      },
    ],
    attention: [deliver.insight.attention, { receipts: inbound.receipts.attention }],
    issueObjects: [issueEndpoints(deliver.replays), ISSUE_SOURCES],
    gauges: [
      {
        oldestDueAgeSeconds: deliver.oldestDueAgeSeconds,
        oldestUnreadAgeSeconds: async () => await oldestUnreadAge(base.db),
        pullLagMessages: async () => await largestLag(base.db),
        waitingPulls: () => deliver.waitingPulls.size,
        pendingDeliveries: deliver.pendingDeliveries,
        blockedLanes: async () => await countBlocked(base.db),
        blockedLaneAgeSeconds: async () => await oldestBlockedAge(base.db),
        overdueTenantDeletions: tenants.overdueDeletions,
        inFlight: () => deliver.stats().inFlight,
        egressProxyFailingSeconds: () => deliver.stats().proxyFailingMs / 1000,
        queued: () => deliver.stats().waiting,
      },
    ],
  }),
});
