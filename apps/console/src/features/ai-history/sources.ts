/** The kinds of requests. */
export const KINDS = [
  { value: "question", label: "Question" },
  { value: "call", label: "Call" },
  { value: "dry_run", label: "Dry run" },
  { value: "poll", label: "Poll" },
];

export function kindWords(kind: string): string {
  return KINDS.find(({ value }) => value === kind)?.label ?? kind;
}

/** Where the requests of AI callers come from. */
export const SOURCES = [
  { value: "assistant", label: "Assistant" },
  { value: "mcp", label: "MCP client" },
  { value: "api", label: "AI key" },
];

export function sourceWords(source: string): string {
  return SOURCES.find(({ value }) => value === source)?.label ?? source;
}
