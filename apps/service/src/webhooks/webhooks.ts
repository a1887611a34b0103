export { RegenerateBody, RevealedWebhooks, Secret, SecretView } from "./endpoints/endpoint-secrets.schemas.ts";
export { EndpointBody } from "./endpoints/endpoints.schemas.ts";
export { SourceBody } from "./sources/inbound.schemas.ts";
export { NameParams as InboxName } from "./inboxes/named-inboxes.schemas.ts";
export type { Deliver } from "./deliver.ts";
export { RECENT_EVENTS, signedRequest } from "./deliveries/envelope.ts";
export type { DeliveryOutcome } from "./deliveries/outcome.store.ts";
export type { OwnedDeliveries } from "./deliveries/owned-deliveries.ts";
export { resolvedDestination } from "./requests/destination.ts";
export type { DestinationInput } from "./requests/destination.schemas.ts";
export type { SecretFor } from "./requests/endpoint-auth.ts";
export { brokerKindOf } from "./endpoints/kind.ts";
export type { Endpoints } from "./endpoints/endpoints.ts";
export { isPaused, PAUSED, PAUSED_WORDS } from "./endpoints/client-subscriptions.ts";
export { MOST_CLIENT_SUBSCRIPTIONS } from "./endpoints/new-endpoint.ts";
export { assertMaySubscribe, endOf, SUBSCRIBE, SUBSCRIBE_SCOPE } from "./endpoints/subscriber-rights.ts";
export type { EndReason } from "./endpoints/subscriber-rights.ts";
export type { SubscriptionRow } from "./endpoints/subscriptions.store.ts";
export { shortest } from "./endpoints/lane-key.ts";
export { createFilters, filterFacts, filterFaults, judge } from "./endpoints/filters.ts";
export { headerFaults } from "./requests/headers.ts";
export { inboxKey } from "./endpoints/own-inboxes.ts";
export type { OwnInboxes } from "./endpoints/own-inboxes.ts";
export type { Channel, Channels } from "./endpoints/signing-channels.ts";
export { sealRows } from "./endpoints/plain-headers.ts";
export { credentialsIn } from "./endpoints/redaction-source.ts";
export {
  documentValues,
  openWebhook,
  revealDocument,
  sealDocument,
  sealPlainDocument,
  shownDocument,
} from "./endpoints/webhook-headers.ts";
export type { DocumentKind, RevealedWebhook, SealedBefore } from "./endpoints/webhook-headers.ts";
export { sourceDefaults } from "./sources/sources.ts";
export type { SourceChangeInput, SourceInput } from "./sources/source-input.ts";
export type { Inbound } from "./sources/inbound.ts";
export { ScriptsBusyError } from "./transforms/transform-script.ts";
export type { OwnedScript, ScriptResult, ScriptRunner } from "./transforms/transform-script.ts";
export type { EventRecords } from "./tenants/event-records.ts";
export { messageWireId } from "./deliveries/envelope.ts";
export { namedAuthorOf } from "./endpoints/transforms.ts";
export { uidKey } from "./endpoints/adoption.ts";
export type { Adopted } from "./endpoints/adoption.ts";
export { secretFaults } from "./endpoints/moved-in.ts";
export type { EndpointInput } from "./endpoints/endpoints.ts";
export type { AttemptRow as LoggedAttempt, DeliveryRow as LoggedDelivery } from "./deliveries/deliveries.store.ts";
export type { AttemptView, DeliveryView } from "./deliveries/delivery-views.ts";
export type { EndpointView } from "./endpoints/endpoint-view.ts";
export { metadataOf } from "./tenants/profiles.ts";
export type { ProfileInput, ProfileRow } from "./tenants/profiles.ts";
export type { Tenants } from "./tenants/tenants.ts";
export type { Tester } from "./tester/tester.ts";
