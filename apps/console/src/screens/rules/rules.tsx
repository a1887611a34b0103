import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Rules" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
