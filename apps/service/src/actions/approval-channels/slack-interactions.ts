import type { Audit } from "../../audit/audit.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { bucketOf, createTaskSet, parseId, requestForm, ServiceError, withTimeout } from "../../lib/lib.ts";
import type { BodyHeaders, Clock, Id, Uuid } from "../../lib/lib.ts";
import { callerFacts, memberWireId, scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { decideBySlack } from "./decide-by-slack.ts";
import type { DecideBySlackDeps } from "./decide-by-slack.ts";
import { readInteraction } from "./interaction.ts";
import type { SlackRequest, Tap } from "./interaction.ts";
import type { SlackApi, SlackMethod } from "./slack-api.ts";
import type { SlackApps } from "./slack-app.ts";
import type { SlackLinks } from "./slack-links.ts";
import { linkedForm, linkForm, linkMessage, noteMessage } from "./slack-message.ts";
import type { SlackMessage } from "./slack-message.ts";
import { assertFromSlack } from "./slack-signature.ts";
import type { SlackProof } from "./slack-signature.ts";
import { openSlackApp } from "./slack.store.ts";

export interface SlackPost extends SlackProof {
  /** The id in the request URL. */
  readonly appId: string;
  readonly body: Buffer;
  readonly headers: BodyHeaders;
  readonly instance: string;
  readonly requestId: Id;
}

export interface SlackInteractionsDeps extends DecideBySlackDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: Pick<Audit, "record">;
  readonly baseUrl: string;
  readonly api: SlackApi;
  readonly apps: Pick<SlackApps, "token" | "signingSecret">;
  readonly links: Pick<SlackLinks, "memberOf" | "complete">;
  /** Shows decisions in the messages. */
  wake(): void;
}

/** Slack waits for three seconds. A decision that takes longer continues, and is shown in the message. */
const ANSWER_MS = 2000;
const STOP_MS = 25_000;

interface Received {
  readonly scope: Scope;
  /** The Slack workspace of the app. */
  readonly teamId: string;
  readonly post: SlackPost;
}

export type SlackInteractions = ReturnType<typeof createSlackInteractions>;

/** Receives the taps and forms of people in Slack, on the messages of an environment. */
export function createSlackInteractions(deps: SlackInteractionsDeps) {
  const tasks = createTaskSet((error) => deps.log.error({ err: error }, "a request of Slack could not be processed"));
  return {
    /**
     * Verifies a request of Slack and does what it asks for. Returns the JSON to answer, or null for an empty answer: what
     * a person must know is shown in Slack. Throws 404 for an unknown app, 401 for what its Slack did not sign, and 415 for
     * a body that is not a form in UTF-8.
     */
    async receive(post: SlackPost): Promise<object | null> {
      const received = await verified(deps, post);
      const request = readInteraction(requestForm(post.body, post.headers));
      // The database limits the work to the app's environment, regardless of the ids that the request names.
      const work = deps.db.within(received.scope, async () => await answer(deps, received, request));
      tasks.add(work);
      return (await withTimeout(work, ANSWER_MS)) ?? null;
    },
    /** Waits for the decisions in progress. */
    stop: async () => await tasks.settled(STOP_MS),
  };
}

async function verified({ db, clock, apps }: SlackInteractionsDeps, post: SlackPost): Promise<Received> {
  const parsed = parseId(post.appId);
  if (parsed?.prefix !== "slk") throw new ServiceError("not_found");
  const { tag, uuid } = parsed;
  const place = { bucket: bucketOf(tag), tag };
  return await db.at(place.bucket, async () => {
    const app = await openSlackApp(db.query, place, uuid);
    if (app === undefined) throw new ServiceError("not_found");
    const scope = scopeOf(app.workspace_id, tag);
    const secret = await apps.signingSecret(scope);
    if (secret === null) throw new ServiceError("not_found");
    assertFromSlack(secret, { ...post, now: clock.now() });
    return { scope, teamId: app.team_id, post };
  });
}

