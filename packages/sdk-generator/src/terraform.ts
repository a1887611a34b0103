import type { Api, Emit, Field, Operation, Type } from "./model.ts";

/** The facts about a kind of object that the contract does not contain. Operations are those of `operations`, unless they are named. */
interface Managed {
  /** Follows `junction_` in configurations. */
  readonly name: string;
  readonly operations: string;
  readonly create?: string;
  readonly read?: string;
  readonly update?: string;
  readonly delete?: string;
  /** The member that names an object in paths. Default: `id`. */
  readonly identity?: string;
  /** A member of responses that has a value once the object has ended. */
  readonly gone?: string;
  /** Members of responses that the state keeps, and among them those that are secrets. */
  readonly outputs?: readonly string[];
  readonly secrets?: readonly string[];
  /** Defaults that the schemas of requests do not have. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Members that stay as they are where a configuration says nothing: people switch them, or their default depends on others. */
  readonly stays?: readonly string[];
  /** Members whose change needs another object, although the update accepts them. */
  readonly fixed?: readonly string[];
  /** Outputs that an update can change, unlike those of other kinds. */
  readonly moving?: readonly string[];
  /** Members that responses show under another name. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Members that a configuration sets under another name, because responses use theirs for something else. */
  readonly renamed?: Readonly<Record<string, string>>;
}

const MANAGED: readonly Managed[] = [
  {
    name: "api_key",
    operations: "keys",
    delete: "keys.revoke",
    gone: "revoked_at",
    outputs: ["key", "signing_secret", "prefix_hint"],
    secrets: ["key", "signing_secret"],
    defaults: { blocked_actions: [], permissions: [], ip_allowlist: [], has_signing_secret: false },
    moving: ["signing_secret"],
    renamed: { signing_secret: "has_signing_secret" },
  },
  { name: "approval_channel", operations: "approval_channels", stays: ["active", "decisions"] },
  {
    name: "contract",
    operations: "action_contracts",
    identity: "key",
    outputs: ["id", "signing_secret"],
    secrets: ["signing_secret"],
  },
  {
    name: "event_type",
    operations: "event_types",
    delete: "event_types.archive",
    identity: "name",
    gone: "archived_at",
    defaults: { deprecated: false },
    shown: { deprecated: "deprecated_at" },
  },
  {
    name: "inbox",
    operations: "inboxes",
    create: "inboxes.put",
    read: "inboxes.list",
    update: "inboxes.put",
    identity: "name",
    outputs: ["url"],
  },
  {
    name: "rule",
    operations: "rules",
    outputs: ["signing_secret"],
    secrets: ["signing_secret"],
    stays: ["enabled"],
  },
  {
    name: "secret",
    operations: "secrets",
    create: "secrets.put",
    read: "secrets.list",
    update: "secrets.put",
    identity: "name",
  },
  {
    name: "source",
    operations: "inbound_endpoints",
    outputs: ["url"],
    defaults: { description: "" },
    stays: ["active", ...sourceMapping()],
  },
  {
    name: "webhook_endpoint",
    operations: "webhook_endpoints",
    outputs: ["secret"],
    secrets: ["secret"],
    defaults: { description: "", headers: {}, kind: "webhook", wire: "service", channels: [], metadata: {} },
    stays: ["active", "max_in_flight", "name"],
    fixed: ["kind"],
  },
  {
    name: "workflow",
    operations: "workflows",
    outputs: ["signing_secret"],
    secrets: ["signing_secret"],
    stays: ["enabled"],
  },
];

/** Members of every object that never change. */
const STABLE = new Set(["id", "key", "prefix_hint", "secret", "signing_secret", "url", "environment", "created_at"]);
/** Members of responses that are the same in all objects of a kind. */
const NOT_SHOWN = new Set(["object", "scope_kind"]);

