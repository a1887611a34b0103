import { startReceiver } from "./receiver.ts";
import type { Received } from "./receiver.ts";
import { faultOf } from "./slack-blocks.ts";
import type { Parsed } from "./test-service.ts";

/** A message that the stand-in accepted. */
export interface SlackMessageRow {
  readonly channel: string;
  readonly ts: string;
  /** The person who alone sees an ephemeral message. */
  readonly user: string | null;
  readonly threadTs: string | null;
  text: string;
  blocks: Parsed[];
}

export interface SlackStandIn {
  /** The value of JUNCTION_SLACK_API_URL. */
  readonly url: string;
  readonly messages: readonly SlackMessageRow[];
  readonly forms: readonly Parsed[];
  /** Answers the next call of a method with this error. */
  fail(method: string, error: string): void;
  /** Answers the next call with 429 and this `Retry-After`. */
  limit(seconds: number): void;
  close(): Promise<void>;
}

export interface SlackWorkspace {
  readonly teamId: string;
  readonly token: string;
  /** The channels that the app is in. */
  readonly channels: readonly string[];
  /** The triggers of forms that are still valid. */
  readonly triggers?: ReadonlySet<string>;
}

/** Starts a stand-in of Slack's Web API, which checks what Slack checks: the token, the channel, and each limit of a block. */
export async function startSlack(workspace: SlackWorkspace): Promise<SlackStandIn> {
  const receiver = await startReceiver();
  const failing: { readonly method: string; readonly error: string }[] = [];
  let waitSeconds: number | undefined;
  const { messages, forms, methods } = createState(workspace);
  receiver.answer((response, request) => {
    if (waitSeconds !== undefined) {
      response.writeHead(429, { "Retry-After": String(waitSeconds) }).end();
      waitSeconds = undefined;
      return;
    }
    const method = /^\/api\/([A-Za-z.]+)$/.exec(request.path)?.[1] ?? "";
    const at = failing.findIndex((one) => one.method === method);
    const fault = at === -1 ? faultOfCall(workspace, request) : failing.splice(at, 1)[0]?.error;
    const run = methods[method] ?? (() => failure("unknown_method"));
    const body = fault === undefined ? run(JSON.parse(request.body)) : failure(fault);
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  return {
    url: `${new URL(receiver.url).origin}/api`,
    messages,
    forms,
    fail: (method, error) => void failing.push({ method, error }),
    limit: (seconds) => {
      waitSeconds = seconds;
    },
    close: receiver.close,
  };
}

function failure(error: string): Parsed {
  return { ok: false, error };
}

function faultOfCall({ token }: SlackWorkspace, { method, headers }: Received): string | undefined {
  if (method !== "POST") return "method_not_supported_for_channel_type";
  if (headers["content-type"] !== "application/json; charset=utf-8") return "invalid_form_data";
  return headers.authorization === `Bearer ${token}` ? undefined : "invalid_auth";
}

function createState({ teamId, channels, triggers }: SlackWorkspace) {
  const messages: SlackMessageRow[] = [];
  const forms: Parsed[] = [];
  const post = (body: Parsed, user: string | null): Parsed => {
    const { channel, text, blocks, thread_ts: threadTs = null } = body;
    const fault = channels.includes(channel) ? faultOf(body) : "channel_not_found";
    if (fault !== undefined) return failure(fault);
    const ts = `1700000000.${String(messages.length + 1).padStart(6, "0")}`;
    messages.push({ channel, ts, user, text, blocks, threadTs });
    return { ok: true, channel, ts, message: { text, blocks } };
  };
  const methods: Readonly<Record<string, (body: Parsed) => Parsed>> = {
    "auth.test": () => ({ ok: true, team_id: teamId, team: "Shop", user_id: "U0BOT" }),
    "chat.postMessage": (body) => post(body, null),
    "chat.postEphemeral": (body) => (typeof body.user === "string" ? post(body, body.user) : failure("user_not_found")),
    "chat.update": (body) => {
      const { channel, ts, text, blocks } = body;
      const found = messages.find((one) => one.user === null && one.channel === channel && one.ts === ts);
      const fault = found === undefined ? "message_not_found" : faultOf(body);
      if (found === undefined || fault !== undefined) return failure(fault ?? "message_not_found");
      Object.assign(found, { text, blocks });
      return { ok: true, channel, ts };
    },
    "views.open": ({ trigger_id: trigger, view }) => {
      if (triggers?.has(trigger) !== true) return failure("invalid_trigger_id");
      forms.push(view);
      return { ok: true, view: { id: "V1" } };
    },
  };
  return { messages, forms, methods };
}
