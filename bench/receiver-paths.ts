/** Below this path, the receiver responds after `LATENT_MS`. */
export const LATENT = "latent";
export const LATENT_MS = 20;
