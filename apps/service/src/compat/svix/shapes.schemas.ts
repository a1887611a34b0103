import { Nullable, secret, strict, Type } from "../../lib/lib.ts";

/** Members that are not known are ignored, as Svix does: a program must not break when its library gains one. */
const open = { ...strict, additionalProperties: true } as const;

const UidPattern = "^[a-zA-Z0-9._-]+$";
const Uid = Nullable(Type.String({ minLength: 1, maxLength: 256, pattern: UidPattern }));
const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 4096 },
  maxProperties: 50,
});
const Rate = Nullable(Type.Integer({ minimum: 1, maximum: 10_000 }));
const Names = Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 200 }));
const Channels = Nullable(Type.Array(Type.String({ pattern: "^[a-zA-Z0-9._-]{1,128}$" }), { maxItems: 10 }));
const Time = Type.String({ format: "date-time" });

const rates = { throttleRate: Type.Optional(Rate), rateLimit: Type.Optional(Rate) };
const application = {
  name: Type.String({ minLength: 1, maxLength: 256 }),
  // The name of a tenant.
  uid: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 128, pattern: UidPattern }))),
  metadata: Type.Optional(Metadata),
  ...rates,
};
export const ApplicationIn = Type.Object(application, open);
export const ApplicationPatch = Type.Partial(Type.Object(application), open);

const Headers = Type.Unsafe<Record<string, string | null>>({
  type: "object",
  additionalProperties: { type: "string", nullable: true },
  ...secret,
});
const Secret = Nullable(Type.String({ minLength: 1, maxLength: 200, ...secret }));
const endpoint = {
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  uid: Type.Optional(Uid),
  metadata: Type.Optional(Metadata),
  eventTypes: Type.Optional(Names),
  filterTypes: Type.Optional(Names),
  channels: Type.Optional(Channels),
  disabled: Type.Optional(Type.Boolean()),
  ...rates,
};
export const EndpointIn = Type.Object(
  { ...endpoint, secret: Type.Optional(Secret), headers: Type.Optional(Nullable(Headers)) },
  open,
);
export const EndpointUpdate = Type.Object(endpoint, open);
export const EndpointPatch = Type.Partial(Type.Object({ ...endpoint, secret: Type.Optional(Secret) }), open);
export const HeadersIn = Type.Object({ headers: Headers }, open);
export const HeadersPatch = Type.Object(
  { headers: Type.Optional(Headers), deleteHeaders: Type.Optional(Nullable(Type.Array(Type.String()))) },
  open,
);
export const RotateIn = Nullable(
  Type.Object(
    {
      key: Type.Optional(Secret),
      gracePeriodSeconds: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 604_800 }))),
    },
    open,
  ),
);
export const RangeIn = Type.Object({ since: Time, until: Type.Optional(Nullable(Time)) }, open);

const Data = Type.Unsafe<object>({ type: "object", additionalProperties: true });
export const MessageIn = Type.Object(
  {
    eventType: Type.String({ minLength: 1, maxLength: 256 }),
    payload: Data,
    eventId: Type.Optional(Uid),
    channels: Type.Optional(Channels),
    tags: Type.Optional(Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 10 }))),
    deliverAt: Type.Optional(Nullable(Time)),
    application: Type.Optional(Nullable(ApplicationIn)),
  },
  open,
);

const eventType = {
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  archived: Type.Optional(Type.Boolean()),
  deprecated: Type.Optional(Type.Boolean()),
  schemas: Type.Optional(Nullable(Type.Unsafe<Record<string, object>>({ type: "object", additionalProperties: true }))),
  groupName: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  featureFlag: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  featureFlags: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 50 }))),
};
export const EventTypeIn = Type.Object({ name: Type.String({ minLength: 1, maxLength: 256 }), ...eventType }, open);
export const EventTypeChange = Type.Object(eventType, open);

export const PortalIn = Nullable(
  Type.Object(
    {
      application: Type.Optional(Nullable(ApplicationIn)),
      readOnly: Type.Optional(Nullable(Type.Boolean())),
      capabilities: Type.Optional(Nullable(Type.Array(Type.String()))),
      expiry: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 604_800 }))),
    },
    open,
  ),
);
/** A body that nothing of is read. */
export const AnyBody = Nullable(Type.Object({}, open));
