import { t } from "../lib/lib.ts";
import { ISSUE_KINDS, ISSUE_STATES } from "./issue.ts";

const Kind = t.OneOf(
  ISSUE_KINDS,
  "`delivery` and `transform`: attempts of a webhook endpoint, and its transformation. `source`: requests to a source. `connection`: calls of a connector. `action`: runs of an action. `broker`: messages of a broker source; none is reported yet.",
);
const State = t.OneOf(
  ISSUE_STATES,
  "`open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it.",
);
const ObjectId = t.StringExample("ep_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  maxLength: 200,
  description: "The id of an endpoint, or the key of a connector or action.",
});
const Code = t.StringExample("500", "The status code or error class.");
const Message = t.Nullable(
  t.StringExample(
    "connect ECONNREFUSED",
    "The message without its varying parts, such as numbers, ids, addresses and quoted texts.",
  ),
);
const Fails = t.Integer({ minimum: 0, examples: [42], description: "The number of failures." });

const FingerprintView = t.Object(
  { code: Code, message: Message, count: Fails, first_seen_at: t.Timestamp, last_seen_at: t.Timestamp },
  { title: "IssueFingerprint", description: "Failures with the same code and message." },
);
const SampleView = t.Object(
  {
    at: t.Timestamp,
    code: Code,
    message: Message,
    event_id: t.Nullable(t.WireId("evt")),
    delivery_id: t.Nullable(t.WireId("dlv")),
    receipt_id: t.Nullable(t.WireId("rcp")),
    run_id: t.Nullable(t.WireId("run")),
  },
  { title: "IssueSample", description: "One failure. The log of its delivery, receipt or run has the rest." },
);

const fields = {
  id: t.WireId("iss"),
  object: t.OneOf(["issue"]),
  kind: Kind,
  object_id: ObjectId,
  object_name: t.Nullable(t.StringExample("Shop", "The name of the object. Null once it was deleted.")),
  tenant: t.Nullable(t.Tenant("The tenant whose object it is.")),
  state: State,
  count: Fails,
  first_seen_at: t.Timestamp,
  last_seen_at: t.Timestamp,
  opened_at: t.Nullable(t.Timestamp),
  resolved_at: t.Nullable(t.Timestamp),
  resolved_by: t.Nullable(
    t.OneOf(
      ["service", "member", "deletion"],
      "`service`: by five successes in a row. `deletion`: its object was deleted.",
    ),
  ),
  reopened_count: t.Integer({ minimum: 0, examples: [0] }),
  fingerprints: t.Array(FingerprintView, { description: "At most 20. The most recent ones come first." }),
  sample: t.Nullable(SampleView),
  owner: t.Nullable(t.WireId("mem")),
  ignored_until: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
  created_at: t.Timestamp,
};

export const IssueView = t.Object(fields, { title: "Issue" });
export const IssueDetail = t.Object(
  {
    ...fields,
    series: t.Array(t.Object({ hour: t.Timestamp, count: Fails }, { title: "IssueHour" }), {
      description: "The failures of the last seven days by hour. Hours without a failure are left out.",
    }),
    tenants: t.Array(
      t.Object({ tenant: t.Tenant("A tenant."), count: Fails, last_seen_at: t.Timestamp }, { title: "IssueTenant" }),
      { description: "The tenants whose events failed, at most 100. The most recent ones come first." },
    ),
    samples: t.Array(SampleView, { description: "The last ten failures, the newest first." }),
  },
  { title: "IssueDetail" },
);
export const IssueList = t.ListOf(IssueView);
export const IssueQuery = t.Object(
  {
    state: t.Optional(State),
    kind: t.Optional(Kind),
    object_id: t.Optional(ObjectId),
    owner: t.Optional(t.WireId("mem")),
    ...t.PageQuery,
  },
  t.strict,
);
export const IssueParams = t.Object({ id: t.WireId("iss") });
export const IssueChangeBody = t.Object(
  {
    state: t.Optional(State),
    owner: t.Optional(t.Nullable(t.WireId("mem"))),
    ignored_until: t.Optional(
      t.Nullable(
        t.String({
          format: "date-time",
          description: "Only for the state `ignored`. Null: until a person changes it.",
          examples: ["2030-01-01T00:00:00.000Z"],
        }),
      ),
    ),
  },
  { ...t.strict, minProperties: 1, title: "IssueChange" },
);
/** The body of a replay. The whole body may be omitted. */
export const IssueReplayBody = t.Nullable(
  t.Object(
    { dry_run: t.Optional(t.Boolean({ description: "True: only count the deliveries." })) },
    { ...t.strict, title: "IssueReplay" },
  ),
);
const count = t.Integer({ minimum: 0, examples: [128], description: "The number of deliveries." });
export const IssueReplayCount = t.Object({ count }, { title: "IssueReplayCount" });
export const IssueReplayJob = t.Object({ count, job_id: t.WireId("job") }, { title: "IssueReplayJob" });
