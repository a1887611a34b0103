import type { Connectors, Pinned, Pins } from "../registry/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import { createRateLimiter } from "../../access/access.ts";
import type { RateLimiter } from "../../access/access.ts";
import { ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, IdMaker, t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { takeCall } from "./rate.ts";
import type { RunLog } from "./run-log.ts";
import { readWebhook } from "./webhook-body.ts";
import type { Header } from "./webhook-body.ts";
import { isSigned } from "./webhook-signature.ts";
import { keepWebhook } from "./webhooks.store.ts";
import type * as shapes from "./connector-runs.schemas.ts";

/** A request from the other service. */
export interface WebhookRequest {
  readonly body: Buffer;
  readonly header: Header;
  /** The names of all headers, in lower case. */
  readonly names: readonly string[];
  /**
   * True if a caller with an API key forwards the webhook. A signature must then be valid if present, and may be
   * absent.
   */
  readonly isKnown: boolean;
}

export type WebhookAnswer = t.Static<typeof shapes.HookAnswer>;

export type Webhooks = ReturnType<typeof createWebhooks>;

export interface WebhooksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly pins: Pick<Pins, "current">;
  readonly inventory: Pick<Connectors["inventory"], "get">;
  readonly runLog: Pick<RunLog, "begin">;
  /** Reports that a webhook is due. */
  readonly wake: () => void;
}

const LIMIT = { operation: "connector.webhook", perMinute: 600 };
const REFUSALS = { operation: "connector.refused", perMinute: 60 };
const MAX_HEADER = 1000;
/** Headers that connectors do not see: credentials, and those of the connection to this service. */
const NOT_SHOWN = /^(authorization|cookie|proxy-.*|x-forwarded-.*|forwarded|x-real-ip|connection|host|content-length)$/;

export function createWebhooks(deps: WebhooksDeps) {
  const { db, clock, ids, wake } = deps;
  const rates = createRateLimiter(db);
  return {
    /**
     * Verifies and stores a webhook. It is processed after the commit, and retried if that fails. Throws 401
     * `signature_invalid`, 403 `inbound_inactive` if the connector is not enabled, 404 if it accepts no webhooks, 429,
     * 400 if the body is not JSON, and 415 if it is compressed or not in its character set.
     */
    async receive(scope: Scope, key: string, request: WebhookRequest): Promise<WebhookAnswer> {
      const pinned = await pinnedOf(deps, scope, key);
      const { webhook } = pinned.version.description;
      if (webhook === null)
        throw new ServiceError("not_found", { detail: `The connector ${key} does not accept webhooks.` });
      const secret = pinned.values.secrets[webhook.secret.slice("settings.".length)]?.reveal() ?? "";
      const value = request.header(webhook.header.toLowerCase());
      const mayGoUnsigned = request.isKnown && value === undefined;
      if (!mayGoUnsigned && !isSigned(webhook.verify, secret, { value, body: request.body, now: clock.now() })) {
        await noteRefusal(deps, rates, pinned, webhook.header);
        throw new ServiceError("signature_invalid", {
          detail: `${webhook.header} must sign the raw body in the form ${JSON.stringify(webhook.verify)}, with the configured secret.`,
        });
      }
      await assertWithinLimit(rates, pinned);
      const { body, dedupe } = readWebhook(pinned.version, request);
      const shown = shownHeaders(request, webhook.header);
      return await db.transaction(async (tx) => {
        const { id, taken } = await keepWebhook(tx, {
          bucket: scope.bucket,
          tag: scope.tag,
          id: ids.uuid(),
          workspace_id: scope.workspaceId,
          key,
          dedupe,
          body,
          request: JSON.stringify({ headers: shown }),
        });
        if (taken) tx.onCommit(wake);
        return {
          id: wireId("cwh", scope.tag, id),
          object: "connector_webhook",
          status: taken ? "accepted" : "duplicate",
        };
      });
    },
  };
}

async function pinnedOf({ pins, inventory }: WebhooksDeps, scope: Scope, key: string): Promise<Pinned> {
  const pin = await pins.current(scope, key);
  if (pin.kind === "ready") return pin.pinned;
  // Throws 404 for an unknown connector.
  await inventory.get(scope, key);
  throw new ServiceError("inbound_inactive", {
    detail: `The connector ${key} is not enabled in this environment, or was stopped.`,
  });
}

async function assertWithinLimit(rates: RateLimiter, pinned: Pinned): Promise<void> {
  const { granted, retrySeconds } = await takeCall(rates, pinned, LIMIT);
  if (!granted)
    throw new ServiceError("rate_limited", {
      detail: `A connector accepts ${LIMIT.perMinute} webhooks per minute.`,
      headers: { "Retry-After": String(retrySeconds) },
    });
}

/**
 * Logs a refused webhook. The number of entries is limited, because anyone who has the URL can send unsigned requests.
 */
async function noteRefusal(
  { runLog }: WebhooksDeps,
  rates: RateLimiter,
  pinned: Pinned,
  header: string,
): Promise<void> {
  const { granted } = await takeCall(rates, pinned, REFUSALS);
  if (!granted) return;
  const { scope, key, version } = pinned;
  const draft = runLog.begin({
    scope,
    key,
    version: version.version,
    hook: "webhook",
    name: "",
    eventId: null,
    tenant: null,
    redact: (text) => text,
  });
  await draft.end("refused", `${header} is not a valid signature of the body.`);
}

function shownHeaders({ names, header }: WebhookRequest, signature: string): Record<string, string> {
  const shown = names.filter((name) => !NOT_SHOWN.test(name) && name !== signature.toLowerCase());
  return Object.fromEntries(shown.map((name) => [name, (header(name) ?? "").slice(0, MAX_HEADER).toWellFormed()]));
}
