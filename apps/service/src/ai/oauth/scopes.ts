import { OAuthError } from "./oauth-error.ts";

/** The scopes of the tools, each with the operation that shows whether a member has it. */
export const SCOPES = {
  "actions:write": {
    operation: "actions.run",
    description: "Run actions. Those that need an approval wait until a person approves them.",
  },
  "proposals:read": {
    operation: "proposals.get",
    description: "Read whether a proposed action was approved, and its result.",
  },
  "runs:read": { operation: "runs.get", description: "Read the status and the result of actions that have run." },
} as const;

type ScopeName = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as readonly ScopeName[];

/** Scopes that an app must request by name. */
const NAMED_SCOPES = {
  "events:read": {
    operation: "events.list",
    description: "Read the events of this workspace, with the data about your customers in them.",
  },
  "event_subscriptions:write": {
    operation: "webhook_endpoints.create",
    description:
      "Have events sent to web addresses that the app chooses, until the connection ends. You see them under Endpoints.",
  },
  "ops:read": {
    operation: "deliveries.list",
    description: "Read deliveries, endpoints, events, sources and issues, with the data about your customers in them.",
  },
  "ops:write": {
    operation: "deliveries.replay",
    description: "Change deliveries, endpoints, events, sources and issues, as far as your role may.",
  },
} as const;
const DESCRIBED: Readonly<Record<string, { readonly operation: string; readonly description: string }>> = {
  ...SCOPES,
  ...NAMED_SCOPES,
};

const FORM = /^[a-z][a-z0-9_]{0,49}:(?:read|write)$/;
const MOST = 20;
/** Clients ask for refresh tokens with it. They get them in any case. */
const OFFLINE = "offline_access";

/**
 * Returns the requested scopes; without a request, those of the tools. Other scopes than these only allow the actions whose
 * contracts name them. Throws invalid_scope.
 */
export function requestedScopes(text: string | undefined): readonly string[] {
  const asked = [...new Set((text ?? "").split(" ").filter((one) => one !== "" && one !== OFFLINE))];
  if (asked.length === 0) return SCOPE_NAMES;
  if (asked.length > MOST || !asked.every((one) => FORM.test(one)))
    throw new OAuthError(
      "invalid_scope",
      `A scope has the form area:read or area:write, such as ${SCOPE_NAMES.join(", ")}.`,
    );
  return asked;
}

export function describeScope(name: string): string {
  return described(name)?.description ?? `Run the actions that require the scope ${name}.`;
}

/** Returns the operation that a member must be allowed to call to grant a scope. */
export function operationOf(name: string): string {
  return (described(name) ?? SCOPES["actions:write"]).operation;
}

function described(name: string): (typeof DESCRIBED)[string] | undefined {
  return Object.hasOwn(DESCRIBED, name) ? DESCRIBED[name] : undefined;
}
