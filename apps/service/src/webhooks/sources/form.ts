import { charsetNamed, percentBytes, textIn, WorkBudget } from "../../lib/lib.ts";
import { addMember, BodyError, fieldValue, MAX_PARTS, newMembers } from "./body-values.ts";
import type { Fields, FieldsCharset } from "./body-values.ts";

interface Pairs {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly charset: string;
}

/** Reads the fields of a form in their order. Its percent bytes are in the form's character set, as its other bytes are. */
export function readPairs(body: Buffer, { named, fallback }: FieldsCharset): Pairs {
  const text = body.toString("latin1");
  const charset = knownCharset(named ?? ownCharset(text) ?? fallback ?? "utf-8");
  const decoded = (part: string): string => {
    const found = textIn(percentBytes(Buffer.from(part, "latin1")), charset);
    if (found === undefined) throw new BodyError(`The form is not valid ${charset} at byte ${text.indexOf(part)}`);
    return found;
  };
  const pieces = text.split("&", MAX_PARTS + 1).filter((piece) => piece !== "");
  if (pieces.length > MAX_PARTS) throw new BodyError(`The form has more than ${MAX_PARTS} fields`);
  const pairs = pieces.map((piece): [string, string] => {
    const equals = piece.indexOf("=");
    return equals === -1 ? [decoded(piece), ""] : [decoded(piece.slice(0, equals)), decoded(piece.slice(equals + 1))];
  });
  return { pairs, charset };
}

export function readForm(body: Buffer, sets: FieldsCharset): Fields {
  const { pairs, charset } = readPairs(body, sets);
  const value = newMembers();
  const budget = new WorkBudget();
  for (const [name, text] of pairs) addMember(value, name, fieldValue(name, text, budget));
  return { value, charset };
}

/** Browsers write the character set of a form into a hidden field of this name. One that is not known was never filled in. */
function ownCharset(text: string): string | undefined {
  const [, label] = /(?:^|&)_charset_=([\w.:-]{1,40})(?:&|$)/.exec(text) ?? [];
  return label === undefined ? undefined : charsetNamed(label);
}

/** Throws BodyError for a character set that is not known, or in which the marks of a form are not what they are in ASCII. */
export function knownCharset(label: string): string {
  const charset = charsetNamed(label);
  if (charset === undefined || charset.startsWith("utf-16"))
    throw new BodyError(`The character set ${JSON.stringify(label.slice(0, 40).toWellFormed())} is not known in forms`);
  return charset;
}
