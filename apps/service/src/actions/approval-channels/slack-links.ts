import { randomInt } from "node:crypto";
import type { Db, Tx } from "../../platform/db/db.ts";
import { createRateLimiter } from "../../access/access.ts";
import { after, fromDate, paginate, ServiceError, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Clock, IdMaker, Sealer, Uuid } from "../../lib/lib.ts";
import { memberWireId, ownUuid, scopeFields } from "../../accounts/accounts.ts";
import type { People, Scope } from "../../accounts/accounts.ts";
import type { LinkListQuery } from "./slack.schemas.ts";
import * as store from "./slack.store.ts";
import type { SlackAccount, SlackLinkRow } from "./slack.store.ts";

export interface SlackLinksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly notices: People["notices"];
}

/** Letters and digits that people do not confuse. */
const LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const HALF = 5;
const LIFE_MS = 600_000;
/** The wrong codes that a Slack account may enter. */
const TRIES = { operation: "slack.link", perMinute: 5, perHour: 30 };

export type SlackLinks = ReturnType<typeof createSlackLinks>;

/**
 * The Slack accounts of members. A member gets a code while signed in and enters it in Slack, so that one person proves
 * both accounts: the session proves the member, and Slack's signature the Slack account.
 */
export function createSlackLinks({ db, clock, ids, sealer, notices }: SlackLinksDeps) {
  const rates = createRateLimiter(db);
  const hashOf = ({ tag }: Scope, code: string): Buffer => sealer.fingerprint(plainOf(code), `slack link:${tag}`);
  return {
    /** Returns a new code, which replaces the member's earlier ones. Throws 409 if the environment has no Slack app. */
    async begin(scope: Scope, memberId: Uuid) {
      if ((await store.findSlackApp(db.query, scope)) === undefined)
        throw new ServiceError("conflict", {
          detail: "This environment has no Slack app yet. An owner sets it with PUT /v1/slack-app.",
        });
      const code = newCode();
      const expiresAt = after(clock.now(), LIFE_MS);
      const stored = { id: ids.uuid(), workspaceId: scope.workspaceId, memberId, codeHash: hashOf(scope, code) };
      await db.transaction(
        async (tx) => await store.insertCode(tx, scope, { ...stored, expiresAt: toDate(expiresAt) }),
      );
      return { object: "slack_link_code" as const, code, expires_at: toRfc3339(expiresAt) };
    },
    /** Uses the code up, and records that in the same commit. Returns the member, or why the code is not accepted. */
    async complete(
      scope: Scope,
      account: SlackAccount,
      code: string,
      record: (tx: Tx, memberId: Uuid) => void,
    ): Promise<{ readonly memberId: Uuid } | "wrong" | "too_many"> {
      const subject = `slack:${scope.tag}:${account.teamId}:${account.userId}`;
      const { granted } = await rates.take({ bucket: scope.bucket, subject, ...TRIES });
      if (!granted) return "too_many";
      const proof = { codeHash: hashOf(scope, code), now: toDate(clock.now()), lifeMs: LIFE_MS };
      const linked = await db.transaction(async (tx) => {
        const row = await store.useCode(tx, scope, account, proof);
        if (row === undefined) return undefined;
        record(tx, row.member_id);
        const about = `${account.userId} of the Slack workspace ${account.teamId}`;
        notices.announce(tx, row.person_id, { kind: "slack_linked", about });
        return row;
      });
      return linked === undefined ? "wrong" : { memberId: linked.member_id };
    },
    memberOf: async (scope: Scope, account: SlackAccount) =>
      (await store.linkOfAccount(db.query, scope, account))?.member_id,
    /** Lists the links of one member, or of all. */
    list: async (scope: Scope, memberId: Uuid | undefined, query: LinkListQuery) =>
      await paginate(query, {
        binding: [scope.tag, "slack links", memberId ?? null],
        read: async (before, limit) => await store.listLinks(db.query, scope, memberId, { before, limit }),
        view: (row) => slackLinkView(scope, row),
      }),
    /** Ends a link: one of this member, or any. Throws 404 if there is none. */
    async remove(scope: Scope, id: string, memberId: Uuid | undefined): Promise<void> {
      const uuid = ownUuid(scope, "slu", id);
      const isGone = await db.transaction(async (tx) => await store.deleteLink(tx, scope, uuid, memberId));
      if (!isGone) throw new ServiceError("not_found");
    },
  };
}

function newCode(): string {
  const letters = Array.from({ length: 2 * HALF }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

/** People write a code with spaces or in small letters. */
function plainOf(code: string): string {
  return code.replaceAll(/[\s-]/g, "").toUpperCase();
}

function slackLinkView(scope: Scope, row: SlackLinkRow) {
  return {
    id: wireId("slu", scope.tag, row.id),
    object: "slack_link" as const,
    member_id: memberWireId(scope, row.member_id),
    team_id: row.team_id ?? "",
    slack_user_id: row.slack_user_id ?? "",
    ...scopeFields(scope),
    created_at: row.linked_at === null ? "" : toRfc3339(fromDate(row.linked_at)),
  };
}
