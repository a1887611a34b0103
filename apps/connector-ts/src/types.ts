export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
/** Anything that JSON can say; members that are undefined are left out. */
export type Sayable = unknown;

export interface ConnectorEvent {
  /** `evt_…` */
  readonly id: string;
  /** Its name, such as `order.created`. */
  readonly event: string;
  /** When it happened, RFC 3339. */
  readonly timestamp: string;
  readonly data: JsonObject;
}

/** A method's name, a function, or either of them with a priority: 1 to 99, the lowest hears first. */
export type Handler =
  | string
  | HandlerFunction
  | { readonly handler: string | HandlerFunction; readonly priority?: number };
export type HandlerFunction = (event: ConnectorEvent) => unknown;

/** Event name, or `*` for all, to its handlers. */
export type Subscribers = Readonly<Record<string, readonly Handler[]>>;
/** A provider's name to a method's name, or to a function. */
export type IdentityProviders = Readonly<Record<string, string | ((identifier: string) => unknown)>>;
export type ContextProviders = Readonly<Record<string, string | ((customer: Customer) => unknown)>>;
/** An action's key to a method's name, or to a function. */
export type Actions = Readonly<Record<string, string | ((parameters: JsonObject, run: Run) => unknown)>>;

/** Who somebody is elsewhere. */
export interface Identity {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly name?: string;
}

export interface Customer {
  readonly id: string;
  readonly external_ids: Readonly<Record<string, string>>;
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
}

/** The run of an action. */
export interface Run {
  readonly id: string;
  /** The same for every try of one run: hand it on. */
  readonly idempotency_key: string;
  readonly dry_run: boolean;
  readonly prompt?: string;
}

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** At a host of `egress`. */
  readonly url: string;
  /** A value may hold a secret's handle. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of these three. */
  readonly body?: string;
  readonly json?: Sayable;
  readonly form?: Readonly<Record<string, string>>;
  /** `settings.<name>` of a secret: sent as `Authorization: Bearer …`. */
  readonly auth?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON; null when it is none. */
  readonly json: Json;
}

export interface ContactKey {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

export type LogLevel = "debug" | "info" | "warning" | "error";

export interface Contacts {
  find(key: ContactKey): Promise<JsonObject | null>;
  upsert(contact: JsonObject): Promise<JsonObject>;
}

export interface Timeline {
  add(contactId: string, activity: JsonObject): Promise<{ readonly id: string }>;
}

/** What the connector keeps, by key; each workspace and environment its own. */
export interface KeyValues {
  get(key: string): Promise<Json>;
  set(key: string, value: Sayable, options?: { readonly ttl_seconds?: number }): Promise<void>;
  /** Sets the value if it is `expected` still, null for "not there"; whether it did. */
  cas(key: string, expected: Json, value: Sayable): Promise<boolean>;
}

export type HostErrorCode =
  | "egress_undeclared"
  | "target_refused"
  | "timeout"
  | "not_declared"
  | "too_large"
  | "rate_limited"
  | "invalid"
  | "conflict"
  | "failed";
