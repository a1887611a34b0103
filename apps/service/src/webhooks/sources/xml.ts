import { SaxesParser } from "saxes";
import { addMember, BodyError, MAX_DEPTH, MAX_PARTS, newMembers } from "./body-values.ts";
import type { Members, Value } from "./body-values.ts";
import { inSlices } from "./pauses.ts";

/** An element while its content is read. */
interface OpenElement {
  readonly name: string;
  readonly members: Members;
  text: string;
}

/**
 * Returns the character set that an XML declaration names, if the body has one. In UTF-16 without a mark, the declaration itself shows the
 * order of the bytes. One that says UTF-16 in bytes of ASCII is that of a program which wrote it for a text in memory: it means nothing, as ASCII does.
 */
export function declaredCharset(body: Buffer): string | undefined {
  if (!BEGINNINGS.has(body[0])) return undefined;
  const head = body.toString("latin1", 0, 1024).replace(/^(?:\u00EF\u00BB\u00BF)?[ \t\r\n]*(?=<\?)/, "");
  if (head.startsWith("<\0?")) return "utf-16le";
  if (head.startsWith("\0<\0?")) return "utf-16be";
  const [, label] = DECLARATION.exec(head) ?? [];
  return label === undefined || /^(?:utf-?16|ucs-?2|unicode|us-ascii|ascii)/i.test(label) ? undefined : label;
}

const BEGINNINGS = new Set<number | undefined>([0x3c, 0, 0xef, 0x20, 0x09, 0x0a, 0x0d]);
const DECLARATION = /^<\?xml(?:\s[^>]*?)?\sencoding\s*=\s*["']([^"'<>]{1,100})["']/;

/** Reads XML without entities of its own: a document type is refused, so that nothing is loaded or multiplied. */
export async function xmlValue(text: string): Promise<Members> {
  const parser = new SaxesParser({ position: false });
  const root = newMembers();
  const open: OpenElement[] = [{ name: "", members: root, text: "" }];
  let parts = 0;
  const count = (): void => {
    parts += 1;
    if (parts > MAX_PARTS) throw new BodyError(`The XML has more than ${MAX_PARTS} elements and attributes`);
  };
  const current = (): OpenElement => open.at(-1) ?? { name: "", members: root, text: "" };
  parser.on("doctype", () => {
    throw new BodyError("The XML has a document type, which is not accepted");
  });
  parser.on("error", (error) => {
    throw new BodyError(`The body is not valid XML: ${error.message}`);
  });
  // Counted one by one: a single element can have all of them.
  parser.on("attribute", count);
  parser.on("opentag", ({ name, attributes }) => {
    count();
    if (open.length > MAX_DEPTH - 1) throw new BodyError("The XML has too many levels");
    const element = { name, members: newMembers(), text: "" };
    for (const [key, value] of Object.entries(attributes)) addMember(element.members, `@${key}`, value);
    open.push(element);
  });
  const addText = (part: string): void => {
    current().text += part;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element !== undefined) addMember(current().members, element.name, valueOfElement(element));
  });
  // Templates leave a line in front of the declaration, where XML allows none.
  await inSlices(text.trimStart(), (slice) => parser.write(slice));
  parser.close();
  return root;
}

/** An element without children and attributes is its text. Text next to them is `#text`. */
function valueOfElement({ members: found, text }: OpenElement): Value {
  const trimmed = text.trim();
  if (Object.keys(found).length === 0) return trimmed;
  if (trimmed !== "") addMember(found, "#text", trimmed);
  return found;
}
