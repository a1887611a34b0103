import { t } from "../../lib/lib.ts";
import { readJsonFile } from "./json-file.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";

const NAME = "^[a-z][a-z0-9_]{0,63}$";
const FILE = "settings.json";
const MAX_TEXT = 8192;

const said = {
  title: t.Optional(t.String({ maxLength: 100 })),
  description: t.Optional(t.String({ maxLength: 500 })),
};
const length = t.Integer({ minimum: 0, maximum: MAX_TEXT });
const whole = t.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const Text = t.Object(
  {
    type: t.Literal("string"),
    ...said,
    enum: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100, uniqueItems: true }),
    ),
    format: t.Optional(t.OneOf(["uri"])),
    /** A secret, which is stored encrypted and never shown. */
    writeOnly: t.Optional(t.Literal(true)),
    minLength: t.Optional(length),
    maxLength: t.Optional(length),
    default: t.Optional(t.String({ maxLength: MAX_TEXT })),
  },
  t.strict,
);
const Whole = t.Object(
  {
    type: t.Literal("integer"),
    ...said,
    minimum: t.Optional(whole),
    maximum: t.Optional(whole),
    default: t.Optional(whole),
  },
  t.strict,
);
const Switch = t.Object({ type: t.Literal("boolean"), ...said, default: t.Optional(t.Boolean()) }, t.strict);

const Form = t.Object(
  {
    type: t.Literal("object"),
    properties: t.Unsafe<Record<string, Setting>>({
      type: "object",
      maxProperties: 64,
      propertyNames: { pattern: NAME },
      additionalProperties: {
        type: "object",
        required: ["type"],
        discriminator: { propertyName: "type" },
        oneOf: [Text, Whole, Switch],
      },
    }),
    required: t.Optional(t.Array(t.String(), { maxItems: 64, uniqueItems: true })),
    groups: t.Optional(
      t.Array(
        t.Object(
          {
            title: t.String({ minLength: 1, maxLength: 100 }),
            properties: t.Array(t.String(), { minItems: 1, maxItems: 64 }),
          },
          t.strict,
        ),
        { maxItems: 20 },
      ),
    ),
    test: t.Optional(t.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$" })),
  },
  t.strict,
);

export type Setting = t.Static<typeof Text> | t.Static<typeof Whole> | t.Static<typeof Switch>;
export type SettingValue = string | number | boolean;
/** `settings.json`: the subset of JSON Schema from which a form can be built. */
export type SettingsForm = t.Static<typeof Form>;

/** Throws ConnectorRefusedError `settings_malformed`. */
export function readSettingsForm(bytes: Buffer): SettingsForm {
  const form = readJsonFile(bytes, Form, { code: "settings_malformed", path: FILE });
  for (const [name, setting] of Object.entries(form.properties)) {
    const fault = settingFault(setting);
    if (fault !== undefined) throw malformed(`properties/${name}`, fault);
  }
  const grouped = (form.groups ?? []).flatMap(({ properties }) => properties);
  const stranger = [...(form.required ?? []), ...grouped].find((name) => !Object.hasOwn(form.properties, name));
  if (stranger !== undefined) throw malformed("properties", `${stranger} is not one of the settings.`);
  if (new Set(grouped).size < grouped.length) throw malformed("groups", "A setting is in two groups.");
  return form;
}

export function isSecret(setting: Setting | undefined): boolean {
  return setting?.type === "string" && setting.writeOnly === true;
}

export function isUrl(setting: Setting | undefined): boolean {
  return setting?.type === "string" && setting.format === "uri";
}

interface ValueFault {
  readonly code: string;
  readonly message: string;
}

/**
 * Returns the fault of a value, or undefined. The safety of a URL is checked elsewhere, because that needs the network.
 */
export function valueFault(setting: Setting, value: unknown): ValueFault | undefined {
  if (setting.type === "boolean") return typeof value === "boolean" ? undefined : wrongType("true or false");
  if (setting.type === "integer") return wholeFault(setting, value);
  return textFault(setting, value);
}

function wholeFault({ minimum, maximum }: t.Static<typeof Whole>, value: unknown): ValueFault | undefined {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return wrongType("a whole number within ±(2^53−1)");
  if (minimum !== undefined && Number(value) < minimum)
    return { code: "minimum", message: `must be at least ${minimum}` };
  if (maximum !== undefined && Number(value) > maximum)
    return { code: "maximum", message: `must be at most ${maximum}` };
  return undefined;
}

function textFault(setting: t.Static<typeof Text>, value: unknown): ValueFault | undefined {
  if (typeof value !== "string") return wrongType("a string");
  if (/\p{Cc}/u.test(value) || !value.isWellFormed())
    return { code: "text", message: "must be one line of text, without control characters" };
  const { minLength = 0, maxLength = MAX_TEXT } = setting;
  const count = Array.from(value).length;
  if (count < minLength) return { code: "minLength", message: `must have at least ${minLength} characters` };
  if (count > maxLength) return { code: "maxLength", message: `must have at most ${maxLength} characters` };
  if (setting.enum !== undefined && !setting.enum.includes(value))
    return { code: "enum", message: `must be one of ${setting.enum.join(", ")}` };
  return undefined;
}

function wrongType(wanted: string): ValueFault {
  return { code: "type", message: `must be ${wanted}` };
}

function settingFault(setting: Setting): string | undefined {
  const fault = setting.type === "boolean" ? undefined : boundsFault(setting);
  if (fault !== undefined) return fault;
  return setting.default === undefined || valueFault(setting, setting.default) === undefined
    ? undefined
    : "The default is not a valid value of the setting.";
}

function boundsFault(setting: t.Static<typeof Text> | t.Static<typeof Whole>): string | undefined {
  if (setting.type === "string") return textBoundsFault(setting);
  const { minimum = -Infinity, maximum = Infinity } = setting;
  return minimum > maximum ? "minimum must not be greater than maximum." : undefined;
}

function textBoundsFault(setting: t.Static<typeof Text>): string | undefined {
  const kinds = [setting.enum, setting.format, setting.writeOnly].filter((one) => one !== undefined);
  if (kinds.length > 1) return "A setting can be only one of: an enum, a URL, a secret.";
  if (setting.writeOnly === true && setting.default !== undefined) return "A secret cannot have a default.";
  const { minLength = 0, maxLength = MAX_TEXT } = setting;
  return minLength > maxLength ? "minLength must not be greater than maxLength." : undefined;
}

function malformed(pointer: string, message: string): ConnectorRefusedError {
  return new ConnectorRefusedError("settings_malformed", `${FILE} is not valid: ${message}`, `${FILE}#/${pointer}`);
}
