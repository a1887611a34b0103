const MAX_LENGTH = 128;

/**
 * Returns the name of a source's event if the source sets none: `inbound.<event_type>`, with `_` for characters that an
 * event's name cannot contain (contract, section 6).
 */
export function inboundEventName(eventType: string): string {
  const plain = eventType.replaceAll(/[^A-Za-z0-9_.:-]/gu, "_").replaceAll(/(?<![^.])\./g, "_");
  return `inbound.${plain}`.slice(0, MAX_LENGTH).replace(/\.$/, "_");
}
