// The words that schemas of the wire are written in: those of typebox, and our own.
export * from "typebox";
export * from "./schema.ts";
