import { findContracts } from "./contracts/search.store.ts";
import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { createAnnouncements } from "./approval-channels/announcements.ts";
import { createApprovalChannels } from "./approval-channels/approval-channels.ts";
import { secretRoutes } from "./backend-secrets/secrets.routes.ts";
import { contractRoutes } from "./contracts/contracts.routes.ts";
import { createContracts } from "./contracts/contracts.ts";
import { CONFIGURATION_APPLY } from "./contracts/configuration-contract.ts";
import { isOperatorKey } from "./contracts/operator-contracts.ts";
import { callBackend } from "./runs/backend.ts";
import type { OperationHandler } from "./runs/backend-call.ts";
import type { ActionHandler } from "./runs/connector-backend.ts";
import type { Awaited as AwaitedAction } from "./requests/action-deps.ts";
import { createActionWorkers } from "./runs/action-workers.ts";
import { createContractGuard } from "./runs/contract-guard.ts";
import { createRuleAction } from "./runs/rule-port.ts";
import { createRuns, createRunsDeps } from "./runs/runs.ts";
import { createActionSteps, readWaiter } from "./runs/step-ports.ts";
import { openProposals, proposalNews } from "./proposals/console-feed.ts";
import { createProposals } from "./proposals/proposals.ts";
import { proposalRoutes } from "./proposals/proposals.routes.ts";
import { countOpen } from "./proposals/proposals.store.ts";
import { createStandingApprovals } from "./standing-approvals/standing-approvals.ts";
import { sealedByActions } from "./storage/encrypted-columns.ts";
import { runRoutes } from "./runs/runs.routes.ts";
import { createHttpCalls, httpCallRoutes } from "../http-calls/http-calls.ts";
import { createCallPort } from "./runs/call-ports.ts";
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
import type { Points } from "../composition/points.ts";
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
    const backend = { ...base, inboxes, handler };
    const { slackApiUrl } = base.config;
    const announcements = createAnnouncements({ ...base, slackApiUrl, mail: mails, secrets: contracts.secrets.own });
    const runsDeps = createRunsDeps({
      ...base,
      stepUps,
      audit: audited,
      reported,
      events: announcements.announcing(mailingProposals(fired, mails)),
      idempotency: accessChecks.idempotency,
      backend: async (contract, call) =>
        (await ownHandler(points, contract.key)?.(contract.key, call)) ?? (await callBackend(backend, contract, call)),
      awaited: async (tx, ended) => await resumeAwaiting(workflows, tx, ended),
    });
    const http = createHttpCalls({
      ...base,
      inboxes,
      secretFor: contracts.secrets.valueFor,
      resume: workflows.resume,
      signing: deliver.ownedDeliveries.signing,
      expectSecret: tester.inboxes.expectSecret,
    });
    const proposals = createProposals(runsDeps);
    const channels = createApprovalChannels({ ...base, people, announcements, proposals, mail: mails, audit: audited });
    const workers = createActionWorkers(runsDeps, base.works);
    return {
      contracts,
      proposals,
      runs: createRuns(runsDeps),
      standing: createStandingApprovals(runsDeps),
      guard: createContractGuard(runsDeps),
      ruleAction: createRuleAction(runsDeps),
      steps: createActionSteps({ ...runsDeps, wake: workers.wake }),
      inFlight: runsDeps.executor.inFlight,
      workers,
      http,
      callPort: createCallPort({ ...base, inboxes, isSecretSet: contracts.secrets.isSet }, http),
      announcements,
      channels,
      stepUps,
    };
  },
  provides: ({ contracts, runs, proposals, http, announcements, channels, ...made }, { platform: base }) => ({
    mailComposers: [{ approvals: proposalMail(base), approval_channel: announcements.mail }],
    routes: [
      (app) => contractRoutes(app, contracts.registry),
      (app) => secretRoutes(app, contracts.secrets),
      (app) => runRoutes(app, runs),
      (app) => proposalRoutes(app, proposals),
      (app) => standingApprovalRoutes(app, made.standing),
      (app) => stepUpRoutes(app, { db: base.db, stepUps: made.stepUps }),
      (app) => httpCallRoutes(app, http),
      channels.routes,
    ],
    workers: [
      { name: "actions", phase: "effects", ...made.workers },
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
    liveKinds: [{ proposal: proposalNews(base) }],
    attention: [{ proposals: async (scope) => await openProposals(base, scope) }],
    stepPorts: [made.ruleAction, ...made.steps, made.callPort],
    searchables: [
      {
        kind: "action_contract",
        operation: "action_contracts.list",
        find: async (scope, sought) => await findContracts(base.db, scope, sought),
      },
    ],
    contractGuards: [made.guard],
    outboundSecrets: [contracts.secrets.valueFor],
    actionSecrets: [contracts.secretsOfInbox],
    callSecrets: [http.secretsOfCall],
    issueObjects: [ISSUE_ACTIONS],
    gauges: [
      {
        openProposals: async () => await countOpen(base.db),
        actionsInFlight: made.inFlight,
        overdueAnnouncements: announcements.overdue,
      },
    ],
  }),
});

/** Returns what performs the service's own contract of this key; undefined for all other keys. */
function ownHandler(points: Points, key: string): OperationHandler | undefined {
  if (isOperatorKey(key)) return only("operationHandlers", points.operationHandlers());
  if (key !== CONFIGURATION_APPLY) return undefined;
  return only("configurationHandlers", points.configurationHandlers());
}

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
