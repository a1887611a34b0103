/** Where the requests of AI callers come from. */
export const SOURCES = [
  { value: "assistant", label: "Assistant" },
  { value: "mcp", label: "MCP client" },
  { value: "api", label: "AI key" },
];

export function sourceWords(source: string): string {
  return SOURCES.find(({ value }) => value === source)?.label ?? source;
}