/** A sender or preset fills them in. */
function sourceMapping(): string[] {
  const paths = ["contact_email", "contact_name", "event_type", "idempotency_key", "value", "currency", "summary"];
  const others = [
    "each",
    "event_type_header",
    "event_type_default",
    "idempotency_key_header",
    "idempotency_key_template",
  ];
  return [
    ...paths.map((name) => `${name}_path`),
    ...others,
    "summary_template",
    "event_name",
    "respond",
    "charset",
    "handshakes",
  ];
}

/** Generates the description of the resources of the Terraform provider (`terraform/internal/contract`). */
export const emitTerraform: Emit = (api) => {
  const resources = MANAGED.map((managed) => resourceOf(api, managed));
  return new Map([
    ["contract.json", `${JSON.stringify({ APIVersion: api.apiVersion, Resources: resources }, null, 1)}\n`],
  ]);
};

interface Member {
  readonly Name: string;
  readonly Description: string;
  readonly Type: object;
  readonly Input?: boolean;
}

function resourceOf(api: Api, managed: Managed): object {
  const { name, operations, identity = "id", gone } = managed;
  const operation = (action: "create" | "read" | "update" | "delete", usual: string = action): Operation =>
    operationOf(api, managed[action] ?? `${operations}.${usual}`);
  const [create, read, update] = [operation("create"), operation("read", "get"), operation("update")];
  // An object that is made by a PUT has its name in the path only.
  const inPath = create.http.method === "PUT" ? create.pathParameters : [];
  const inputs = [
    ...inPath.map((field) => ({ ...inputOf(api, managed, field, update), InPath: true })),
    ...(create.body?.fields ?? []).map((field) => inputOf(api, managed, field, update)),
  ];
  const answer = shownBy(api, read);
  return {
    Name: name,
    Description: api.resources.find((one) => one.name === operations)?.description ?? "",
    Identity: identity,
    Create: create.http,
    Read: read.http,
    Update: update.http,
    Delete: operation("delete").http,
    ...given({ Listed: read.page !== null, Gone: gone }),
    Members: [...inputs, ...outputsOf(api, managed, [...answer, ...shownBy(api, create)], inputs)],
    Shown: answer
      .filter((field) => !NOT_SHOWN.has(field.name))
      .map((field) => shownMember(api, managed, field, inputs)),
  };
}

function inputOf(api: Api, managed: Managed, field: Field, update: Operation): Member {
  const name = managed.renamed?.[field.name] ?? field.name;
  const sent = name === field.name ? undefined : field.name;
  return {
    Name: name,
    Description: field.description,
    Type: typeOf(api, field.type),
    Input: true,
    ...given({ Sent: sent, Shown: managed.shown?.[name], Stable: field.secret, Sensitive: field.secret }),
    ...given({ Replace: !isSetLater(managed, name, field, update) }),
    ...presenceOf(managed, name, field),
  };
}

function isSetLater({ fixed = [] }: Managed, name: string, field: Field, { body }: Operation): boolean {
  return !fixed.includes(name) && body?.fields.some((one) => one.name === field.name) === true;
}

/** Returns what is so of a member that a configuration does not name. A secret can be set in two ways, so that neither is required. */
function presenceOf(managed: Managed, name: string, field: Field): object {
  const isNeeded = field.required || name === managed.identity;
  if (isNeeded) return given({ Required: field.secret !== true });
  const usual = defaultOf(managed, name, field);
  return usual === undefined ? given({ Chosen: isChosen(managed, name, field) }) : { Default: usual };
}

/** Returns the default of a member that has one other than null. */
function defaultOf({ defaults = {}, stays = [] }: Managed, name: string, field: Field): unknown {
  return stays.includes(name) ? undefined : (defaults[name] ?? field.default ?? undefined);
}

/** True for a member that can have any value where a configuration says nothing. Others are then null. */
function isChosen({ stays = [] }: Managed, name: string, { type }: Field): boolean {
  return stays.includes(name) || type.kind !== "nullable";
}

/** Leaves out what is not so. */
function given(all: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== false));
}

