import { createAwsClient, notConfirmed, requestConnection } from "./aws-client.ts";
import type { AwsDestination, AwsRequest, AwsTarget } from "./aws-client.ts";
import { attributed, groupOf } from "./aws-message.ts";
import type { BrokerDriver, BrokerMessage } from "./broker.ts";

export interface SnsDestination extends AwsDestination {
  /** A topic whose ARN ends with `.fifo` gets groups, and the delivery's id to find repeats by. */
  readonly topic_arn: string;
}

/** Messages to topics of Amazon SNS, in its query protocol. */
export const sns: BrokerDriver<SnsDestination> = {
  kind: "sns",
  async open(deps, destination, credential, withinMs) {
    const { topic_arn: TopicArn } = destination;
    const target: AwsTarget = {
      kind: "sns",
      service: "Amazon SNS",
      name: `the topic ${TopicArn}`,
      member: "topic_arn",
      right: "sns:Publish",
    };
    const client = createAwsClient(deps, destination, credential, target);
    await client.check(action("GetTopicAttributes", { TopicArn }), withinMs);
    return requestConnection(async (message, sendWithinMs) => {
      const answer = await client.call(action("Publish", publish(TopicArn, message)), sendWithinMs);
      const [, id] = /<PublishResponse[\s>][^]*<MessageId>([\w-]{1,100})</.exec(answer.text) ?? [];
      if (id === undefined) throw notConfirmed(target, answer);
      return { text: `message ${id}`, address: answer.address };
    });
  },
};

function action(Action: string, parameters: Readonly<Record<string, string>>): AwsRequest {
  return {
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: new URLSearchParams({ Action, Version: "2010-03-31", ...parameters }).toString(),
  };
}

function publish(TopicArn: string, message: BrokerMessage): Record<string, string> {
  const { text, attributes } = attributed(message, "Amazon SNS");
  const parameters: Record<string, string> = { TopicArn, Message: text };
  for (const [at, [name, value]] of Object.entries(attributes).entries()) {
    const entry = `MessageAttributes.entry.${at + 1}`;
    parameters[`${entry}.Name`] = name;
    parameters[`${entry}.Value.DataType`] = "String";
    parameters[`${entry}.Value.StringValue`] = value;
  }
  if (!TopicArn.endsWith(".fifo")) return parameters;
  return { ...parameters, MessageGroupId: groupOf(message), MessageDeduplicationId: message.id };
}
