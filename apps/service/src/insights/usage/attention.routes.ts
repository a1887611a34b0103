import { t } from "../../lib/lib.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App, Scope } from "../../accounts/accounts.ts";

/** The items that need attention. Counts with `capped` end at 1000. */
export interface Attention {
  readonly failing_endpoints: { readonly count: number; readonly ids: readonly string[] };
  readonly issues: { readonly ids: readonly string[] } & Capped;
  readonly parked_deliveries: Capped;
  readonly proposals: { readonly low: number; readonly medium: number; readonly high: number } & Capped;
  readonly receipts: { readonly error: Capped; readonly unmapped: Capped };
  readonly backlog: Capped & { readonly oldest_due_age_seconds: number | null };
  /** The result of the process that responds. Null before its first self-test. */
  readonly self_test: t.SelfTestView | null;
}

export interface Capped {
  readonly count: number;
  readonly capped: boolean;
}

/** The parts that other modules provide. */
export type AttentionParts = {
  readonly [Part in keyof Attention]: (scope: Scope) => Promise<Attention[Part]>;
};

const capped = {
  count: t.Integer({ minimum: 0, examples: [3] }),
  capped: t.Boolean({ description: "Whether the actual number is higher than `count`." }),
};
const Count = t.Object(capped, { title: "CappedCount" });
const risk = t.Integer({ minimum: 0, examples: [1] });

const AttentionShape = t.Object(
  {
    object: t.OneOf(["attention"]),
    failing_endpoints: t.Object(
      {
        count: t.Integer({ minimum: 0, examples: [1] }),
        ids: t.Array(t.String({ examples: ["ep_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"] }), {
          description: "At most 10 endpoints. The endpoints that have been failing the longest come first.",
        }),
      },
      {
        title: "FailingEndpoints",
        description: "Endpoints whose attempts fail, or that the service deactivated because of failures.",
      },
    ),
    issues: t.Object(
      {
        ...capped,
        ids: t.Array(t.String({ examples: ["iss_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"] }), {
          description: "At most 10 issues. The newest come first.",
        }),
      },
      {
        title: "OpenIssues",
        description: "Issues that are open. Those that a person acknowledged or ignores are left out.",
      },
    ),
    parked_deliveries: Count,
    proposals: t.Object({ ...capped, low: risk, medium: risk, high: risk }, { title: "OpenProposals" }),
    receipts: t.Object(
      { error: Count, unmapped: Count },
      {
        title: "ReceiptsToSee",
        description: "`unmapped` also counts requests of which an element cannot be mapped.",
      },
    ),
    backlog: t.Object(
      {
        ...capped,
        oldest_due_age_seconds: t.Nullable(
          t.Number({
            minimum: 0,
            examples: [0.4],
            description:
              "The number of seconds for which the longest-waiting delivery has been due. Null if none is due.",
          }),
        ),
      },
      { title: "Backlog", description: "The deliveries that have not ended." },
    ),
    self_test: t.Nullable(t.SelfTest),
  },
  { title: "Attention" },
);

export function attentionRoutes(app: App, parts: AttentionParts): void {
  route(app, "GET /v1/attention", {
    config: { operation: "attention.get", callers: readers },
    operationId: "getAttention",
    summary: "Show items that need attention",
    description:
      "Returns the failing endpoints, open issues, failed deliveries, waiting proposals, inbound receipts that need attention, and the backlog, all counted at this moment. `self_test` is the latest result of the process that responds; if it is older than a minute, the next self-test starts.",
    response: { 200: AttentionShape },
    handler: async (request) => {
      const { scope } = callerOf(request);
      const [failing, issues, parked, proposals, receipts, backlog, selfTest] = await Promise.all([
        parts.failing_endpoints(scope),
        parts.issues(scope),
        parts.parked_deliveries(scope),
        parts.proposals(scope),
        parts.receipts(scope),
        parts.backlog(scope),
        parts.self_test(scope),
      ]);
      return {
        object: "attention" as const,
        failing_endpoints: { ...failing, ids: [...failing.ids] },
        issues: { ...issues, ids: [...issues.ids] },
        parked_deliveries: parked,
        proposals,
        receipts,
        backlog,
        self_test: selfTest,
      };
    },
  });
}
