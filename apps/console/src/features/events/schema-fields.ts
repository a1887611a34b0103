/** One field of a JSON Schema, with those within it after it. */
export interface SchemaField {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Flattens what the catalogue's schemas are made of: objects, arrays and plain values. */
export function fieldsOf(schema: object): readonly SchemaField[] {
  return within(schema, "", 0);
}

function within(schema: Schema, path: string, depth: number): SchemaField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}/${name}`;
    const inner = field.items ?? field;
    return [
      {
        path: here,
        name,
        depth,
        type: typeText(field),
        description: field.description ?? "",
        isRequired: schema.required?.includes(name) === true,
      },
      ...within(inner, here, depth + 1),
    ];
  });
}

function typeText({ type, format, items }: Schema): string {
  const plain = typeof type === "string" ? type : (type ?? ["any"]).join(" or ");
  if (items !== undefined) return `${plain} of ${typeText(items)}`;
  return format === undefined ? plain : `${plain} (${format})`;
}
