import { readFileSync } from "node:fs";
import { senders } from "../../apps/service/src/webhooks/sources/senders.ts";
import type { Sender } from "../../apps/service/src/webhooks/sources/senders.ts";

const FOLDER = new URL("../../apps/service/src/webhooks/sources/senders/", import.meta.url);
const HEAD = ["sender", "types", "list", "a repeated event has", "handshake", "signatures checked with"];

/** The text of docs/reference/senders.md, from the senders' files and vectors. */
export function sendersPage(): string {
  const rows = senders.map((sender) => [
    nameOf(sender),
    String(sender.event_types.length),
    sender.mapping.each ? `\`${sender.mapping.each}\`` : "",
    repeatedBy(sender),
    sender.handshakes.map(({ method, signed }) => (signed ? `${method}, signed` : method)).join("; "),
    judgesOf(sender),
  ]);
  return [
    "# Senders\n",
    "This page lists what the service knows of each sender. `GET /v1/senders` has the signatures, the mappings and the steps to set them up, and the guide shows [how to create a source](../guide/inbound.md#senders).\n",
    "- **types**: the number of event types, which are listed below. A type that is not listed is accepted too.",
    "- **list**: the path of the list, for a sender that can send several events in one request. Each element is an event. A list within an element stays in its payload.",
    "- **a repeated event has**: what makes a request a duplicate of an earlier one.",
    "- **handshake**: the request with which the sender checks the URL.",
    "- **signatures checked with**: the independent program whose result the tests compare with the service's, if possible the sender's own library.\n",
    table([HEAD, ...rows]),
    "## Event types\n",
    "A request without a type gets the type after the semicolon.\n",
    ...senders.map(typesOf),
    "This page is generated from the senders' files with `node tools/generate-senders.ts`.\n",
  ].join("\n");
}

function repeatedBy({ mapping, idempotency_key_header: header }: Sender): string {
  const { idempotency_key_path: path, idempotency_key_template: template, dedupe_ignore: ignored } = mapping;
  const id = header ?? template ?? [path ?? []].flat().join(" or ");
  if (id !== "") return `the same \`${id}\``;
  if (!mapping.dedupe_by_body) return "";
  const apart = (ignored ?? []).map((member) => `\`${member}\``).join(", ");
  return apart === "" ? "the same body" : `the same body apart from ${apart}`;
}

/** Returns the libraries that checked the vectors, or what made them. */
function judgesOf({ key }: Sender): string {
  const file = readFileSync(new URL(`${key}.vectors.json`, FOLDER), "utf8");
  const makers = (JSON.parse(file) as { readonly made_by: string }[]).map(({ made_by }) => made_by);
  const libraries = makers.flatMap((made) => made.match(/(?:npm|PyPI) .*/) ?? []);
  return [...new Set(libraries.length > 0 ? libraries : makers)].map((made) => `\`${made}\``).join("; ");
}

/** Returns the title. As code, because titles can be words that the glossary replaces. */
function nameOf({ title }: Sender): string {
  return `\`${title}\``;
}

function typesOf(sender: Sender): string {
  const { event_types: types, mapping } = sender;
  const list = types.map((type) => `\`${type}\``).join(", ");
  return `**${nameOf(sender)}**: ${list}; \`${mapping.event_type_default}\`\n`;
}

/** Returns a table whose columns are aligned, as the formatter does. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...others] = rows;
  return `${[line(head), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n")}\n`;
}
