import { t } from "../../lib/lib.ts";

/** Members that are not known are ignored, as Svix does: a program must not break when its library gains one. */
const open = { ...t.strict, additionalProperties: true } as const;

const UidPattern = "^[a-zA-Z0-9._-]+$";
const Uid = t.Nullable(t.String({ minLength: 1, maxLength: 256, pattern: UidPattern }));
const Metadata = t.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 4096 },
  maxProperties: 50,
});
const Rate = t.Nullable(t.Integer({ minimum: 1, maximum: 10_000 }));
const Names = t.Nullable(t.Array(t.String({ minLength: 1, maxLength: 256 }), { maxItems: 200 }));
const Channels = t.Nullable(t.Array(t.String({ pattern: "^[a-zA-Z0-9._-]{1,128}$" }), { maxItems: 10 }));
const Time = t.String({ format: "date-time" });

const rates = { throttleRate: t.Optional(Rate), rateLimit: t.Optional(Rate) };
const application = {
  name: t.String({ minLength: 1, maxLength: 256 }),
  // The name of a tenant.
  uid: t.Optional(t.Nullable(t.String({ minLength: 1, maxLength: 128, pattern: UidPattern }))),
  metadata: t.Optional(Metadata),
  ...rates,
};
export const ApplicationIn = t.Object(application, open);
export const ApplicationPatch = t.Partial(t.Object(application), open);

const Headers = t.Unsafe<Record<string, string | null>>({
  type: "object",
  additionalProperties: { type: "string", nullable: true },
  ...t.secret,
});
const Secret = t.Nullable(t.String({ minLength: 1, maxLength: 200, ...t.secret }));
const endpoint = {
  url: t.String({ minLength: 1, maxLength: 2048 }),
  description: t.Optional(t.String({ maxLength: 500 })),
  uid: t.Optional(Uid),
  metadata: t.Optional(Metadata),
  eventTypes: t.Optional(Names),
  filterTypes: t.Optional(Names),
  channels: t.Optional(Channels),
  disabled: t.Optional(t.Boolean()),
  ...rates,
};
export const EndpointIn = t.Object(
  { ...endpoint, secret: t.Optional(Secret), headers: t.Optional(t.Nullable(Headers)) },
  open,
);
export const EndpointUpdate = t.Object(endpoint, open);
export const EndpointPatch = t.Partial(t.Object({ ...endpoint, secret: t.Optional(Secret) }), open);
export const HeadersIn = t.Object({ headers: Headers }, open);
export const HeadersPatch = t.Object(
  { headers: t.Optional(Headers), deleteHeaders: t.Optional(t.Nullable(t.Array(t.String()))) },
  open,
);
export const RotateIn = t.Nullable(
  t.Object(
    {
      key: t.Optional(Secret),
      gracePeriodSeconds: t.Optional(t.Nullable(t.Integer({ minimum: 0, maximum: 604_800 }))),
    },
    open,
  ),
);
export const RangeIn = t.Object({ since: Time, until: t.Optional(t.Nullable(Time)) }, open);

const Data = t.Unsafe<object>({ type: "object", additionalProperties: true });
export const MessageIn = t.Object(
  {
    eventType: t.String({ minLength: 1, maxLength: 256 }),
    payload: Data,
    eventId: t.Optional(Uid),
    channels: t.Optional(Channels),
    tags: t.Optional(t.Nullable(t.Array(t.String({ minLength: 1, maxLength: 128 }), { maxItems: 10 }))),
    deliverAt: t.Optional(t.Nullable(Time)),
    application: t.Optional(t.Nullable(ApplicationIn)),
    transformationsParams: t.Optional(t.Nullable(Data)),
  },
  open,
);

const eventType = {
  description: t.Optional(t.String({ maxLength: 2000 })),
  archived: t.Optional(t.Boolean()),
  deprecated: t.Optional(t.Boolean()),
  schemas: t.Optional(t.Nullable(t.Unsafe<Record<string, object>>({ type: "object", additionalProperties: true }))),
  groupName: t.Optional(t.Nullable(t.String({ maxLength: 256 }))),
  featureFlag: t.Optional(t.Nullable(t.String({ maxLength: 256 }))),
  featureFlags: t.Optional(t.Nullable(t.Array(t.String({ maxLength: 256 }), { maxItems: 50 }))),
};
export const EventTypeIn = t.Object({ name: t.String({ minLength: 1, maxLength: 256 }), ...eventType }, open);
export const EventTypeChange = t.Object(eventType, open);

export const PortalIn = t.Nullable(
  t.Object(
    {
      application: t.Optional(t.Nullable(ApplicationIn)),
      readOnly: t.Optional(t.Nullable(t.Boolean())),
      capabilities: t.Optional(t.Nullable(t.Array(t.String()))),
      expiry: t.Optional(t.Nullable(t.Integer({ minimum: 1, maximum: 604_800 }))),
    },
    open,
  ),
);
/** A body that nothing of is read. */
export const AnyBody = t.Nullable(t.Object({}, open));
