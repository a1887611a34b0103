const MAX_LENGTH = 128;

/**
 * The name under which a source's event is fired when the source names none: `inbound.<event_type>`, whatever is odd in
 * an event's name as `_` (contract, section 6).
 */
export function inboundEventName(eventType: string): string {
  const plain = eventType.replaceAll(/[^A-Za-z0-9_.:-]/gu, "_").replaceAll(/(?<![^.])\./g, "_");
  return `inbound.${plain}`.slice(0, MAX_LENGTH).replace(/\.$/, "_");
}
