/** What the configuration needs of this domain, without the domain itself. */
export { REPOSITORY_KEY } from "./registry/repository-key.ts";
export { readPublicKey } from "./registry/signing-key.ts";
