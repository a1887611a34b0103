/** Exports what the configuration needs of this domain without loading it. */
export { REPOSITORY_KEY } from "./registry/repository-key.ts";
export { readPublicKey } from "./registry/signing-key.ts";
