/** One setting, as `settings_schema` has it. */
export interface Setting {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
  readonly title: string;
  readonly description?: string;
  readonly options?: readonly string[];
  readonly isSecret: boolean;
  readonly isUrl: boolean;
  readonly isRequired: boolean;
  readonly fallback?: string;
}

export interface Group {
  readonly title: string;
  readonly settings: readonly Setting[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly groups?: readonly { readonly title: string; readonly properties: readonly string[] }[];
  readonly test?: string;
}

interface Property {
  readonly type: Setting["type"];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly writeOnly?: boolean;
  readonly default?: string | number | boolean;
}

/** Returns the form that a connector's settings.json describes, in its groups. Settings without a group come last. */
export function formOf(schema: object | null): { readonly groups: readonly Group[]; readonly hasTest: boolean } {
  const { properties = {}, required = [], groups = [], test } = (schema ?? {}) as Schema;
  const settingOf = (name: string): Setting[] => {
    const property = properties[name];
    return property === undefined ? [] : [readSetting(name, property, required.includes(name))];
  };
  const grouped = new Set(groups.flatMap((group) => group.properties));
  const rest = Object.keys(properties).filter((name) => !grouped.has(name));
  const all = [...groups, { title: groups.length === 0 ? "Settings" : "Other settings", properties: rest }];
  return {
    groups: all
      .map((group) => ({ title: group.title, settings: group.properties.flatMap(settingOf) }))
      .filter((group) => group.settings.length > 0),
    hasTest: test !== undefined,
  };
}

function readSetting(name: string, property: Property, isRequired: boolean): Setting {
  return {
    name,
    type: property.type,
    title: property.title ?? name,
    isSecret: property.writeOnly === true,
    isUrl: property.format === "uri",
    isRequired,
    ...(property.description === undefined ? {} : { description: property.description }),
    ...(property.enum === undefined ? {} : { options: property.enum }),
    ...(property.default === undefined ? {} : { fallback: String(property.default) }),
  };
}

export type Texts = Readonly<Record<string, string>>;

/** Returns only the changed settings. An emptied field clears its saved value; an empty secret stays as it is. */
export function changesOf(groups: readonly Group[], before: object, texts: Texts): Record<string, unknown> {
  const values = before as Readonly<Record<string, unknown>>;
  const changes = groups
    .flatMap((group) => group.settings)
    .flatMap((setting): [string, unknown][] => {
      const text = texts[setting.name];
      if (text === undefined || (setting.isSecret && text === "")) return [];
      if (text === "") return values[setting.name] === undefined ? [] : [[setting.name, null]];
      const value = valueOf(setting, text);
      return value === values[setting.name] ? [] : [[setting.name, value]];
    });
  return Object.fromEntries(changes);
}

function valueOf(setting: Setting, text: string): unknown {
  if (setting.type === "boolean") return text === "true";
  if (setting.type === "string") return text;
  const value = Number(text);
  return Number.isInteger(value) ? value : text;
}
