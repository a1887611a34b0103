import type { BodyField } from "./secret-fields.ts";
import { actionOn, confirmedActionOn, proposalOf } from "./actions.ts";
import { callOf } from "./calls.ts";
import { connectorCalls, GIVEN } from "./connectors.ts";
import { invite, joined, PASSWORD, tokenOf, withTotp } from "./people.ts";
import { fieldName } from "./secret-fields.ts";
import type { ApiAnswer, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

/** A call that contains secrets. */
export interface Planting {
  readonly args: Args;
  /** The secrets to search for, by the names of their fields. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Default: the owner's key. Null: no key. */
  readonly key?: string | null;
  /** Sends the call as another caller. */
  readonly send?: (call: { method: string; path: string; body?: Args }) => Promise<ApiAnswer>;
}

interface At {
  readonly node: TestService;
  /** A backend that responds with 200 to every request. */
  readonly backend: { readonly url: string };
}

type Plant = (at: At) => Promise<readonly Planting[]>;

/** The event that planted rules and workflows subscribe to. */
export const SUNG = "canary.sung";

let planted = 0;

/** Returns a unique text. */
export function canary(): string {
  planted += 1;
  return `canary${String(planted).padStart(4, "0")}planted`;
}

/** Fields that require the correct value. The value of the good call in testing/calls.ts is searched for instead of a canary. */
const RIGHT: ReadonlySet<string> = new Set([
  "auth.password current",
  "auth.totp.enrol password",
  "auth.totp.verify code",
  "auth.totp.disable code",
  "auth.passkeys.begin password",
  "auth.passkeys.delete code",
  "slack_links.create password",
  "step_ups.prove code",
]);

/** Operations whose good call has no place for the secret, or that have no good call because they are public. */
const OWN: Readonly<Record<string, Plant>> = {
  "actions.run": async (at) => [await ranWith(at, "parameters"), await ranWith(at, "params")],
  "proposals.update": async ({ node, backend }) => {
    const token = canary();
    const action = await confirmedActionOn(node, backend, SENSITIVE);
    const { id } = await proposalOf(node, action, { parameters: { token: "another" } });
    return [{ args: { id, parameters: { token } }, secrets: { "proposals.update parameters": token } }];
  },
  "connectors.enable": async ({ node }) => [await connectorWith(node, "connectors.enable")],
  "connectors.update": async ({ node }) => [await connectorWith(node, "connectors.update")],
  "connectors.promote": async ({ node }) => [await connectorWith(node, "connectors.promote")],
  "rules.create": async ({ backend }) => {
    const { token, then } = posting(backend.url);
    return [{ args: { name: "Sings", on: [SUNG], then }, secrets: { "rules.create then.0": token } }];
  },
  "rules.update": async ({ node, backend }) => {
    const { id } = (await callOf(node, "rules.update", "good")).args;
    const { token, then } = posting(backend.url);
    return [{ args: { id, on: [SUNG], then }, secrets: { "rules.update then.0": token } }];
  },
  "workflows.create": async ({ backend }) => {
    const { secrets, steps } = stepping("workflows.create", backend.url);
    return [{ args: { name: "Sings", trigger: { event: SUNG }, steps, enabled: true }, secrets }];
  },
  "workflows.update": async ({ node, backend }) => {
    const { id } = (await callOf(node, "workflows.update", "good")).args;
    const { secrets, steps } = stepping("workflows.update", backend.url);
    return [{ args: { id, trigger: { event: SUNG }, steps, enabled: true }, secrets }];
  },
  signIn: async ({ node }) => {
    const { person, recovery } = await withTotp(node);
    const [code = ""] = recovery;
    return [
      open(
        { email: person.email, password: person.password, totp_code: code },
        {
          "signIn password": person.password,
          "signIn totp_code": code,
        },
      ),
    ];
  },
  exchangePortalToken: async ({ node }) => {
    const body = { tenant: "sings", capabilities: ["endpoints"] };
    const made = await node.api("POST", "/v1/portal-sessions", body);
    const token = /#token=(\w+)/.exec(String(made.body["url"]))?.[1] ?? "";
    return [open({ token }, { "exchangePortalToken token": token })];
  },
  resetPassword: async ({ node }) => {
    const token = await resetToken(node);
    const password = canary();
    return [open({ token, password }, { "resetPassword token": token, "resetPassword password": password })];
  },
  acceptInvitation: async ({ node }) => {
    const token = await invite(node, "sings@example.com", "viewer");
    const password = canary();
    return [
      open(
        { token, name: "Sings", password },
        {
          "acceptInvitation token": token,
          "acceptInvitation password": password,
        },
      ),
      await acceptedElsewhere(node),
    ];
  },
  reviewPasswordReset: async ({ node }) => {
    const token = await resetToken(node);
    return [open({ token }, { "reviewPasswordReset token": token })];
  },
  lookUpInvitation: async ({ node }) => {
    const token = await invite(node, "looks@example.com", "viewer");
    return [open({ token }, { "lookUpInvitation token": token })];
  },
};

async function resetToken(node: TestService): Promise<string> {
  const { memberId } = await joined(node, "viewer");
  return tokenOf((await node.api("POST", `/v1/members/${memberId}/reset-link`, {})).body["reset_url"]);
}

/** Returns the calls of one operation, with a canary in each of these fields. */
export async function plantingsOf(at: At, fields: readonly BodyField[]): Promise<readonly Planting[]> {
  const operation = fields[0]?.operation ?? "";
  const own = OWN[operation];
  if (own !== undefined) return await own(at);
  const { args, send } = await callOf(at.node, operation, "good");
  const secrets = fields.map((field) => {
    const right = field.path.length === 1 ? args[field.path[0] ?? ""] : undefined;
    return [field, RIGHT.has(fieldName(field)) ? String(right) : canary()] as const;
  });
  return [
    {
      args: secrets.reduce((into, [{ path }, value]) => withValue(into, path, value) as Args, args),
      secrets: Object.fromEntries(secrets.map(([field, value]) => [fieldName(field), value])),
      send,
    },
  ];
}

/** Returns a copy with the value at this path. Missing parts are created. */
export function withValue(into: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step === "0") {
    const items = Array.isArray(into) ? (into as unknown[]) : [];
    return [withValue(items[0], rest, value), ...items.slice(1)];
  }
  const name = step === "*" ? "X-Canary" : step;
  const members = typeof into === "object" && into !== null ? (into as Args) : {};
  return { ...members, [name]: withValue(members[name], rest, value) };
}

