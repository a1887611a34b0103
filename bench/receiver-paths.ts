/** Below this path, the receiver responds after `LATENT_MS`. */
export const LATENT = "latent";
export const LATENT_MS = 20;
/** Below this path, the receiver sends half of a response. */
export const HALF = "half";
/** Below this path, the receiver closes the connection after its response. */
export const CLOSING = "close";
