/** A list of the API whose objects are exported. Its name is the beginning of the names of its files. */
export interface ExportKind {
  readonly name: string;
  readonly path: string;
  /** One object instead of a list. */
  readonly isOne?: true | undefined;
  /** One file for each month in which objects were created; otherwise one file. */
  readonly isMonthly?: true;
  /** The further records of each object of the list, in files of their own. */
  readonly more?: MoreKind;
}

/** The records that are read for one object after the other. */
export interface MoreKind {
  readonly name: string;
  /** Undefined for an object that has none. */
  pathOf(one: Parsed): string | undefined;
  /** The object itself with all members, instead of a list. */
  readonly isOne?: true | undefined;
}

export type Parsed = Readonly<Record<string, unknown>>;

const within =
  (path: string, last: string) =>
  ({ id }: Parsed): string =>
    `${path}/${encodeURIComponent(String(id))}${last}`;

/** Everything that is exported, in this order. */
export const KINDS: readonly ExportKind[] = [
  { name: "workspace", path: "/v1/workspaces/current", isOne: true },
  { name: "configuration", path: "/v1/configuration", isOne: true },
  {
    name: "event-types",
    path: "/v1/event-types",
    more: {
      name: "event-type-versions",
      pathOf: ({ name }) => `/v1/event-types/${encodeURIComponent(String(name))}/versions`,
    },
  },
  { name: "webhook-endpoints", path: "/v1/webhook-endpoints" },
  { name: "inbound-endpoints", path: "/v1/inbound-endpoints" },
  { name: "rules", path: "/v1/rules" },
  { name: "workflows", path: "/v1/workflows" },
  { name: "action-contracts", path: "/v1/action-contracts" },
  { name: "tenants", path: "/v1/tenants" },
  { name: "members", path: "/v1/members" },
  { name: "keys", path: "/v1/keys" },
  { name: "issues", path: "/v1/issues" },
  { name: "events", path: "/v1/events", isMonthly: true },
  {
    name: "deliveries",
    path: "/v1/deliveries",
    isMonthly: true,
    more: {
      name: "attempts",
      pathOf: (one) => (one["attempt_count"] === 0 ? undefined : within("/v1/deliveries", "/attempts")(one)),
    },
  },
  {
    name: "inbound-receipts",
    path: "/v1/inbound-receipts",
    isMonthly: true,
    more: { name: "inbound-requests", pathOf: within("/v1/inbound-receipts", ""), isOne: true },
  },
  {
    name: "contacts",
    path: "/v1/contacts",
    isMonthly: true,
    more: { name: "activities", pathOf: within("/v1/contacts", "/activities") },
  },
  { name: "tickets", path: "/v1/tickets", isMonthly: true },
  { name: "proposals", path: "/v1/proposals", isMonthly: true },
  { name: "runs", path: "/v1/runs", isMonthly: true },
  { name: "ai-history", path: "/v1/ai-history", isMonthly: true },
  { name: "audit", path: "/v1/audit", isMonthly: true },
  { name: "audit-digests", path: "/v1/audit/digests" },
];

/** The data that no export contains, in the words of the manifest. */
export const LEFT_OUT: readonly string[] = [
  "secrets: API keys, signing secrets, values of headers, stored secrets, tokens and URLs of sources",
  "passwords, passkeys and sessions of people",
  "what was deleted before, because its retention ended, or because a person was erased",
  "bodies of requests that were sent: their `data` is in the events",
  "runs of rules and workflows, HTTP calls, notifications, mails and the request log",
  "the other environment, and other workspaces",
];
