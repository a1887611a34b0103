export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
/** Any value that can be written as JSON; undefined members are left out. */
export type Sayable = unknown;

export interface ConnectorEvent {
  /** `evt_…` */
  readonly id: string;
  /** The event's name, such as `order.created`. */
  readonly event: string;
  /** The time of the event, RFC 3339. */
  readonly timestamp: string;
  readonly data: JsonObject;
}

/** A method's name, a function, or either of them with a priority from 1 to 99. Lower values come first. */
export type Handler =
  | string
  | HandlerFunction
  | { readonly handler: string | HandlerFunction; readonly priority?: number };
export type HandlerFunction = (event: ConnectorEvent) => unknown;

/** The handlers by event name, or by `*` for all events. */
export type Subscribers = Readonly<Record<string, readonly Handler[]>>;
/** The methods' names, or functions, by provider. */
export type IdentityProviders = Readonly<Record<string, string | ((identifier: string) => unknown)>>;
export type ContextProviders = Readonly<Record<string, string | ((customer: Customer) => unknown)>>;
/** The methods' names, or functions, by action key. */
export type Actions = Readonly<Record<string, string | ((parameters: JsonObject, run: Run) => unknown)>>;

/** The identity of a contact in another service. */
export interface Identity {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly name?: string;
}

export interface Customer {
  readonly id: string;
  readonly external_ids: readonly string[];
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
}

/** The run of an action. */
export interface Run {
  readonly id: string;
  /** The same value for every attempt of one run. Pass it to the other service. */
  readonly idempotency_key: string;
  readonly dry_run: boolean;
  readonly prompt?: string;
  /** The action's result, for an undo. */
  readonly result?: Json;
}

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A URL at a host of `egress`. */
  readonly url: string;
  /** A value may contain a secret's handle. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of these three. */
  readonly body?: string;
  readonly json?: Sayable;
  readonly form?: Readonly<Record<string, string>>;
  /** `settings.<name>` of a secret, which is sent as `Authorization: Bearer …`, or another form of authentication. */
  readonly auth?:
    | string
    | { readonly basic: readonly [user: string, secret: string] }
    | { readonly header: string; readonly secret: string };
  /** The maximum is 10 000, or the rest of the call's time. */
  readonly timeout_ms?: number;
}

/** The request that contained a webhook. */
export interface WebhookRequest {
  readonly id: string;
  /** Header names are in lower case. Headers with credentials are left out. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body; null if it is not JSON. */
  readonly json: Json;
}

export interface ContactKey {
  readonly external_id?: string;
  readonly email?: string;
  readonly phone?: string;
}

export interface Mail {
  /** One address, or at most ten. */
  readonly to: string | readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

export type SettingValue = string | number | boolean;

export type LogLevel = "debug" | "info" | "warning" | "error";

export interface Contacts {
  find(key: ContactKey): Promise<JsonObject | null>;
  upsert(contact: JsonObject): Promise<JsonObject>;
}

export interface Timeline {
  add(contactId: string, activity: JsonObject): Promise<{ readonly id: string }>;
}

/** Values that the connector stores by key, separately for each workspace and environment. */
export interface KeyValues {
  get(key: string): Promise<Json>;
  set(key: string, value: Sayable, options?: { readonly ttl_seconds?: number }): Promise<void>;
  /** Sets the value if it still equals `expected`; null means "does not exist". Returns whether it was set. */
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
