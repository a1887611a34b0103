/**
 * The capabilities of a portal session (contract, section 10), and the operations that each allows. The scopes of a session's
 * credential are the names of these operations, so that everything else is 403 `scope_missing`.
 */
export const CAPABILITIES = [
  "endpoints",
  "deliveries",
  "replay",
  "tester",
  "secrets",
  "filters",
  "transforms",
  "event_types",
  "mcp_tokens",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Those that an MCP token can have. A token creates no other ones. */
export const TOKEN_CAPABILITIES = CAPABILITIES.filter((one) => one !== "mcp_tokens");

/** A page about anything of an endpoint shows the endpoint too. */
const SHOW_ENDPOINTS = ["webhook_endpoints.list", "webhook_endpoints.get"];
const SHOW_DELIVERIES = ["deliveries.list", "deliveries.get", "deliveries.attempts", "events.get"];

const REPLAYS = [
  "replays.create",
  "replays.get",
  "replays.list",
  "replays.cancel",
  "webhook_endpoints.replay_failed",
  "webhook_endpoints.backfill",
  "webhook_endpoints.lanes.retry",
  "webhook_endpoints.lanes.skip",
];

const OPERATIONS: Readonly<Record<Capability, readonly string[]>> = {
  endpoints: [
    ...SHOW_ENDPOINTS,
    "webhook_endpoints.stats",
    "webhook_endpoints.create",
    "webhook_endpoints.update",
    "webhook_endpoints.toggle",
    "webhook_endpoints.delete",
    // A person who enables an endpoint again sends it the events that it missed.
    "webhook_endpoints.backfill",
    "replays.get",
    "replays.cancel",
  ],
  deliveries: [...SHOW_ENDPOINTS, ...SHOW_DELIVERIES, "webhook_endpoints.lanes"],
  replay: [
    ...SHOW_ENDPOINTS,
    ...SHOW_DELIVERIES,
    "webhook_endpoints.lanes",
    "deliveries.replay",
    "deliveries.cancel",
    ...REPLAYS,
  ],
  tester: [...SHOW_ENDPOINTS, "webhooks.test"],
  secrets: [...SHOW_ENDPOINTS, "webhook_endpoints.secret", "webhook_endpoints.secret.regenerate"],
  filters: [
    ...SHOW_ENDPOINTS,
    "webhook_endpoints.update",
    "webhook_endpoints.filter.preview",
    "webhook_endpoints.explain",
  ],
  transforms: [
    ...SHOW_ENDPOINTS,
    "webhook_endpoints.update",
    "webhook_endpoints.transform.test",
    "webhook_endpoints.transform.versions",
    "transform_presets.list",
  ],
  event_types: ["event_types.list", "event_types.get"],
  mcp_tokens: ["mcp_tokens.create", "mcp_tokens.list", "mcp_tokens.revoke"],
};

/** Returns the operations that some capabilities allow, each once. */
export function operationsOf(capabilities: readonly Capability[]): string[] {
  return [...new Set(capabilities.flatMap((one) => OPERATIONS[one]))].toSorted();
}
