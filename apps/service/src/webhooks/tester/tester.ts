import { withHeaders } from "../requests/sign-in.ts";
import type { SignedExchange, Signer, StoredAuth } from "../requests/sign-in.ts";
import { shownAuthHeaders } from "../requests/endpoint-auth.ts";
import type { OwnSigning } from "../endpoints/signature-families.ts";
import { exampleEvent, isEventName } from "../../events/events.ts";
import { newSigningSecret, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, Hidden, t, Uuid } from "../../lib/lib.ts";
import type { Exchange, Net, OutboundRequest } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createInboxes } from "../inboxes/inbox.ts";
import type { InboxesDeps } from "../inboxes/inbox.ts";
import { createTokenSealing } from "../inboxes/token-sealing.ts";
import { createNamedInboxes } from "../inboxes/named-inboxes.ts";
import type { Wire } from "../endpoints/wire.ts";
import { inputOf } from "../deliveries/prepare.ts";
import type { EndpointTransform, TransformRunner } from "../transforms/run-transform.ts";
import type { TransformedRequest } from "../transforms/transform-template.ts";
import { sampleData } from "./sample.ts";
import { shownAnswer } from "../deliveries/echoes.ts";
import { headersOf, signedRequest } from "../deliveries/envelope.ts";
import { addressOrFault } from "../deliveries/send-to-broker.ts";
import type { BrokerExchange, BrokerRequest, BrokerSender } from "../deliveries/send-to-broker.ts";
import type { StoredDestination } from "../requests/destination.ts";
import type { Message } from "../deliveries/envelope.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { revealHeaders, shownHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";
import type * as shapes from "./tester.schemas.ts";

/** A test to send (contract, section 5, "Tester"). */
export interface TestInput {
  readonly endpoint_id?: string | undefined;
  readonly url?: string | undefined;
  readonly event?: string | undefined;
  /** The source text of `data`. */
  readonly data?: string | undefined;
  readonly dry_run?: boolean | undefined;
}

export type TestView = t.Static<typeof shapes.TestView>;

export type Tester = ReturnType<typeof createTester>;

export interface TesterDeps extends InboxesDeps {
  readonly clock: Clock;
  readonly net: Net;
  readonly log: { warn(fields: object, message: string): void };
  readonly endpoints: Pick<Endpoints, "get" | "target" | "secretsOfInbox">;
  readonly ownInboxes: OwnInboxes;
  readonly runner: TransformRunner;
  readonly signIn: (signer: Signer, request: OutboundRequest) => Promise<SignedExchange>;
  readonly toBroker: (sender: BrokerSender, request: BrokerRequest) => Promise<BrokerExchange>;
}

interface Aim {
  readonly url: string;
  readonly headers: HeaderValues;
  readonly secret: Hidden;
  readonly previous: Hidden | null;
  /** True if the secret was created for this test. */
  readonly throwAway: boolean;
  readonly filter: readonly string[];
  readonly tenant: string | null;
  readonly transform: EndpointTransform | null;
  readonly auth: StoredAuth | null;
  readonly broker: { readonly endpointId: Uuid; readonly stored: StoredDestination } | null;
  readonly signing: OwnSigning | null;
  readonly wire: Wire;
  readonly subscriptionId: string | null;
}

export function createTester(deps: TesterDeps) {
  const inboxes = createInboxes(deps);
  return {
    inboxes,
    named: createNamedInboxes(deps),
    /** Seals the tokens that the previous version kept in plain text. */
    tokenSealing: createTokenSealing(deps),
    /** Creates an inbox in the caller's transaction. Its token is its only credential. */
    createInbox: inboxes.create,
    /**
     * Signs one sample delivery and, unless it is a dry run, sends it once, without retries or a log. An inactive
     * endpoint can be tested too. Throws 422 `validation_failed` and `url_blocked`, the latter also in a dry run, and 404
     * for an unknown endpoint.
     */
    async test(scope: Scope, input: TestInput): Promise<TestView> {
      assertValidTest(scope, input);
      const aim = await aimOf(deps, scope, input);
      if (aim.broker === null) await deps.net.vet(aim.url);
      const message = messageOf(deps, scope, { aim, input });
      const { transformed, unsent } = await transformOf(deps.runner, message, aim);
      const request = sign(deps, { aim, message }, transformed);
      const dryRun = input.dry_run === true;
      // The inbox needs the secret to verify the test's signature, and has no other way to know it.
      if (aim.throwAway && !dryRun) await inboxes.expectSecret(scope, aim.url, aim.secret);
      const own = revealHeaders(aim.headers);
      const sent = { ...request, headers: headersOf(own, transformed?.headers, request.headers) };
      const exchange = dryRun || unsent !== null ? null : await send(deps, { scope, aim, message }, sent);
      return {
        object: "webhook_test",
        dry_run: dryRun,
        delivery_id: wireId("dlv", scope.tag, message.deliveryId),
        request: {
          method: request.method,
          url: aim.url,
          headers: shownAs(aim, headersOf(shownHeaders(own), transformed?.headers, request.headers)),
          body: request.body,
        },
        ...signatureOf(request),
        ...(unsent === null ? outcomeOf(exchange, aim.headers) : { response: null, error: unsent }),
        ...(aim.throwAway ? { secret: aim.secret.reveal() } : {}),
      };
    },
  };
}

