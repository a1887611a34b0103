import { parseSync, Visitor } from "oxc-parser";
import type { Argument, Expression } from "oxc-parser";

/** A text for people in a source file: a string, a JSX text or a comment, on one line and without its code. */
export interface Text {
  readonly line: number;
  readonly text: string;
}

/** The role of a string in a call, a property or an attribute. It distinguishes the strings for people from the others. */
export type Role = "log message" | "test name" | "detail" | "other";

export interface StringText extends Text {
  readonly role: Role;
}

export interface Parsed {
  readonly strings: readonly StringText[];
  readonly comments: readonly Text[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Piece extends Span {
  readonly text: string;
}

/** Replaces an inserted value or a piece of code. It has no word characters, so that no rule sees a word in it. */
const HIDDEN = "***";

const LOG_METHOD = /^(?:trace|debug|info|warn|error|fatal)$/;
const LOG_OBJECT = /\blog(?:ger)?$/;
const TEST_CALL = /^(?:it|test|describe|covers)\b/;
const STYLE_ATTRIBUTE = /^(?:className|class|d|id|key|type|role|href|src)$/;

/** Returns the texts of a TypeScript file. Imported paths, attributes such as `className` and single lower-case words are left out. */
export function parse(file: string, source: string): Parsed {
  const { program, comments } = parseSync(file, source);
  const pieces: Piece[] = [];
  const excluded: Span[] = [];
  const roles: { readonly span: Span; readonly role: Role }[] = [];
  new Visitor({
    Literal: (node) => void (typeof node.value === "string" && pieces.push({ ...spanOf(node), text: node.value })),
    JSXText: (node) => void pieces.push({ ...spanOf(node), text: node.value }),
    TemplateLiteral: (node) => {
      const text = node.quasis.map(({ value }) => value.cooked ?? value.raw).join(HIDDEN);
      pieces.push({ ...spanOf(node), text });
    },
    TaggedTemplateExpression: (node) => void excluded.push(spanOf(node.quasi)),
    ImportDeclaration: (node) => void excluded.push(spanOf(node)),
    ExportNamedDeclaration: (node) => void (node.source !== null && excluded.push(spanOf(node.source))),
    TSLiteralType: (node) => void excluded.push(spanOf(node)),
    JSXAttribute: (node) => {
      if (node.name.type === "JSXIdentifier" && STYLE_ATTRIBUTE.test(node.name.name)) excluded.push(spanOf(node));
    },
    Property: (node) => {
      const isDetail = node.key.type === "Identifier" && node.key.name === "detail";
      if (isDetail) roles.push({ span: spanOf(node.value), role: "detail" });
    },
    CallExpression: (node) => {
      const role = roleOfCall(source, node.callee);
      const named = role === "test name" ? nameOf(node.arguments) : undefined;
      if (role === "log message") for (const each of node.arguments) roles.push({ span: spanOf(each), role });
      if (role === "test name" && named !== undefined) roles.push({ span: spanOf(named), role });
    },
  }).visit(program);
  const lineOf = lines(source);
  const strings = pieces
    .filter((piece) => !excluded.some((span) => contains(span, piece)))
    .map(({ start, end, text }) => ({
      line: lineOf(start + (/^\s*/.exec(source.slice(start, end))?.[0].length ?? 0)),
      text: plain(text),
      role: roles.findLast(({ span }) => contains(span, { start, end }))?.role ?? "other",
    }))
    .filter(({ text }) => /[A-Za-z]\S* \S|^[A-Z]/.test(text));
  return { strings, comments: commentTexts(source, comments).map(([at, text]) => ({ line: lineOf(at), text })) };
}

/** Joins the lines of a text and hides the code in it: what is between backticks, and quoted or dotted names. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/`[^`]*`/g, HIDDEN)
    .replaceAll(/"[\w.:-]+"|“[\w.:-]+”/g, HIDDEN)
    .replaceAll(/[\w${}*-]*\w[._/\\@][\w${}*]\S*/g, HIDDEN)
    .trim();
}

function roleOfCall(source: string, callee: Expression): Role {
  const text = source.slice(callee.start, callee.end);
  if (TEST_CALL.test(text)) return "test name";
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return "other";
  const object = source.slice(callee.object.start, callee.object.end);
  return LOG_METHOD.test(callee.property.name) && LOG_OBJECT.test(object) ? "log message" : "other";
}

/** Returns the first string of a call's first two arguments with a space in it: `covers` has the requirement first. */
function nameOf(given: readonly Argument[]): Span | undefined {
  return given
    .slice(0, 2)
    .find((each) => each.type === "TemplateLiteral" || (each.type === "Literal" && / /.test(String(each.value))));
}

/** Returns each comment with its place. Line comments that follow each other are one comment. */
function commentTexts(
  source: string,
  comments: readonly (Span & { type: string; value: string })[],
): [number, string][] {
  const texts: [number, string][] = [];
  let end = -1;
  for (const comment of comments) {
    const last = texts.at(-1);
    const text = plain(comment.value.replaceAll(/^\s*\*+ ?/gm, "").replaceAll(/\{?@\w+/g, ""));
    const follows = comment.type === "Line" && /^\n[ \t]*$/.test(source.slice(end, comment.start));
    if (last !== undefined && follows) last[1] = `${last[1]} ${text}`;
    else texts.push([comment.start, text]);
    end = comment.end;
  }
  return texts.filter(([, text]) => text.includes(" "));
}

/** Returns a function from an offset to its line number. */
function lines(source: string): (offset: number) => number {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
