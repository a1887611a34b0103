export * from "./clock.ts";
export * from "./ids.ts";
export * from "./error-catalogue.ts";
export * from "./errors.ts";
export * from "./batch.ts";
export * from "./secret.ts";
export * from "./json.ts";
export * from "./page.ts";
