import { createHmac, hash } from "node:crypto";
import { toRfc3339 } from "../../lib/lib.ts";
import type { Hidden, Instant } from "../../lib/lib.ts";

/** The key that signs, and its purpose. */
export interface AwsIdentity {
  readonly accessKeyId: string;
  readonly secret: Hidden;
  readonly region: string;
  /** The name of the service in signatures, such as `sqs`. */
  readonly service: string;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** The headers by lower-case name. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** The hex SHA-256 of the body. */
  readonly bodyHash: string;
}

/** Returns the headers of a request with its signature. */
export type AwsSigner = (request: UnsignedRequest, at: Instant) => Record<string, string>;

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Creates a signer of AWS Signature Version 4, in the `Authorization` header. It knows the key that it is given and no other: no variable of
 * the environment, no file, no metadata service.
 */
export function createAwsSigner({ accessKeyId, secret, region, service }: AwsIdentity): AwsSigner {
  let kept: { readonly day: string; readonly key: Buffer } | undefined;

  function keyOf(day: string): Buffer {
    if (kept?.day !== day) {
      const parts = [day, region, service, "aws4_request"];
      const key = parts.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret.reveal()}`));
      kept = { day, key };
    }
    return kept.key;
  }

  return (request, at) => {
    const time = `${toRfc3339(at).slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const headers = { ...request.headers, "x-amz-date": time };
    const { text, names } = canonicalRequest({ ...request, headers }, service);
    const toSign = `${ALGORITHM}\n${time}\n${scope}\n${hash("sha256", text, "hex")}`;
    const signature = hmac(keyOf(day), toSign).toString("hex");
    return {
      ...headers,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
  };
}

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function canonicalRequest(
  { method, url, headers, bodyHash }: UnsignedRequest,
  service: string,
): { readonly text: string; readonly names: string } {
  const signed = Object.entries({ ...headers, host: url.host })
    .map(([name, value]) => [name, value.trim().replaceAll(/ +/g, " ")] as const)
    .toSorted(([left], [right]) => compare(left, right));
  const names = signed.map(([name]) => name).join(";");
  const query = [...url.searchParams]
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .toSorted(([leftName, left], [rightName, right]) => compare(leftName, rightName) || compare(left, right))
    .map((pair) => pair.join("="))
    .join("&");
  // The keys of S3 are paths as they are. Every other service joins slashes, and encodes the path of the URL once more.
  const path =
    service === "s3"
      ? url.pathname
      : url.pathname
          .replaceAll(/\/{2,}/g, "/")
          .split("/")
          .map(encodeStrictly)
          .join("/");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  return { text: `${method}\n${path}\n${query}\n${lines}\n${names}\n${bodyHash}`, names };
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