function outputsOf(
  api: Api,
  { moving = [], outputs = [], secrets = [] }: Managed,
  fields: readonly Field[],
  taken: readonly Member[],
): Member[] {
  const wanted = ["id", ...outputs, "environment", "created_at"].filter(
    (name) => !taken.some((member) => member.Name === name),
  );
  return [...new Set(wanted)].flatMap((name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return [];
    const isStable = STABLE.has(name) && !moving.includes(name);
    return [
      {
        Name: name,
        Description: field.description,
        Type: typeOf(api, field.type),
        ...given({ Stable: isStable, Sensitive: secrets.includes(name) }),
      },
    ];
  });
}

/** A member of a data source has the type that it has in a resource. */
function shownMember(api: Api, { shown = {} }: Managed, field: Field, inputs: readonly Member[]): Member {
  const input = inputs.find((one) => one.Name === field.name && shown[one.Name] === undefined);
  return { Name: field.name, Description: field.description, Type: input?.Type ?? typeOf(api, field.type) };
}

function shownBy(api: Api, { answer, page }: Operation): readonly Field[] {
  const type = page?.item ?? (answer.kind === "json" ? answer.type : undefined);
  return type?.kind === "ref" ? fieldsOf(api, type.name) : [];
}

function fieldsOf(api: Api, name: string): readonly Field[] {
  return api.types.find((type) => type.name === name)?.fields ?? [];
}

function operationOf(api: Api, name: string): Operation {
  const found = api.operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`The contract has no ${name}, which the Terraform provider calls.`);
  return found;
}

const JSON_TEXT = { Kind: "json" };
const SCALARS: Readonly<Record<string, string>> = {
  string: "text",
  constant: "text",
  boolean: "bool",
  integer: "integer",
  number: "number",
};

/** Returns the type of a value in a configuration. What can contain any JSON is a text of JSON there. */
function typeOf(api: Api, type: Type): object {
  switch (type.kind) {
    case "nullable":
      return typeOf(api, type.of);
    case "enum":
      return { Kind: "text", Values: api.enums.find((one) => one.name === type.name)?.values };
    case "array":
      return collectionOf(api, "list", type.items);
    case "map":
      return collectionOf(api, "map", type.values);
    case "union":
      return textsOf(type);
    case "ref":
      return objectOf(api, type.name);
    default:
      return type.kind in SCALARS ? { Kind: SCALARS[type.kind] } : JSON_TEXT;
  }
}

function collectionOf(api: Api, kind: string, of: Type): object {
  return isPlain(of) ? { Kind: kind, Of: typeOf(api, of) } : JSON_TEXT;
}

function objectOf(api: Api, name: string): object {
  if (!isTyped(api, { kind: "ref", name })) return JSON_TEXT;
  const members = fieldsOf(api, name).map((field) => ({
    Name: field.name,
    Description: field.description,
    Type: typeOf(api, field.type),
    Input: true,
    ...given({ Required: field.required }),
  }));
  return { Kind: "object", Members: members };
}

function isPlain({ kind }: Type): boolean {
  return kind === "string" || kind === "enum" || kind === "integer";
}

/** A path, or several to try, are a list. */
function textsOf({ of }: Extract<Type, { kind: "union" }>): object {
  const isTexts = of.every((one) => one.kind === "string" || (one.kind === "array" && one.items.kind === "string"));
  return isTexts ? { Kind: "list", Of: { Kind: "text" } } : JSON_TEXT;
}

/** True for a value whose members are all known, at any depth. */
function isTyped(api: Api, type: Type): boolean {
  switch (type.kind) {
    case "ref": {
      const found = api.types.find((one) => one.name === type.name);
      return (
        found?.open === false && found.fields.length > 0 && found.fields.every((field) => isTyped(api, field.type))
      );
    }
    case "nullable":
      return isTyped(api, type.of);
    case "array":
      return isPlain(type.items);
    case "map":
      return isPlain(type.values);
    case "union":
    case "unknown":
      return false;
    default:
      return true;
  }
}
