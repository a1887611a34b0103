import type { Db, Tx } from "../../platform/db/db.ts";
import { fromDate, ServiceError, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { IdMaker } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { OwnSecrets } from "../backend-secrets/secrets.ts";
import type { SlackAppInput } from "./slack.schemas.ts";
import { deleteAllLinks, deleteSlackApp, findSlackApp, putSlackApp } from "./slack.store.ts";
import type { SlackAppRow } from "./slack.store.ts";

export interface SlackAppsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly secrets: OwnSecrets;
  readonly baseUrl: string;
}

const SIGNING_SECRET = "slack.signing_secret";
const BOT_TOKEN = "slack.bot_token";

export type SlackApps = ReturnType<typeof createSlackApps>;

/** Creates the Slack apps of environments: who signs the taps, and who sends the messages. */
export function createSlackApps(deps: SlackAppsDeps) {
  const { db, secrets } = deps;
  return {
    /** Sets the app. With another signing secret or Slack workspace, all linked accounts end. */
    put: async (scope: Scope, input: SlackAppInput) =>
      await db.transaction(async (tx) => await put(deps, tx, scope, input)),
    /** Throws 404 if the environment has none. */
    async get(scope: Scope) {
      const row = await findSlackApp(db.query, scope);
      if (row === undefined) throw missing();
      return slackAppView(deps, scope, row);
    },
    /** Removes the app with its secrets and all linked accounts. Throws 404 if the environment has none. */
    async remove(scope: Scope): Promise<void> {
      await db.transaction(async (tx) => {
        if (!(await deleteSlackApp(tx, scope))) throw missing();
        await deleteAllLinks(tx, scope);
        await secrets.remove(tx, scope, SIGNING_SECRET);
        await secrets.remove(tx, scope, BOT_TOKEN);
      });
    },
    token: async (scope: Scope) => await secrets.value(scope, BOT_TOKEN),
    signingSecret: async (scope: Scope) => await secrets.value(scope, SIGNING_SECRET),
  };
}

/** The signing secret lets anyone make up taps. With a new one, each person therefore links their account again. */
async function put(deps: SlackAppsDeps, tx: Tx, scope: Scope, input: SlackAppInput) {
  const { secrets, ids } = deps;
  const { bucket, tag, workspaceId } = scope;
  const before = await findSlackApp(tx.query, scope);
  const secretBefore = before === undefined ? null : await secrets.value(scope, SIGNING_SECRET);
  const isSame = before?.team_id === input.team_id && secretBefore?.reveal() === input.signing_secret;
  if (!isSame) await deleteAllLinks(tx, scope);
  await secrets.put(tx, scope, SIGNING_SECRET, input.signing_secret);
  await secrets.put(tx, scope, BOT_TOKEN, input.bot_token);
  const row = await putSlackApp(tx, { bucket, tag, id: ids.uuid(), workspace_id: workspaceId, team_id: input.team_id });
  return slackAppView(deps, scope, row);
}

function missing(): ServiceError {
  return new ServiceError("not_found", {
    detail: "This environment has no Slack app. Set one with PUT /v1/slack-app.",
  });
}

function slackAppView({ baseUrl }: Pick<SlackAppsDeps, "baseUrl">, scope: Scope, row: SlackAppRow) {
  const id = wireId("slk", scope.tag, row.id);
  return {
    id,
    object: "slack_app" as const,
    team_id: row.team_id,
    /** Slack sends taps here. */
    request_url: `${baseUrl}/v1/slack/${id}/interactions`,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
}
