import type { Audit } from "../../audit/audit.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { revealHeaders, shownAnswer, shownHeaders, signedRequest } from "../deliveries/deliver.ts";
import type { Endpoints, HeaderValues, Message, OwnInboxes } from "../deliveries/deliver.ts";
import { exampleEvent, isEventName } from "../../events/events.ts";
import { newSigningSecret, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, Hidden, Id, IdMaker, Loop, Sealer } from "../../lib/lib.ts";
import type { ErrorClass, Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createInboxes } from "../inboxes/inbox.ts";
import type { Inboxes, NewInbox } from "../inboxes/inbox.ts";
import { createTokenSealing } from "../inboxes/token-sealing.ts";
import { createNamedInboxes } from "../inboxes/named-inboxes.ts";
import type { NamedInboxes } from "../inboxes/named-inboxes.ts";
import { sampleData } from "./sample.ts";

export type { Behaviour, InboxView, NewInbox } from "../inboxes/inbox.ts";
export { sealedByTester } from "../inboxes/inbox.ts";

/** A test to send (contract, section 5, "Tester"). */
export interface TestInput {
  readonly endpoint_id?: string | undefined;
  readonly url?: string | undefined;
  readonly event?: string | undefined;
  /** The source text of `data`. */
  readonly data?: string | undefined;
  readonly dry_run?: boolean | undefined;
}

export interface TestView {
  readonly object: "webhook_test";
  readonly dry_run: boolean;
  /** The id of this test's delivery, which is not in the delivery log. */
  readonly delivery_id: Id;
  readonly request: {
    readonly method: "POST";
    readonly url: string;
    /** The headers without the values of the endpoint's own headers. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** The value of `X-Service-Signature`. */
  readonly signature: string;
  /** The text that `signature` covers: the body as sent. */
  readonly string_to_sign: string;
  /** Null in a dry run, and if no status line was received. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body_snippet: string;
    readonly latency_ms: number;
  } | null;
  /**
   * The reason why no status line was received. Null if one was received with any status: a receiver's 500 is a result.
   */
  readonly error: { readonly class: ErrorClass; readonly detail: string } | null;
  /** The secret that signed the test of a URL. It signs nothing else. */
  readonly secret?: string;
}

export interface Tester {
  /**
   * Signs one sample delivery and, unless it is a dry run, sends it once, without retries or a log. An inactive
   * endpoint can be tested too. Throws 422 `validation_failed` and `url_blocked`, the latter also in a dry run, and 404
   * for an unknown endpoint.
   */
  test(scope: Scope, input: TestInput): Promise<TestView>;
  /** Creates an inbox in the caller's transaction. Its token is its only credential. */
  createInbox(tx: Tx, scope: Scope): Promise<NewInbox>;
  readonly inboxes: Inboxes;
  readonly named: NamedInboxes;
  /** Seals the tokens that the previous version kept in plain text. */
  readonly tokenSealing: Loop;
}

export interface TesterDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly log: { warn(fields: object, message: string): void };
  readonly audit: Pick<Audit, "redactorOf">;
  readonly endpoints: Pick<Endpoints, "get" | "target" | "secretsOfInbox">;
  /** Returns the secrets that may sign the requests of actions to an inbox. */
  readonly actionSecrets: () => readonly ((scope: Scope, token: string) => Promise<readonly Hidden[]>)[];
  /** Returns the secrets that may sign an HTTP call with this id. */
  readonly callSecrets: () => readonly ((scope: Scope, id: string) => Promise<readonly Hidden[]>)[];
  readonly ownInboxes: OwnInboxes;
  /** The base URL without a slash at the end. */
  readonly baseUrl: string;
}

interface Aim {
  readonly url: string;
  readonly headers: HeaderValues;
  readonly secret: Hidden;
  readonly previous: Hidden | null;
  /** True if the secret was created for this test. */
  readonly throwAway: boolean;
  readonly filter: readonly string[];
}

export function createTester(deps: TesterDeps): Tester {
  const inboxes = createInboxes(deps);
  return {
    inboxes,
    named: createNamedInboxes(deps),
    tokenSealing: createTokenSealing(deps),
    createInbox: inboxes.create,
    async test(scope, input) {
      assertValidTest(input);
      const aim = await aimOf(deps, scope, input);
      await deps.net.vet(aim.url);
      const { message, request } = sign(deps, scope, { aim, input });
      const dryRun = input.dry_run === true;
      // The inbox needs the secret to verify the test's signature, and has no other way to know it.
      if (aim.throwAway && !dryRun) await inboxes.expectSecret(scope, aim.url, aim.secret);
      const exchange = dryRun
        ? null
        : await deps.net.post({ ...request, headers: { ...revealHeaders(aim.headers), ...request.headers } });
      return {
        object: "webhook_test",
        dry_run: dryRun,
        delivery_id: wireId("dlv", scope.tag, message.deliveryId),
        request: {
          method: "POST",
          url: aim.url,
          headers: { ...shownHeaders(revealHeaders(aim.headers)), ...request.headers },
          body: request.body,
        },
        signature: request.signature,
        string_to_sign: request.body,
        ...outcomeOf(exchange, aim.headers),
        ...(aim.throwAway ? { secret: aim.secret.reveal() } : {}),
      };
    },
  };
}

function assertValidTest(input: TestInput): void {
  const errors = [];
  if ((input.endpoint_id === undefined) === (input.url === undefined)) {
    errors.push({ pointer: "", code: "one_of", message: "must have exactly one of endpoint_id and url" });
  }
  if (input.event !== undefined && !isEventName(input.event)) {
    errors.push({ pointer: "/event", code: "event_name", message: "must be an event name such as order.created" });
  }
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

async function aimOf(deps: TesterDeps, scope: Scope, input: TestInput): Promise<Aim> {
  if (input.endpoint_id === undefined) {
    return {
      url: await deps.ownInboxes.addressOf(scope, input.url ?? ""),
      headers: new Map(),
      secret: newSigningSecret(),
      previous: null,
      throwAway: true,
      filter: ["*"],
    };
  }
  const [target, view] = await Promise.all([
    deps.endpoints.target(scope, input.endpoint_id),
    deps.endpoints.get(scope, input.endpoint_id),
  ]);
  const { url, headers, secret, previous } = target;
  return { url, headers, secret, previous, throwAway: false, filter: view.events };
}

interface Signed {
  readonly message: Message;
  readonly request: {
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signature: string;
  };
}

function sign(
  deps: TesterDeps,
  scope: Scope,
  { aim, input }: { readonly aim: Aim; readonly input: TestInput },
): Signed {
  const at = deps.clock.now();
  const eventName = input.event ?? exampleEvent(aim.filter);
  const message: Message = {
    tag: scope.tag,
    environment: scope.environment,
    workspaceId: scope.workspaceId,
    deliveryId: deps.ids.uuid(),
    eventId: deps.ids.uuid(),
    eventName,
    occurredAt: at,
    data: input.data ?? sampleData(eventName),
  };
  const { headers, body } = signedRequest(message, aim, at);
  return { message, request: { url: aim.url, headers, body, signature: headers["X-Service-Signature"] ?? "" } };
}

function outcomeOf(exchange: Exchange | null, sent: HeaderValues): Pick<TestView, "response" | "error"> {
  if (exchange === null) return { response: null, error: null };
  const { status, latency, errorClass, errorDetail } = exchange;
  if (status === null) return { response: null, error: { class: errorClass ?? "protocol", detail: errorDetail ?? "" } };
  const { headers, snippet } = shownAnswer(exchange, sent);
  return { response: { status, headers, body_snippet: snippet, latency_ms: latency.total }, error: null };
}
