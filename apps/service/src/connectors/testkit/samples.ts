import { Ajv } from "ajv";
import type { ContractInput } from "../../actions/actions.ts";
import { isSecret, isUrl } from "../registry/connectors.ts";
import type { Contents, SettingsForm, SettingValue, Values } from "../registry/connectors.ts";
import { findEventType } from "../../events/events.ts";
import type { Hidden, Json } from "../../lib/lib.ts";
import { hide, parseJson, randomText, t } from "../../lib/lib.ts";

export const SAMPLES = "fixtures/kit.json";

const Anything = t.Unsafe<Json>({});
const Members = t.Unsafe<Record<string, Json>>({ type: "object" });
const SamplesForm = t.Object(
  {
    settings: t.Optional(
      t.Unsafe<Record<string, SettingValue>>({
        type: "object",
        additionalProperties: { type: ["string", "number", "boolean"] },
      }),
    ),
    events: t.Optional(
      t.Unsafe<Record<string, Record<string, Json>>>({ type: "object", additionalProperties: Members }),
    ),
    webhooks: t.Optional(
      t.Array(
        t.Object(
          {
            headers: t.Optional(
              t.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } }),
            ),
            body: Anything,
          },
          t.strict,
        ),
      ),
    ),
    identities: t.Optional(
      t.Unsafe<Record<string, string[]>>({
        type: "object",
        additionalProperties: { type: "array", items: { type: "string" } },
      }),
    ),
    customers: t.Optional(t.Array(Members)),
    actions: t.Optional(
      t.Unsafe<Record<string, Record<string, Json>>>({ type: "object", additionalProperties: Members }),
    ),
  },
  t.strict,
);
type SamplesInput = t.Static<typeof SamplesForm>;

/**
 * The inputs for the tests of a connector: those of `fixtures/kit.json`, and generated ones for everything that the
 * file omits.
 */
export type Samples = ReturnType<typeof readSamples>;

const ADA = "ada.moreau@example.com";
const CUSTOMER: Json = {
  id: "con_00000000kit000000000000000000ada",
  external_ids: ["cus_4711"],
  email: ADA,
  name: "Ada Moreau",
  phone: null,
};
const STRANGER: Json = {
  ...(CUSTOMER as object),
  id: "con_00000000kit00000000000000nobody",
  external_ids: [],
  email: null,
};
const isOfForm = new Ajv({ strict: false, allowUnionTypes: true }).compile(SamplesForm);

/** Throws Error, with a message that may be shown, for an invalid file. */
export function readSamples({ settings: form }: Contents, bytes: Buffer | undefined) {
  const given = readGiven(bytes);
  return {
    /** The values of the settings. Each secret is unique, so that any occurrence is a leak. */
    values: sampleValues(form, given.settings ?? {}),
    /** Returns the sample of an event, or undefined for a custom event without one. */
    event: (name: string): Json | undefined => given.events?.[name] ?? findEventType(name)?.example,
    webhooks: (given.webhooks ?? []).map(({ headers = {}, body }) => ({ headers: lowered(headers), body })),
    identities: (provider: string): readonly string[] => given.identities?.[provider] ?? [ADA, "nobody"],
    customers: given.customers ?? [CUSTOMER, STRANGER],
    action: ({ key, params }: ContractInput): Record<string, Json> => given.actions?.[key] ?? sampleParameters(params),
  };
}

function readGiven(bytes: Buffer | undefined): SamplesInput {
  if (bytes === undefined) return {};
  const value = parseJson(bytes.toString("utf8"));
  if (isOfForm(value)) return value as SamplesInput;
  const [fault] = isOfForm.errors ?? [];
  throw new Error(`${SAMPLES} is not valid: ${[fault?.instancePath, fault?.message].filter(Boolean).join(" ")}.`);
}

function sampleValues(form: SettingsForm, given: Readonly<Record<string, SettingValue>>): Values {
  const shown: Record<string, SettingValue> = {};
  const secrets: Record<string, Hidden> = {};
  for (const [name, setting] of Object.entries(form.properties)) {
    const told = given[name];
    if (isSecret(setting)) secrets[name] = hide(`${String(told ?? "")}kit-secret-${randomText(24)}`);
    else if (told !== undefined) shown[name] = told;
    else if (setting.default === undefined && (form.required ?? []).includes(name))
      shown[name] = sampleValue(name, setting);
    else if (isUrl(setting) && setting.default === undefined) shown[name] = sampleValue(name, setting);
  }
  return { shown, secrets };
}

function sampleValue(name: string, setting: SettingsForm["properties"][string]): SettingValue {
  if (setting.type === "boolean") return false;
  if (setting.type === "integer") return setting.minimum ?? Math.min(1, setting.maximum ?? 1);
  if (isUrl(setting)) return `https://${name.replaceAll("_", "-")}.example.com`;
  return setting.enum?.[0] ?? "kit".padEnd(setting.minLength ?? 0, "-").slice(0, setting.maxLength ?? 100);
}

function sampleParameters(params: ContractInput["params"]): Record<string, Json> {
  const entries = Object.entries(params ?? {}).map(([name, spec]): [string, Json] => {
    const [first] = spec.enum ?? [];
    if (first !== undefined) return [name, first];
    if (spec.type === "boolean") return [name, true];
    if (spec.type === "string") return [name, "sample".padEnd(spec.min ?? 0, "-").slice(0, spec.max ?? 100)];
    return [name, spec.min ?? Math.min(1, spec.max ?? 1)];
  });
  return Object.fromEntries(entries);
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