const SENSITIVE = { params: { token: { type: "string", sensitive: true } } };

async function ranWith({ node, backend }: At, field: "parameters" | "params"): Promise<Planting> {
  const token = canary();
  const action = await actionOn(node, backend, SENSITIVE);
  return { args: { action, [field]: { token } }, secrets: { [`actions.run ${field}`]: token } };
}

async function connectorWith(
  node: TestService,
  operation: "connectors.enable" | "connectors.update" | "connectors.promote",
): Promise<Planting> {
  const key = canary();
  const args = await connectorCalls[operation]?.good(node);
  return { args: { ...args, settings: { ...GIVEN, api_key: key } }, secrets: { [`${operation} settings`]: key } };
}

function posting(url: string): { readonly token: string; readonly then: readonly object[] } {
  const token = canary();
  return { token, then: [{ type: "post_webhook", url, headers: { Authorization: `Bearer ${token}` } }] };
}

/** Returns steps with webhooks in the list, in a branch and in a loop, and the secrets in their headers. */
function stepping(operation: string, url: string): Pick<Planting, "secrets"> & { readonly steps: readonly object[] } {
  const [plain, branch, item] = [canary(), canary(), canary()];
  const send = (id: string, token: string): object => ({
    id,
    type: "webhook",
    url,
    headers: { Authorization: `Bearer ${token}` },
  });
  return {
    steps: [
      send("send", plain),
      { id: "both", type: "parallel", branches: [[send("branch", branch)]] },
      { id: "loop", type: "for_each", in: [1], steps: [send("item", item)] },
    ],
    secrets: {
      [`${operation} steps.0.headers.*`]: plain,
      [`${operation} steps.0.branches.0.0.headers.*`]: branch,
      [`${operation} steps.0.steps.0.headers.*`]: item,
    },
  };
}

function open(args: Args, secrets: Planting["secrets"]): Planting {
  return { args, secrets, key: null };
}

/** Lets a person with an account and two-factor authentication join another workspace. */
async function acceptedElsewhere(node: TestService): Promise<Planting> {
  const { person, recovery } = await withTotp(node);
  const [code = ""] = recovery;
  const { body } = await node.api("POST", "/v1/workspaces", { name: "Elsewhere" });
  const token = await invite(node, person.email, "viewer", body["api_key"]);
  return open({ token, name: "Sings", password: PASSWORD, totp_code: code }, { "acceptInvitation totp_code": code });
}
