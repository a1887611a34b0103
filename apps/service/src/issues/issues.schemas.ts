import {
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  strict,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import { ISSUE_KINDS, ISSUE_STATES } from "./issue.ts";

const Kind = OneOf(
  ISSUE_KINDS,
  "`delivery` and `transform`: attempts of a webhook endpoint, and its transformation. `source`: requests to a source. `connection`: calls of a connector. `action`: runs of an action. `broker`: messages of a broker source; none is reported yet.",
);
const State = OneOf(
  ISSUE_STATES,
  "`open`: attempts fail. `acknowledged`: a person looks into it. `resolved`: five attempts in a row succeeded, or a person resolved it. `ignored`: no one is informed of it.",
);
const ObjectId = StringExample("ep_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  maxLength: 200,
  description: "The id of an endpoint, or the key of a connector or action.",
});
const Code = StringExample("500", { description: "The status code or error class." });
const Message = Nullable(
  StringExample("connect ECONNREFUSED", {
    description: "The message without its varying parts, such as numbers, ids, addresses and quoted texts.",
  }),
);
const Fails = Type.Integer({ minimum: 0, examples: [42], description: "The number of failures." });

const FingerprintView = Type.Object(
  { code: Code, message: Message, count: Fails, first_seen_at: Timestamp, last_seen_at: Timestamp },
  { title: "IssueFingerprint", description: "Failures with the same code and message." },
);
const SampleView = Type.Object(
  {
    at: Timestamp,
    code: Code,
    message: Message,
    event_id: Nullable(WireId("evt")),
    delivery_id: Nullable(WireId("dlv")),
    receipt_id: Nullable(WireId("rcp")),
    run_id: Nullable(WireId("run")),
  },
  { title: "IssueSample", description: "One failure. The log of its delivery, receipt or run has the rest." },
);

const fields = {
  id: WireId("iss"),
  object: OneOf(["issue"]),
  kind: Kind,
  object_id: ObjectId,
  object_name: Nullable(StringExample("Shop", { description: "The name of the object. Null once it was deleted." })),
  tenant: Nullable(Tenant("The tenant whose object it is.")),
  state: State,
  count: Fails,
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  opened_at: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
  resolved_by: Nullable(
    OneOf(
      ["service", "member", "deletion"],
      "`service`: by five successes in a row. `deletion`: its object was deleted.",
    ),
  ),
  reopened_count: Type.Integer({ minimum: 0, examples: [0] }),
  fingerprints: Type.Array(FingerprintView, { description: "At most 20. The most recent ones come first." }),
  sample: Nullable(SampleView),
  owner: Nullable(WireId("mem")),
  ignored_until: Nullable(Timestamp),
  ...ownershipFields,
  created_at: Timestamp,
};

export const IssueView = Type.Object(fields, { title: "Issue" });
export const IssueDetail = Type.Object(
  {
    ...fields,
    series: Type.Array(Type.Object({ hour: Timestamp, count: Fails }, { title: "IssueHour" }), {
      description: "The failures of the last seven days by hour. Hours without a failure are left out.",
    }),
    tenants: Type.Array(
      Type.Object({ tenant: Tenant("A tenant."), count: Fails, last_seen_at: Timestamp }, { title: "IssueTenant" }),
      { description: "The tenants whose events failed, at most 100. The most recent ones come first." },
    ),
    samples: Type.Array(SampleView, { description: "The last ten failures, the newest first." }),
  },
  { title: "IssueDetail" },
);
export const IssueList = ListOf(IssueView);
export const IssueQuery = Type.Object(
  {
    state: Type.Optional(State),
    kind: Type.Optional(Kind),
    object_id: Type.Optional(ObjectId),
    owner: Type.Optional(WireId("mem")),
    ...PageQuery,
  },
  strict,
);
export const IssueParams = Type.Object({ id: WireId("iss") });
export const IssueChangeBody = Type.Object(
  {
    state: Type.Optional(State),
    owner: Type.Optional(Nullable(WireId("mem"))),
    ignored_until: Type.Optional(
      Nullable(
        Type.String({
          format: "date-time",
          description: "Only for the state `ignored`. Null: until a person changes it.",
          examples: ["2030-01-01T00:00:00.000Z"],
        }),
      ),
    ),
  },
  { ...strict, minProperties: 1, title: "IssueChange" },
);
/** The body of a replay. The whole body may be omitted. */
export const IssueReplayBody = Nullable(
  Type.Object(
    { dry_run: Type.Optional(Type.Boolean({ description: "True: only count the deliveries." })) },
    { ...strict, title: "IssueReplay" },
  ),
);
const count = Type.Integer({ minimum: 0, examples: [128], description: "The number of deliveries." });
export const IssueReplayCount = Type.Object({ count }, { title: "IssueReplayCount" });
export const IssueReplayJob = Type.Object({ count, job_id: WireId("job") }, { title: "IssueReplayJob" });
