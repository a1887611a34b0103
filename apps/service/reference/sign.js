// @ts-check
// Runs in the reader's browser, served by /docs; a test runs it in Node against the service.

/**
 * @typedef {object} Outgoing
 * @property {string} method
 * @property {URL} url
 * @property {string} body Exactly as it is sent; "" when there is none.
 * @property {string} idempotencyKey "" when there is none.
 * @property {number} timestamp Unix seconds.
 */

const encoder = new TextEncoder();

/**
 * Returns why a request must not leave the page; null if it may. The page is for trying things: it sends requests only to the service that
 * served it, and never with a live key, wherever in the request the key stands.
 * @param {string} key
 * @param {string} everything All text of the request.
 * @param {URL} url
 * @param {string} origin
 * @returns {string | null}
 */
export function refusalOf(key, everything, url, origin) {
  if (url.origin !== origin) return "This page sends requests only to its own service.";
  if (`${key}\n${everything}`.includes("jn_live_"))
    return "Do not use live keys on this page. Use a sandbox key (jn_test_…).";
  if (key !== "" && !/^jn_test_[0-9A-Za-z]+$/.test(key))
    return "The key is not a sandbox key. Sandbox keys start with jn_test_.";
  return null;
}

/**
 * The credentials of one request: the key, and its `v1` signature by that key.
 * @param {string} key
 * @param {Outgoing} outgoing
 * @returns {Promise<Record<string, string>>}
 */
export async function credentials(key, { method, url, body, idempotencyKey, timestamp }) {
  const bodyHash = hex(await crypto.subtle.digest("SHA-256", encoder.encode(body)));
  const target = url.pathname + url.search;
  const text = [
    "v1",
    timestamp,
    method.toUpperCase(),
    target,
    idempotencyKey.replace(/^"(.*)"$/s, "$1"),
    bodyHash,
  ].join("\n");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return {
    Authorization: `Bearer ${key}`,
    "X-Service-Timestamp": String(timestamp),
    "X-Service-Signature": hex(await crypto.subtle.sign("HMAC", secret, encoder.encode(text))),
  };
}

/** @param {ArrayBuffer} bytes */
function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
