import { Fragment } from "react";

/** Shows an e-mail address that breaks at its marks first, and within a word only when it has to. */
export function EmailAddress({ address }: { readonly address: string }) {
  const parts = address.split(/(?<=@)|(?=\.)/);
  return (
    <bdi className="min-w-0 wrap-anywhere">
      {parts.map((part, at) => (
        <Fragment key={`${at} ${part}`}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}
