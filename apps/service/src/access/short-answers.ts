/**
 * The phrases of the responses to fired events, which are most of what is stored. The code of a phrase is its place, so
 * stored responses need that none ever moves: add at the end, at most 29.
 */
const PHRASES = [
  '{"id":"evt_',
  '","object":"event","event":"',
  '","canonical":false,"occurred_at":"',
  '","canonical":true,"occurred_at":"',
  '","status":"accepted","subscribers":[',
  '{"kind":"webhook","key":"ep_',
  '","priority":60}',
  '],"deliveries":[',
  '{"id":"dlv_',
  '","endpoint_id":"ep_',
  '","state":"pending"}',
  '{"kind":"projection","key":"contacts","priority":10}',
  '{"kind":"mirror","key":"',
  '{"kind":"connector","key":"',
  '{"kind":"rule","key":"rules","priority":40}',
  '{"kind":"workflow","key":"',
  '{"kind":"assistant","key":"assistant","priority":50}',
  '","priority":',
  '","tenant":"',
  '","status":"accepted","subscribers":[],"deliveries":[]',
  '{"object":"list","data":[',
  '],"schema_errors":[',
];
const TAG = "\u001e";
/** The first character of a shortened response. JSON has none of these characters, and one with line breaks is stored as it is. */
const SHORTENED = "\u001f";
const CONTROL = new RegExp(String.raw`[\u0000-\u001f]`);

const codes = new Map(PHRASES.map((phrase, at) => [phrase, String.fromCharCode(at + 1)]));
const anyPhrase = new RegExp(PHRASES.map((phrase) => RegExp.escape(phrase)).join("|"), "g");
const anyCode = new RegExp(String.raw`[\u0001-\u001e]`, "g");

/** Returns a text of about half the length, from which `lengthen` makes the same response again. */
export function shorten(body: string, tag: string): string {
  if (CONTROL.test(body)) return body;
  return SHORTENED + body.replaceAll(anyPhrase, (phrase) => codes.get(phrase) ?? phrase).replaceAll(tag, TAG);
}

/** Returns the response that was shortened for the environment `tag`, and one that was not as it is. */
export function lengthen(stored: string, tag: string): string {
  if (!stored.startsWith(SHORTENED)) return stored;
  return stored
    .slice(1)
    .replaceAll(anyCode, (code) => (code === TAG ? tag : (PHRASES[code.charCodeAt(0) - 1] ?? code)));
}
