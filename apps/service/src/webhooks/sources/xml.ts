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

/** Reads XML without entities of its own: a document type is refused, so that nothing is loaded or multiplied. */
export async function xmlValue(body: Uint8Array): Promise<Members> {
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
  const addText = (text: string): void => {
    current().text += text;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element !== undefined) addMember(current().members, element.name, valueOfElement(element));
  });
  const text = new TextDecoder();
  await inSlices(body, (slice) => parser.write(text.decode(slice, { stream: true })));
  parser.write(text.decode()).close();
  return root;
}

/** An element without children and attributes is its text. Text next to them is `#text`. */
function valueOfElement({ members: found, text }: OpenElement): Value {
  const trimmed = text.trim();
  if (Object.keys(found).length === 0) return trimmed;
  if (trimmed !== "") addMember(found, "#text", trimmed);
  return found;
}