/** Returns the signature that receivers check, and the text that it covers. */
function signatureOf({ headers, body }: TestView["request"]): Pick<TestView, "signature" | "string_to_sign"> {
  const standard = headers["svix-signature"];
  if (standard === undefined) return { signature: headers["X-Service-Signature"] ?? "", string_to_sign: body };
  return { signature: standard, string_to_sign: `${headers["svix-id"]}.${headers["svix-timestamp"]}.${body}` };
}

function assertValidTest({ tenant }: Scope, input: TestInput): void {
  const errors = [];
  // A tenant tests its own endpoints, which are in its log and within the limits of endpoints.
  if ((tenant ?? null) !== null && input.url !== undefined)
    errors.push({
      pointer: "/url",
      code: "endpoint_id",
      message: "must be omitted by a key of a tenant: name an endpoint",
    });
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
      tenant: null,
      transform: null,
      auth: null,
      broker: null,
      signing: null,
      wire: "service",
      subscriptionId: null,
    };
  }
  const [target, view] = await Promise.all([
    deps.endpoints.target(scope, input.endpoint_id),
    deps.endpoints.get(scope, input.endpoint_id),
  ]);
  if (target.isPulled) {
    const message = "must name a webhook endpoint: nothing is sent to a pull endpoint";
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/endpoint_id", code: "not_for_pull", message }],
    });
  }
  const { id: endpointId, destination: stored } = target;
  const broker = stored === null ? null : { endpointId, stored };
  return { ...target, broker, throwAway: false, filter: view.events, tenant: view.tenant };
}

interface Testing {
  readonly aim: Aim;
  readonly input: TestInput;
}

function messageOf({ clock, ids }: TesterDeps, scope: Scope, { aim, input }: Testing): Message {
  const eventName = input.event ?? exampleEvent(aim.filter);
  return {
    tag: scope.tag,
    environment: scope.environment,
    workspaceId: scope.workspaceId,
    deliveryId: ids.uuid(),
    eventId: ids.uuid(),
    eventName,
    occurredAt: clock.now(),
    data: input.data ?? sampleData(eventName),
  };
}

/** Runs the transformation of the endpoint. `unsent`: why nothing is sent. */
async function transformOf(
  runner: TransformRunner,
  message: Message,
  { transform, tenant }: Aim,
): Promise<{ readonly transformed?: TransformedRequest; readonly unsent: TestView["error"] }> {
  if (transform === null) return { unsent: null };
  const result = await runner.run({ tag: message.tag, tenant, text: transform.text }, inputOf({ ...message, tenant }));
  if (result.kind === "request") return { transformed: result.request, unsent: null };
  const detail = result.kind === "failed" ? result.message : "The transformation returned null, so nothing is sent.";
  return { unsent: { class: "transform", detail } };
}

function sign(
  { clock }: TesterDeps,
  { aim, message }: { readonly aim: Aim; readonly message: Message },
  transformed: TransformedRequest | undefined,
): Pick<TestView["request"], "method" | "url" | "body"> & { readonly headers: Record<string, string> } {
  const { headers, body } = signedRequest(message, aim, clock.now(), transformed?.body);
  return { method: transformed?.method ?? "POST", url: aim.url, headers, body };
}

function shownAs({ auth }: Aim, headers: Record<string, string>): Record<string, string> {
  return withHeaders(headers, shownAuthHeaders(auth?.auth));
}

interface Sending {
  readonly scope: Scope;
  readonly aim: Aim;
  readonly message: Message;
}

async function send(
  { net, signIn, toBroker }: TesterDeps,
  { scope, aim: { auth, broker, tenant }, message }: Sending,
  request: Omit<OutboundRequest, "body"> & { readonly body: string },
): Promise<Exchange | SignedExchange | BrokerExchange> {
  const { tag, workspaceId } = scope;
  if (broker !== null) {
    const { eventName: event, data, deliveryId, eventId } = message;
    const of = { id: wireId("evt", tag, eventId), event, data, tenant, subject: null, lane: null };
    const address = addressOrFault(broker.stored, of);
    if ("errorClass" in address) return address;
    return await toBroker({ tag, workspaceId, ...broker }, { ...request, ...address, deliveryId });
  }
  return auth === null ? await net.send(request) : await signIn({ tag, workspaceId, stored: auth }, request);
}

function outcomeOf(
  exchange: Exchange | SignedExchange | BrokerExchange | null,
  sent: HeaderValues,
): Pick<TestView, "response" | "error" | "confirmation"> {
  if (exchange === null) return { response: null, error: null };
  const { status, latency, errorClass, errorDetail } = exchange;
  if (status === null && errorClass === null)
    return { response: null, error: null, confirmation: exchange.body.toString() };
  if (status === null) return { response: null, error: { class: errorClass ?? "protocol", detail: errorDetail ?? "" } };
  const { headers, snippet } = shownAnswer(
    exchange,
    sent,
    "credentials" in exchange ? exchange.credentials : undefined,
  );
  return { response: { status, headers, body_snippet: snippet, latency_ms: latency.total }, error: null };
}
