export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** The beginning of a URL up to its path, without values of the event, so that it is checked when it is saved. */
export const ORIGIN = /^https?:\/\/[^/?#@\s]+(?=[/?#]|$)/i;
/** Headers that the service sets, or that belong to the connection. */
export const OWN_HEADERS =
  /^(?:host|content-length|connection|transfer-encoding|expect|upgrade|keep-alive|te|trailer|idempotency-key|proxy-.*)$/i;
