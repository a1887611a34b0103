import { BrokerError } from "../broker.ts";

/** A fault that can pass within the time of an attempt: another broker can answer, or the same one a moment later. */
export class PassingError extends BrokerError {}

/** A refusal that can be due to one message of a batch: each is then sent on its own. */
export class RefusedBatchError extends BrokerError {
  /** True if the batch was too large. */
  readonly isTooLarge: boolean;

  constructor(isTooLarge: boolean, message: string, address: string | null) {
    super("send", message, address);
    this.isTooLarge = isTooLarge;
  }
}

/** Returns any thrown value as an error with which a driver may reject. */
export function asBrokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error;
  return new BrokerError("send", `The message could not be sent because of a fault of Junction: ${String(error)}`);
}

interface Subject {
  /** The topic or the partition, such as `orders[3]`. */
  readonly of: string;
  readonly at: string;
  readonly address: string | null;
}

type Say = (subject: Subject) => BrokerError;

const passing =
  (say: (of: string, at: string) => string): Say =>
  ({ of, at, address }) =>
    new PassingError("confirm", say(of, at), address);
const final =
  (say: (of: string, at: string) => string): Say =>
  ({ of, at, address }) =>
    new BrokerError("send", say(of, at), address);
const perMessage =
  (isTooLarge: boolean, say: (of: string) => string): Say =>
  ({ of, address }) =>
    new RefusedBatchError(isTooLarge, say(of), address);

const tooLarge = perMessage(
  true,
  (of) =>
    `The message is larger than ${of} takes. Raise max.message.bytes of the topic (message.max.bytes of the brokers), or send less with a transformation.`,
);
const moved = passing(
  (of, at) =>
    `The broker at ${at} does not lead ${of} any more, and no other broker took over in time. Check the cluster's brokers.`,
);
const invalid = perMessage(
  false,
  (of) =>
    `${of} refuses the message as invalid. Check the topic's settings: a compacted topic needs a partition key, and message.timestamp.after.max.ms the right time on both machines.`,
);

/** The meaning of each error code of Kafka here. Codes that are not listed have a sentence with their number. */
const CODES: ReadonlyMap<number, Say> = new Map([
  [2, invalid],
  [
    3,
    final(
      (of) =>
        `The topic of ${of} is not there. Create it, or correct the topic of the destination: it is never created by a message.`,
    ),
  ],
  [5, moved],
  [6, moved],
  [
    7,
    passing(
      (of, at) =>
        `The broker at ${at} did not get ${of} copied to all in-sync replicas in time. Check the other brokers.`,
    ),
  ],
  [8, passing((_, at) => `The broker at ${at} is not available. Check the cluster's brokers.`)],
  [9, passing((of, at) => `The broker at ${at} has no replica of ${of} that it can use. Check the cluster's brokers.`)],
  [10, tooLarge],
  [
    13,
    passing((of, at) => `The broker at ${at} lost its connection to the cluster while it took the message for ${of}.`),
  ],
  [17, final((of) => `Kafka allows no topic with the name of ${of}. Correct the topic of the destination.`)],
  [18, tooLarge],
  [
    19,
    final(
      (of) =>
        `${of} has fewer in-sync replicas than min.insync.replicas, so the broker took nothing. Bring its brokers back, or lower min.insync.replicas.`,
    ),
  ],
  [
    20,
    final(
      (of) =>
        `${of} lost in-sync replicas while the message was copied, so it is not confirmed and may arrive twice. Bring its brokers back, or lower min.insync.replicas.`,
    ),
  ],
  [
    29,
    final(
      (of) =>
        `The user of the destination may not write to the topic of ${of}. Allow it Write and Describe on the topic (kafka-acls --add --producer).`,
    ),
  ],
  [
    31,
    final(
      (of) => `The user of the destination may not use the cluster of ${of}. Allow it what the cluster's ACLs deny.`,
    ),
  ],
  [32, invalid],
  [
    35,
    final(
      (_, at) => `The broker at ${at} does not know this version of Kafka's protocol. Kafka 2.1 or later is needed.`,
    ),
  ],
  [44, perMessage(false, (of) => `A policy of the cluster refuses the message for ${of}. Ask its operator which one.`)],
  [56, passing((of, at) => `The broker at ${at} cannot write to the disk of ${of}. Check its disks and its log.`)],
  [74, moved],
  [75, moved],
  [76, passing((of, at) => `The broker at ${at} does not know the leader of ${of}. Check the cluster's brokers.`)],
  [87, invalid],
]);

/** Returns the error for a code other than 0. */
export function brokerFault(code: number, subject: Subject): BrokerError {
  const say = CODES.get(code);
  if (say !== undefined) return say(subject);
  const text = `The broker at ${subject.at} refused ${subject.of} with Kafka's error code ${code}. Look up the code, and the broker's log.`;
  return new BrokerError("send", text, subject.address);
}
