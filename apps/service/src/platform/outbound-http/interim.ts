/**
 * Takes interim heads (1xx, but for 101) off the start of a response. undici, which never asks for `100 Continue`, treats one as a broken
 * response, yet RFC 9110 section 15.2 has a client skip interim responses it did not ask for, in whatever order they come. Returns the bytes
 * to go on with, or null while it cannot tell. After bytes were given back, the next call begins a new response.
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
/** Where the last two digits of the status stand. */
const [TENS, ONES] = [10, 11];
const [ZERO, ONE] = [0x30, 0x31];

/** True for an interim head, and for a beginning too short to tell. The minor version (byte 7) may be either. */
function looksInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, INTERIM.length);
  if (length === 0) return false;
  for (let index = length - 1; index >= 0; index -= 1) {
    if (index !== 7 && bytes[index] !== INTERIM[index]) return false;
  }
  return !(bytes[TENS] === ZERO && bytes[ONES] === ONE);
}
