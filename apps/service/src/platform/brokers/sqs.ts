import { foreignJson, isRecord } from "../../lib/lib.ts";
import { createAwsClient, jsonRequest, notConfirmed, requestConnection } from "./aws-client.ts";
import type { AwsDestination, AwsTarget } from "./aws-client.ts";
import { attributed, groupOf } from "./aws-message.ts";
import type { BrokerDriver, BrokerMessage } from "./broker.ts";

export interface SqsDestination extends AwsDestination {
  /** A queue whose URL ends with `.fifo` gets groups, and the delivery's id to find repeats by. */
  readonly queue_url: string;
}

/** Messages to queues of Amazon SQS, in its JSON protocol. */
export const sqs: BrokerDriver<SqsDestination> = {
  kind: "sqs",
  async open(deps, destination, credential, withinMs) {
    const { queue_url: QueueUrl } = destination;
    const target: AwsTarget = {
      kind: "sqs",
      service: "Amazon SQS",
      name: `the queue ${QueueUrl}`,
      member: "queue_url",
      right: "sqs:SendMessage",
    };
    const client = createAwsClient(deps, destination, credential, target);
    await client.check(operation("GetQueueAttributes", { QueueUrl, AttributeNames: ["QueueArn"] }), withinMs);
    return requestConnection(async (message, sendWithinMs) => {
      const answer = await client.call(operation("SendMessage", sendMessage(QueueUrl, message)), sendWithinMs);
      const read = foreignJson(answer.text);
      const id = isRecord(read) ? read["MessageId"] : undefined;
      if (typeof id !== "string") throw notConfirmed(target, answer);
      return { text: `message ${id}`, address: answer.address };
    });
  },
};

function operation(name: string, body: object) {
  return jsonRequest("1.0", `AmazonSQS.${name}`, body);
}

function sendMessage(QueueUrl: string, message: BrokerMessage): object {
  const { text, attributes } = attributed(message, "Amazon SQS");
  return {
    QueueUrl,
    MessageBody: text,
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]),
    ),
    ...(QueueUrl.endsWith(".fifo") ? { MessageGroupId: groupOf(message), MessageDeduplicationId: message.id } : {}),
  };
}
