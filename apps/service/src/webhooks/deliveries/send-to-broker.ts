import { isIP } from "node:net";
import { isPassing, REDACTED, wireId } from "../../lib/lib.ts";
import type { Clock, Hidden, Tag, Uuid } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import { FillError } from "../../events/events.ts";
import { BrokerError } from "../../platform/brokers/brokers.ts";
import type { BrokerMessage, BrokerOrder, Brokers } from "../../platform/brokers/brokers.ts";
import { unsent } from "../../platform/outbound-http/outbound-http.ts";
import type { Unsent } from "../../platform/outbound-http/outbound-http.ts";
import { addressesOf, secretNameOfDestination } from "../requests/destination-places.ts";
import { messageAddress } from "../requests/destination-templates.ts";
import type { Addressee, MessageAddress } from "../requests/destination-templates.ts";
import type { StoredDestination } from "../requests/destination.ts";
import type { SecretFor } from "../requests/endpoint-auth.ts";

export interface BrokerSendingDeps {
  readonly brokers: Pick<Brokers, "send" | "test">;
  readonly clock: Clock;
  readonly secretFor: SecretFor;
}

/** An exchange with a broker. Its body is the text of the confirmation. */
export type BrokerExchange = Omit<Unsent<"broker" | "proxy">, "errorClass"> & {
  readonly errorClass: "broker" | "proxy" | null;
  readonly credentials?: readonly Hidden[];
};

/** The endpoint whose messages they are. */
export interface BrokerSender {
  readonly tag: Tag;
  readonly workspaceId: Uuid;
  readonly endpointId: Uuid;
  readonly stored: StoredDestination;
}

export interface BrokerRequest extends MessageAddress {
  readonly deliveryId: Uuid;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The time of an attempt, with the opening of a connection. */
const WITHIN_MS = 15_000;
/** The shortest credential that is looked for in texts of a broker. Shorter ones are in unrelated words too. */
const SHORTEST = 4;

/** Fills in the templates of a destination, or returns why nothing can be sent. */
export function addressOrFault(
  { kind, destination }: StoredDestination,
  of: Addressee,
): MessageAddress | BrokerExchange {
  try {
    return messageAddress(kind, destination, of);
  } catch (error) {
    if (!(error instanceof FillError)) throw error;
    return failed("broker", `send: The name or the key of the message ${error.message}. Nothing was sent.`, 0);
  }
}

/** Sends a message, and waits for the broker's confirmation. Never throws because of a broker or a secret. */
export async function sendToBroker(
  deps: BrokerSendingDeps,
  sender: BrokerSender,
  { deliveryId, headers, body, path, key }: BrokerRequest,
): Promise<BrokerExchange> {
  const startedMs = deps.clock.monotonicMs();
  const spentMs = (): number => Math.round((deps.clock.monotonicMs() - startedMs) * 100) / 100;
  const order = await orderOf(deps, sender);
  if ("refused" in order) return failed("broker", `sign_in: ${order.refused}`, spentMs());
  const message: BrokerMessage = {
    headers,
    body: Buffer.from(body),
    path,
    key,
    id: wireId("dlv", sender.tag, deliveryId),
  };
  try {
    const { text, address } = await deps.brokers.send(order, message, WITHIN_MS);
    return {
      ...unsent("broker", "", { first_byte: spentMs(), total: spentMs() }),
      errorClass: null,
      errorDetail: null,
      body: Buffer.from(withoutSecret(text, order.credential)),
      sent: true,
      resolvedIp: ipOf(address),
    };
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const { step, message: text, address } = error;
    const detail = withoutSecret(step === "proxy" ? text : `${step}: ${text}`, order.credential);
    return { ...failed(step === "proxy" ? "proxy" : "broker", detail, spentMs()), resolvedIp: ipOf(address) };
  }
}

/** The steps of a connection, in their order. */
export const CONNECTION_STEPS = ["resolve", "guard", "connect", "tls", "sign_in"] as const;

export interface ConnectionResult {
  readonly failed: { readonly step: BrokerError["step"]; readonly detail: string } | null;
  readonly ms: number;
}

/** Connects and signs in as an attempt does, on a connection of its own. */
export async function testConnection(deps: BrokerSendingDeps, sender: BrokerSender): Promise<ConnectionResult> {
  const startedMs = deps.clock.monotonicMs();
  const spentMs = (): number => Math.round(deps.clock.monotonicMs() - startedMs);
  const order = await orderOf(deps, sender);
  if ("refused" in order) return { failed: { step: "sign_in", detail: order.refused }, ms: spentMs() };
  try {
    await deps.brokers.test(order, WITHIN_MS);
    return { failed: null, ms: spentMs() };
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const { step, message } = error;
    return { failed: { step, detail: withoutSecret(message, order.credential) }, ms: spentMs() };
  }
}

/** Reads the secret for each message, so that another value or other hosts count from the next attempt. */
async function orderOf(
  { secretFor }: BrokerSendingDeps,
  { tag, workspaceId, endpointId, stored }: BrokerSender,
): Promise<BrokerOrder | { readonly refused: string }> {
  const { kind, destination, by } = stored;
  const order = { owner: endpointId, share: tag, kind, destination, credential: null };
  const name = secretNameOfDestination(destination);
  if (name === undefined) return order;
  const { urls } = addressesOf(kind, destination);
  const found = await secretFor(scopeOf(workspaceId, tag), name, { urls, by }).catch((error: unknown) => {
    if (isPassing(error)) throw error;
    return { refused: `The current master key cannot decrypt the secret ${name}. Nothing was sent.` };
  });
  if (found === null) return { refused: `The secret ${name} is not set in this environment. Nothing was sent.` };
  return "refused" in found ? found : { ...order, credential: found };
}

/** A driver can name the port too. */
function ipOf(address: string | null): string | null {
  return address?.replace(/^\[?([^\]]*?)\]?:\d+$/, (whole, host: string) => (isIP(host) === 0 ? whole : host)) ?? null;
}

function failed(errorClass: "broker" | "proxy", detail: string, ms: number): BrokerExchange {
  return unsent(errorClass, detail, { total: ms });
}

function withoutSecret(text: string, credential: Hidden | null): string {
  const value = credential?.reveal() ?? "";
  return value.length < SHORTEST ? text : text.replaceAll(value, REDACTED);
}
