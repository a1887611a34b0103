const MULTIPLIER = 0x5bd1e995;
const SEED = 0x9747b28c;

/** Returns the partition of a key, by the same rule as Kafka's Java client: murmur2 of its bytes, without the sign. */
export function partitionOf(key: string, partitionCount: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitionCount;
}

function murmur2(bytes: Buffer): number {
  let hash = SEED ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at -= 1) hash ^= bytes.readUInt8(at) << (8 * (at - whole));
    hash = Math.imul(hash, MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