async function answer(deps: SlackInteractionsDeps, received: Received, request: SlackRequest): Promise<object | null> {
  if (request.kind === "nothing") return null;
  const { account, teamId, triggerId } = request;
  // A shared channel has people of other Slack workspaces, whose accounts this app does not prove.
  const isOwn = account.teamId === received.teamId && teamId === received.teamId;
  if (request.kind === "code") return isOwn ? await linked(deps, received, request) : formFault(WRONG_TEAM);
  if (!isOwn) {
    if (request.kind === "tap") await tell(deps, received, request, noteMessage(WRONG_TEAM));
    return null;
  }
  if (request.kind === "link") {
    await call(deps, received, "views.open", { trigger_id: triggerId, view: linkForm() });
    return null;
  }
  await tapped(deps, received, request);
  return null;
}

const WRONG_TEAM = "This Slack workspace is not the one of the app. Nothing was decided.";

async function tapped(deps: SlackInteractionsDeps, received: Received, tap: Tap): Promise<void> {
  const { scope, post } = received;
  const memberId = await deps.links.memberOf(scope, tap.account);
  if (memberId === undefined) return await tell(deps, received, tap, linkMessage(unlinked(deps.baseUrl)));
  try {
    const { body, instance, requestId } = post;
    await decideBySlack(deps, { scope, memberId, tap, body, instance, requestId });
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      await tell(deps, received, tap, noteMessage("Something went wrong. Try again, or decide in Junction."));
      throw error;
    }
    // The same tap is being processed already, and its first copy tells what came of it.
    if (error.code !== "idempotency_in_progress") await tell(deps, received, tap, noteMessage(refusalText(error)));
  } finally {
    deps.wake();
  }
}

function unlinked(baseUrl: string): string {
  return `Nothing was decided: your Slack account is not linked with a member. Open ${baseUrl}/account, choose “Link a Slack account”, and enter the code here.`;
}

/** The titles of 401 are about keys, which people in Slack do not have. */
function refusalText({ kind, details: { detail = "" } }: ServiceError): string {
  return kind.status === 401 ? `Nothing was decided. ${detail}` : `Nothing was decided. ${kind.title} ${detail}`.trim();
}

async function linked(
  deps: SlackInteractionsDeps,
  { scope, post }: Received,
  { account, code }: SlackRequest & { readonly kind: "code" },
): Promise<object> {
  const result = await deps.links.complete(scope, account, code, (tx, memberId) =>
    deps.audit.record(tx, scope, {
      kind: "channel",
      action: "slack_links.complete",
      status: "ok",
      actor: { type: "user", id: memberWireId(scope, memberId), display: null, keyId: null, ip: null },
      parameters: { team_id: account.teamId, slack_user_id: account.userId },
      requestId: post.requestId,
    }),
  );
  if (result === "too_many") return formFault("Too many wrong codes. Wait a minute.");
  if (result === "wrong") return formFault("The code is wrong, was used, or has expired. Get a new one in Junction.");
  return { response_action: "update", view: linkedForm(await nameOf(deps, scope, result.memberId)) };
}

async function nameOf({ db }: SlackInteractionsDeps, { workspaceId }: Scope, memberId: Uuid): Promise<string> {
  const [found] = await callerFacts(db, [{ workspaceId, keyId: null, memberId }]);
  return found?.name ?? "a member who has left";
}

function formFault(message: string): object {
  return { response_action: "errors", errors: { code: message } };
}

/** Shows a message to the person who tapped, and to no one else. */
async function tell(
  deps: SlackInteractionsDeps,
  received: Received,
  { channelId, account }: Tap,
  message: SlackMessage,
): Promise<void> {
  await call(deps, received, "chat.postEphemeral", { channel: channelId, user: account.userId, ...message });
}

async function call(
  { api, apps, log }: SlackInteractionsDeps,
  { scope }: Received,
  method: SlackMethod,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const token = await apps.token(scope);
  const answered = token === null ? undefined : await api.call(token, method, body);
  if (answered?.ok !== true)
    log.warn({ method, error: answered?.error ?? "slack_app_missing" }, "a person could not be answered in Slack");
}
