import { readTemplate } from "../../lib/lib.ts";
import type { Path } from "../../lib/lib.ts";

/** An attribute of a CloudEvent: a header `ce-…` in binary mode, a member of the body in structured mode. */
export interface Attribute {
  readonly header: string;
  readonly path: Path;
}

export type KeyTemplate = readonly (string | Path | Attribute)[];

const ATTRIBUTE = /\$\{@cloudevent\.(?<name>[a-z0-9]{1,20})\}/;

/** Reads a template whose tokens are paths of the payload, or attributes such as `${@cloudevent.id}`. Undefined if a token is neither. */
export function readKeyTemplate(text: string): KeyTemplate | undefined {
  const [, name] = ATTRIBUTE.exec(text) ?? [];
  if (name === undefined) return readTemplate(text);
  const token = `\${@cloudevent.${name}}`;
  const at = text.indexOf(token);
  const [path] = readTemplate(`\${$.${name}}`) ?? [];
  const before = readTemplate(text.slice(0, at));
  const behind = readKeyTemplate(text.slice(at + token.length));
  if (before === undefined || behind === undefined || typeof path !== "object") return undefined;
  return [...before, { header: `ce-${name}`, path }, ...behind];
}

export function isAttribute(part: KeyTemplate[number]): part is Attribute {
  return typeof part === "object" && "header" in part;
}
