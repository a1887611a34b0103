/** Exports what the configuration needs of this domain without loading it: `doctor` reads the settings and must start fast. */
export { DEFAULT_LIMITS } from "./operations.ts";
