import { Busboy } from "@fastify/busboy";
import { addMember, BodyError, fieldValue, newMembers } from "./body-values.ts";
import type { Members } from "./body-values.ts";

/** Reads the fields. Of files, only the names are read. */
export function multipartValue(contentType: string, body: Uint8Array): Members {
  const value = newMembers();
  let failure: Error | undefined;
  try {
    const parser = Busboy({
      headers: { "content-type": contentType },
      limits: { fields: 1000, files: 20, parts: 1000, fieldNameSize: 200, fieldSize: 1_048_576, headerPairs: 50 },
    });
    let isCut = false;
    parser.on("field", (name, text, isNameCut, isTextCut) => {
      isCut ||= isNameCut || isTextCut;
      addMember(value, name, fieldValue(name, text));
    });
    parser.on("file", (name, stream, fileName) => {
      stream.resume();
      const file = newMembers();
      addMember(file, "file_name", fileName);
      addMember(value, name, file);
    });
    for (const limit of ["fieldsLimit", "filesLimit", "partsLimit"] as const) parser.on(limit, () => (isCut = true));
    parser.on("error", (error) => (failure = error instanceof Error ? error : new Error(String(error))));
    parser.end(Buffer.from(body));
    if (isCut) failure = new Error("it has too many or too large parts");
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  if (failure !== undefined) throw new BodyError(`The multipart form cannot be read: ${failure.message}`);
  return value;
}
