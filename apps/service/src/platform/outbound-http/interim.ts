/**
 * Removes interim heads (1xx, except 101) from the start of a response. undici never requests `100 Continue`, and
 * treats such a head as a broken response. RFC 9110 section 15.2 requires a client to skip unrequested interim
 * responses in any order. Returns the remaining bytes, or null while more bytes are needed to decide. After it has
 * returned bytes, the next call begins a new response.
 */
export function createInterimFilter(): (chunk: Buffer) => Buffer | null {
  let held: Buffer | null = null;
  let skipped = 0;

  function giveBack(bytes: Buffer): Buffer {
    held = null;
    skipped = 0;
    return bytes;
  }

  return (chunk) => {
    let bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    while (looksInterim(bytes) && skipped < MAX_SKIPPED) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1) return bytes.length > MAX_HEAD_BYTES ? giveBack(bytes) : hold(bytes);
      bytes = bytes.subarray(end + 4);
      skipped += 1;
    }
    return bytes.length === 0 ? hold(bytes) : giveBack(bytes);
  };

  function hold(bytes: Buffer): null {
    held = bytes;
    return null;
  }
}

const MAX_SKIPPED = 16;
const MAX_HEAD_BYTES = 16 * 1024;
const INTERIM = Buffer.from("HTTP/1.1 1");
/** Offsets of the last two digits of the status. */
const [TENS, ONES] = [10, 11];
const [ZERO, ONE] = [0x30, 0x31];

/**
 * Returns true for an interim head, and for a beginning that is too short to decide. The minor version (byte 7) may be
 * either.
 */
function looksInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, INTERIM.length);
  if (length === 0) return false;
  for (let index = length - 1; index >= 0; index -= 1) {
    if (index !== 7 && bytes[index] !== INTERIM[index]) return false;
  }
  return !(bytes[TENS] === ZERO && bytes[ONES] === ONE);
}
