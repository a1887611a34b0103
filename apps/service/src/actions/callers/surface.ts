/** The surface of a call follows from how the call came in. A body can only narrow it. */
export const SURFACES = ["api", "console", "mcp", "assistant", "rule", "workflow", "connector"] as const;
export type Surface = (typeof SURFACES)[number];
