// Node has CRC-32, but Kafka's batches are checked with the Castagnoli polynomial.
const CASTAGNOLI = 0x82f63b78;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ CASTAGNOLI : sum >>> 1;
  return sum;
});

/** Returns the CRC-32C of bytes, as an unsigned number. */
export function crc32c(bytes: Uint8Array): number {
  let sum = -1;
  // An index loop: it runs once for each byte that is sent.
  for (let index = 0; index < bytes.length; index += 1) {
    sum = (TABLE[(sum ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}
