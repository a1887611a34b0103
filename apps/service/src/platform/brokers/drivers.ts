import type { BrokerDriver, BrokerKind } from "./broker.ts";
import { eventbridge } from "./eventbridge.ts";
import { kafka } from "./kafka.ts";
import { nats } from "./nats.ts";
import { rabbitmq } from "./rabbitmq.ts";
import { s3 } from "./s3.ts";
import { sns } from "./sns.ts";
import { sqs } from "./sqs.ts";

/** A driver of any kind. A destination is judged by its kind before it is stored, so that it fits the driver. */
export type AnyDriver = BrokerDriver<never>;

export const DRIVERS: readonly AnyDriver[] = [kafka, rabbitmq, nats, sqs, sns, eventbridge, s3];

/** The kinds that have a driver, which are those that the API has. */
export const DRIVEN_KINDS: readonly BrokerKind[] = DRIVERS.map(({ kind }) => kind);
