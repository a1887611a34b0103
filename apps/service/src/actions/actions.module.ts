import { findContracts } from "./contracts/search.store.ts";
import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { createAnnouncements } from "./approval-channels/announcements.ts";
import { createApprovalChannels } from "./approval-channels/approval-channels.ts";
import { actionContractRoutes } from "./actions.routes.ts";
import { createContracts } from "./contracts/contracts.ts";
import { hostRefusal } from "./backend-secrets/secret-hosts.ts";
import { callBackend } from "./runs/backend.ts";
import type { BackendDeps } from "./runs/backend.ts";
import type { ActionHandler } from "./runs/connector-backend.ts";
import type { Awaited as AwaitedAction } from "./requests/awaited.ts";
import { createActionRuns } from "./runs/runs.ts";
import { readWaiter } from "./runs/step-ports.ts";
import { sealedByActions } from "./storage/encrypted-columns.ts";
import { actionRunRoutes } from "./runs/runs.routes.ts";
import { createHttpCalls } from "./http-calls/http-calls.ts";
import { httpCallRoutes } from "./http-calls/http-calls.routes.ts";
import { audit } from "../audit/audit.module.ts";
import { automation } from "../automation/automation.module.ts";
import { deleteGone } from "../platform/db/db.ts";
import type { Tx } from "../platform/db/db.ts";
import { events } from "../events/events.module.ts";
import { defineModule } from "../composition/module.ts";
import { issues } from "../issues/issues.module.ts";
import { ISSUE_ACTIONS } from "./contracts/issue-actions.ts";
import { mailingProposals, proposalMail } from "./proposals/proposal-mail.ts";
import { mail } from "../platform/mail/mail.module.ts";
import { stepUpRoutes } from "./step-ups/step-ups.routes.ts";
import { platform } from "../platform/platform.module.ts";
import { only } from "../composition/points.ts";
import { standingApprovalRoutes } from "./standing-approvals/standing-approvals.routes.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";
import type { Workflows } from "../automation/automation.ts";

/** Registered actions, with their callers, approvers and runs. */
export const actions = defineModule({
  name: "actions",
  needs: { platform, mail, accounts, access, audit, events, issues, webhooks, automation },
  encryptedColumns: sealedByActions,
  create(
    {
      platform: base,
      mail: mails,
      accounts: { people },
      access: { accessChecks },
      audit: audited,
      events: { events: fired },
      issues: { reported },
      webhooks: { deliver, tester },
      automation: { workflows },
    },
    { points },
  ) {
    const { inboxes } = deliver;
    const { stepUps } = people;
    const contracts = createContracts({
      ...base,
      stepUps,
      inboxes,
      isOperation: (name) => accessChecks.operations.has(name),
    });
    const handler: ActionHandler = async (call) => await only("actionHandlers", points.actionHandlers())(call);
    const secretRefusal: BackendDeps["secretRefusal"] = async (...asked) => await hostRefusal(base, ...asked);
    const backend = { ...base, inboxes, handler, secretRefusal };
    const { slackApiUrl } = base.config;
    const announcements = createAnnouncements({ ...base, slackApiUrl, mail: mails, secrets: contracts.secrets.own });
    const runs = createActionRuns({
      ...base,
      stepUps,
      audit: audited,
      reported,
      events: announcements.announcing(mailingProposals(fired, mails)),
      idempotency: accessChecks.idempotency,
      backend: async (contract, call) => await callBackend(backend, contract, call),
      awaited: async (tx, ended) => await resumeAwaiting(workflows, tx, ended),
    });
    const http = createHttpCalls({
      ...base,
      inboxes,
      secretFor: contracts.secrets.valueFor,
      isSecretSet: contracts.secrets.isSet,
      resume: workflows.resume,
      signing: deliver.ownedDeliveries.signing,
      expectSecret: tester.inboxes.expectSecret,
    });
    const channels = createApprovalChannels({ ...base, people, announcements, runs, mail: mails, audit: audited });
    return { contracts, runs, http, announcements, channels, stepUps };
  },
  provides: ({ contracts, runs, http, announcements, channels, stepUps }, { platform: base }) => ({
    mailComposers: [{ approvals: proposalMail(base), approval_channel: announcements.mail }],
    routes: [
      (app) => actionContractRoutes(app, contracts),
      (app) => actionRunRoutes(app, runs),
      (app) => standingApprovalRoutes(app, runs.standing),
      (app) => stepUpRoutes(app, { db: base.db, stepUps }),
      (app) => httpCallRoutes(app, http),
      channels.routes,
    ],
    workers: [
      { name: "actions", phase: "effects", ...runs },
      { name: "http calls", phase: "effects", ...http },
      { name: "announcements", phase: "effects", ...announcements },
      { name: "slack decisions", phase: "effects", ...channels },
    ],
    personalData: [http.personal],
    eventRecords: [
      http.ofEvents,
      { eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "action_proposal", scope, gone) },
      { eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "action_run", scope, gone) },
    ],
    redactionSources: [contracts.secrets.ofWorkspace],
    liveKinds: [{ proposal: runs.insight.news }],
    attention: [{ proposals: runs.insight.attention }],
    stepPorts: [...runs.steps, http.port],
    searchables: [
      {
        kind: "action_contract",
        operation: "action_contracts.list",
        find: async (scope, sought) => await findContracts(base.db, scope, sought),
      },
    ],
    contractGuards: [runs.guard],
    outboundSecrets: [contracts.secrets.valueFor],
    actionSecrets: [contracts.secretsOfInbox],
    callSecrets: [http.secretsOfCall],
    issueObjects: [ISSUE_ACTIONS],
    gauges: [
      {
        openProposals: runs.openProposals,
        actionsInFlight: runs.inFlight,
        overdueAnnouncements: announcements.overdue,
      },
    ],
  }),
});

/** Workflows continue with the outcome of the actions and approvals that they wait for. */
async function resumeAwaiting(
  { resume }: Pick<Workflows, "resume">,
  tx: Tx,
  ended: readonly AwaitedAction[],
): Promise<void> {
  for (const { scope, waiter, outcome, output } of ended) {
    const place = readWaiter(waiter);
    if (place === undefined) continue;
    const isDone = outcome === "executed" || outcome === "approved";
    await resume(
      tx,
      { ...place, scope },
      isDone ? { kind: "done", output } : { kind: "failed", error: failureOf(outcome), output, ...decisionOf(outcome) },
    );
  }
}

function decisionOf(outcome: AwaitedAction["outcome"]): { readonly decision?: "rejected" | "expired" } {
  return outcome === "rejected" || outcome === "expired" ? { decision: outcome } : {};
}

function failureOf(outcome: AwaitedAction["outcome"]): string {
  if (outcome === "failed") return "The action failed.";
  return outcome === "expired" ? "The proposal expired." : `The proposal was ${outcome}.`;
}
