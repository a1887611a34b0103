/**
 * Returns the first of these codings that the request's Accept-Encoding accepts (RFC 9110, section 12.5.3); undefined
 * sends the bytes as they are.
 */
export function acceptedEncoding<Coding extends string>(
  accepted: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  const taken = new Set(
    (accepted ?? "").split(",").flatMap((one) => {
      const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
      return parameters.some((part) => /^q=0(?:\.0*)?$/.test(part)) ? [] : [name];
    }),
  );
  return offered.find((coding) => taken.has(coding));
}
