import { factsOf, FillError, fillText, readText, sourceOfScalar, sourceOfText } from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";
import type { Path } from "../../lib/lib.ts";
import type { BrokerKind } from "../../platform/brokers/brokers.ts";
import { TEMPLATE_ROOTS } from "./destination.ts";
import type { DestinationInput } from "./destination.schemas.ts";

/** The facts of a delivery that templates of a destination read. */
export interface Addressee {
  readonly id: string;
  readonly event: string;
  /** JSON text of an object. */
  readonly data: string;
  readonly subject: string | null;
  readonly tenant: string | null;
  /** The key of its lane; null without an order. */
  readonly lane: string | null;
}

/** Where in a broker a message goes. */
export interface MessageAddress {
  readonly path: string | null;
  readonly key: string | null;
}

/** A missing or empty value, so that no level of a name is empty. */
const NOTHING = "_";
const CONTROL = String.raw`\p{Cc}\s`;
/** The characters with which a value of the event would become more than one level of a name, or a pattern. */
const SPECIAL: Readonly<Partial<Record<BrokerKind, RegExp>>> = {
  nats: new RegExp(`[.*>${CONTROL}]`, "gu"),
  rabbitmq: new RegExp(`[.*#${CONTROL}]`, "gu"),
  s3: new RegExp(String.raw`[/\\${CONTROL}]`, "gu"),
};
const KEYED: ReadonlySet<BrokerKind> = new Set<BrokerKind>(["kafka", "sqs", "sns"]);

/** Fills in the templates. Throws FillError if they are too expensive or too large for the event. */
export function messageAddress(kind: BrokerKind, destination: DestinationInput, of: Addressee): MessageAddress {
  const facts = factsOf({
    id: sourceOfScalar(of.id),
    event: sourceOfScalar(of.event),
    data: sourceOfText(of.data),
    subject: sourceOfScalar(of.subject),
    tenant: sourceOfScalar(of.tenant),
  });
  const path = destination.routing_key ?? destination.subject ?? destination.prefix;
  return {
    path: path === undefined ? null : filledIn(path, facts, SPECIAL[kind]),
    key: KEYED.has(kind) ? keyOf(destination, facts, of) : null,
  };
}

function keyOf({ partition_key: template }: DestinationInput, facts: Facts, { lane, subject }: Addressee) {
  return template === undefined ? (lane ?? subject) : filledIn(template, facts, undefined);
}

function filledIn(text: string, facts: Facts, special: RegExp | undefined): string {
  const template = readText(text, TEMPLATE_ROOTS);
  if (template === undefined) throw new FillError("has a token that this version does not know", "value_invalid");
  return fillText(template, facts, (path) => valueAt(path, facts, special));
}

/** A name of an event keeps its dots: it is one of the workspace's own, whose form is checked. */
function valueAt(path: Path, facts: Facts, special: RegExp | undefined): string {
  const fact = facts.at(path);
  const value =
    fact === undefined || fact.value === null ? "" : typeof fact.value === "string" ? fact.value : fact.text;
  if (value === "") return NOTHING;
  return special === undefined || path.steps[0] === "event" ? value : value.replaceAll(special, NOTHING);
}
