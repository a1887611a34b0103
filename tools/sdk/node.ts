import type { Emit } from "./emitters.ts";

export const emitNode: Emit = () => new Map();
