export {
  coversEvents,
  EVENT_PATTERN_FAULT,
  eventTypes,
  exampleEvent,
  findEventType,
  firingFault,
  isCanonical,
  isEventName,
  isEventPattern,
  isSystem,
  patternsOf,
  patternText,
  selectsEvent,
} from "./catalogue/catalogue.ts";
export type { EventType } from "./catalogue/event-type.ts";
export { describedCatalogue } from "./types/described.ts";
export type { DescribedType, DescribedTypes } from "./types/described.ts";
export { SCHEDULE_DUE } from "./catalogue/system.ts";
export {
  ALWAYS,
  ConditionView,
  compileFill,
  contactSource,
  evaluate,
  EVENT_ROOTS,
  eventSources,
  factsOf,
  filled,
  FillError,
  fillOfMembers,
  holds,
  isSameJson,
  LeafView,
  looksAtContact,
  pathsOf,
  readCondition,
  readText,
  requiredText,
  sourceOfScalar,
  sourceOfText,
  fillText,
  withinBudget,
} from "./expressions/conditions.ts";
export { readNumber } from "./expressions/number.ts";
export type { Condition, Fact, Facts, Fill } from "./expressions/conditions.ts";
export { MAX_ACTING_CHAIN, MAX_CHAIN } from "./fire/chain.ts";
export { audienceOf, eventOf } from "./event/event.ts";
export type { Event, EventDraft, EventLabels, MatchedEvent, PlannedDelivery, PlannedEvent } from "./event/event.ts";
export type { SubscriberQuery, SubscriberRef } from "./event/event.ts";
export { COMMIT_MS, eventPart, findEvents, LATE_MS, peopleBehind } from "./event/events.store.ts";
export type { EventHead, EventsRead, Mark, UnreadHeads } from "./event/events.store.ts";
export type { Events } from "./fire/events.ts";
export { Channels, EventName, Metadata, Uid } from "./event/event.schemas.ts";
export { labelsOf } from "./event/labels.store.ts";
export type { StoredEvent } from "./event/stored-event.ts";
export { currentVersions } from "./types/current-versions.ts";
export type { CurrentVersion } from "./types/current-versions.ts";
export { TypeBody } from "./types/event-types.schemas.ts";
export type { WholeType } from "./types/event-types.ts";
export type { EventTypes } from "./types/event-types.ts";
export { isPublic, nameOf } from "./types/type-view.ts";
export type { AnyType } from "./types/type-view.ts";
export type { TypeInput } from "./types/type-state.ts";
export { deliverAtOf } from "./scheduled/scheduled.ts";
export type { FiredEvent } from "./event/fired-event.ts";
export { announcementPart } from "./fire/outbox.store.ts";
export type { Announcement } from "./fire/outbox.store.ts";
export type {
  DeliveryPlan,
  DeliverySubscriber,
  Ended,
  Later,
  Reacted,
  Reaction,
  Releasable,
  Subscriber,
} from "./subscriptions/subscriber.ts";
