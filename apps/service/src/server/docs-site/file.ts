/** A file of the site as it is sent. */
export interface DocsFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  /** Its address changes with its content. */
  readonly forever: boolean;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

export interface Docs {
  /** The file at a path below `/docs`; undefined if there is none. */
  find(path: string): Promise<DocsFile | undefined>;
  /** The page for paths that do not exist. */
  missing(): Promise<DocsFile>;
}
