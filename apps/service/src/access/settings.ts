/** What the configuration needs of this domain, without the domain itself: `doctor` reads the settings and must start fast. */
export { DEFAULT_LIMITS } from "./operations.ts";
