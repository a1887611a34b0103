import { foreignJson, isRecord } from "../../lib/lib.ts";
import { createAwsClient, jsonRequest, notConfirmed, requestConnection } from "./aws-client.ts";
import type { AwsDestination, AwsTarget } from "./aws-client.ts";
import { refusalFault } from "./aws-faults.ts";
import { utf8Of } from "./aws-message.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerDriver, BrokerMessage } from "./broker.ts";

export interface EventbridgeDestination extends AwsDestination {
  /** The name or ARN of an event bus. */
  readonly bus: string;
  /** The `source` of the events, which rules match. */
  readonly source: string;
}

/** Events to a bus of Amazon EventBridge. The body is the `detail`, the event's name the `detail-type`. */
export const eventbridge: BrokerDriver<EventbridgeDestination> = {
  kind: "eventbridge",
  async open(deps, destination, credential, withinMs) {
    const { bus, region, access_key_id: accessKeyId } = destination;
    const target: AwsTarget = {
      kind: "eventbridge",
      service: "Amazon EventBridge",
      name: `the event bus ${bus}`,
      member: "bus",
      right: "events:PutEvents",
    };
    const client = createAwsClient(deps, destination, credential, target);
    await client.check(jsonRequest("1.1", "AWSEvents.DescribeEventBus", { Name: bus }), withinMs);
    return requestConnection(async (message, sendWithinMs) => {
      const entries = { Entries: [entryOf(message, destination)] };
      const answer = await client.call(jsonRequest("1.1", "AWSEvents.PutEvents", entries), sendWithinMs);
      const { id, code, reason } = resultIn(answer.text);
      // The status is 200 for events that the bus did not take, too.
      if (code !== undefined)
        throw refusalFault(
          { code, message: reason ?? "", region: null },
          { ...target, region, accessKeyId },
          answer.address,
        ).error;
      if (id === undefined) throw notConfirmed(target, answer);
      return { text: `event ${id}`, address: answer.address };
    });
  },
};

function entryOf({ headers, body }: BrokerMessage, { bus, source }: EventbridgeDestination): object {
  const Detail = utf8Of(body);
  if (Detail === null)
    throw new BrokerError(
      "send",
      "Amazon EventBridge takes only bodies that are JSON objects, and this one is no text.",
    );
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    EventBusName: bus,
    Source: source,
    DetailType: Object.fromEntries(named)["x-service-event"] ?? "event",
    Detail,
    // The only other part of an event that a sender can fill, so that the detail stays the body itself.
    Resources: named.map(([name, value]) => `${name}: ${value}`),
  };
}

/** Reads the result of the one entry. */
function resultIn(text: string): { readonly id?: string; readonly code?: string; readonly reason?: string } {
  const read = foreignJson(text);
  const entries: unknown = isRecord(read) ? read["Entries"] : undefined;
  const entry: unknown = Array.isArray(entries) ? entries[0] : undefined;
  if (!isRecord(entry)) return {};
  const textOf = (name: string): string | undefined => {
    const value = entry[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [id, code, reason] = ["EventId", "ErrorCode", "ErrorMessage"].map(textOf);
  return {
    ...(id === undefined ? {} : { id }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
  };
}
