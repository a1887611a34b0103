export { AWS_REGION, awsEndpoint } from "./aws-client.ts";
export { BrokerError } from "./broker.ts";
export type { BrokerDeps, BrokerKind, BrokerMessage, BrokerStep, Confirmation, Dialed } from "./broker.ts";
export { createBrokerDeps } from "./deps.ts";
export { DRIVEN_KINDS, DRIVERS } from "./drivers.ts";
export { createBrokers } from "./kept-connections.ts";
export type { BrokerOrder, Brokers } from "./kept-connections.ts";
