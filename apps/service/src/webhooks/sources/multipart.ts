import { Busboy } from "@fastify/busboy";
import { WorkBudget } from "../../lib/lib.ts";
import { addMember, BodyError, fieldValue, newMembers } from "./body-values.ts";
import type { Members } from "./body-values.ts";
import { inSlices } from "./pauses.ts";

const MOST_PARTS = 1000;

/** Reads the fields. Of files, only the names are read. A limit ends the reading: the parser itself would continue. */
export async function multipartValue(contentType: string, body: Uint8Array): Promise<Members> {
  const value = newMembers();
  const budget = new WorkBudget();
  let failure = partsFault(contentType, body);
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  };
  const stop = (): void => {
    fail(new Error("it has too many or too large parts"));
  };
  const check = (): void => {
    if (failure !== undefined) throw failure;
  };
  try {
    check();
    const parser = Busboy({
      headers: { "content-type": contentType },
      limits: { fields: 1000, files: 20, parts: MOST_PARTS, fieldNameSize: 200, fieldSize: 1_048_576, headerPairs: 50 },
    });
    parser.on("field", (name, text, isNameCut, isTextCut) => {
      if (isNameCut || isTextCut) stop();
      addMember(value, name, fieldValue(name, text, budget));
    });
    parser.on("file", (name, stream, fileName) => {
      stream.resume();
      const file = newMembers();
      addMember(file, "file_name", fileName);
      addMember(value, name, file);
    });
    for (const limit of ["fieldsLimit", "filesLimit", "partsLimit"] as const) parser.on(limit, stop);
    parser.on("error", fail);
    await inSlices(body, (slice) => {
      parser.write(Buffer.from(slice));
      check();
    });
    parser.end();
  } catch (error) {
    fail(error);
  }
  if (failure !== undefined) throw new BodyError(`The multipart form cannot be read: ${failure.message}`);
  return value;
}

/** Counts the delimiters, because the parser does not count parts without a name. */
function partsFault(contentType: string, body: Uint8Array): Error | undefined {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return new Error("its boundary is missing");
  const delimiter = `--${boundary}`;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let parts = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    if (parts > MOST_PARTS + 1) return new Error("it has too many or too large parts");
  }
  return undefined;
}
