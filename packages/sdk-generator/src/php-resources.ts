import type { Api, Resource } from "./model.ts";
import { emitMethod } from "./php-methods.ts";
import type { Shapes } from "./php-shapes.ts";
import { HEADER, camel, doc, pascal } from "./php-text.ts";

/** Traits whose methods are not operations. */
const BY_HAND: Readonly<Record<string, string>> = { webhooks: "WebhookChecks" };

/** Generates a class for each resource, and the class that gives the client one of each. */
export function emitResources(api: Api, shapes: Shapes): ReadonlyMap<string, string> {
  const files = flat(api.resources).map((resource): [string, string] => [
    `Resource/${className(resource)}.php`,
    emitResource(resource, shapes),
  ]);
  return new Map([...files, ["Resources.php", emitClient(api.resources)]]);
}

function emitClient(resources: readonly Resource[]): string {
  const properties = resources.map(
    (resource) =>
      `${doc("    ", [resource.description])}    public readonly Resource\\${className(resource)} $${camel(resource.name)};\n`,
  );
  const opened = resources.map(
    (resource) => `        $this->${camel(resource.name)} = new Resource\\${className(resource)}($transport);\n`,
  );
  return [
    `${HEADER}\nnamespace Junction;\n\n${doc("", ["The client's resources.", "@internal"])}abstract class Resources\n{\n`,
    properties.join("\n"),
    `\n    /** @internal */\n    public function __construct(Transport $transport)\n    {\n${opened.join("")}    }\n}\n`,
  ].join("");
}

function emitResource(resource: Resource, shapes: Shapes): string {
  const { path, description, operations, children } = resource;
  const methods = operations.map((operation) => emitMethod(operation, shapes));
  const text = methods.map((method) => method.text).join("\n");
  const aliases = shapes.aliases(text);
  const nested = children.map((child) => ({ name: camel(child.name), type: className(child) }));
  const opened = nested.map(({ name, type }) => `        $this->${name} = new ${type}($transport);\n`).join("");
  const imports = new Set([
    ...methods.flatMap((method) => method.uses),
    ...(aliases.length > 0 ? ["Shapes"] : []),
    "Transport",
  ]);
  const about = [
    description === "" ? `\`${path.join(".")}\`` : description,
    ...aliases.map((name) => `@phpstan-import-type ${name} from Shapes`),
  ];
  const more = BY_HAND[path.join(".")];
  if (more !== undefined) imports.add(more);
  return [
    `${HEADER}\nnamespace Junction\\Resource;\n\n`,
    [...imports]
      .toSorted()
      .map((name) => `use Junction\\${name};\n`)
      .join(""),
    `\n${doc("", about)}final readonly class ${className(resource)}\n{\n`,
    more === undefined ? "" : `    use ${more};\n\n`,
    nested.map(({ name, type }) => `    public ${type} $${name};\n\n`).join(""),
    "    /** @internal */\n    public function __construct(private Transport $transport)",
    opened === "" ? " {}\n" : `\n    {\n${opened}    }\n`,
    text === "" ? "" : `\n${text}`,
    "}\n",
  ].join("");
}

/**
 * Returns `WebhookEndpointsSecretResource` for `webhook_endpoints.secret`, because a type may have the name of a
 * resource.
 */
function className({ path }: Resource): string {
  return `${pascal(path.join("_"))}Resource`;
}

function flat(resources: readonly Resource[]): Resource[] {
  return resources.flatMap((resource) => [resource, ...flat(resource.children)]);
}
