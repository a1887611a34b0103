import { Card, ConfirmButton } from "../ui/ui.ts";

export interface DeleteCardProps {
  /** "rule" */
  readonly what: string;
  readonly name: string;
  /** Explains what a deletion keeps, and what it ends. */
  readonly description: string;
  readonly mayDelete: boolean;
  readonly isPending: boolean;
  /** Names a milder alternative to deleting the object. */
  readonly instead?: string;
  readonly onDelete: () => void;
}

export function DeleteCard({ what, name, description, mayDelete, isPending, instead, onDelete }: DeleteCardProps) {
  return (
    <Card title="Delete" description={description}>
      <ConfirmButton label={`Delete ${what}`} isDisabled={!mayDelete} isPending={isPending} onConfirm={onDelete}>
        <p className="break-words">
          <bdi>{name.length > 80 ? `${name.slice(0, 80)}…` : name}</bdi> will be deleted. This can't be undone.
          {instead === undefined ? "" : ` To pause it, ${instead} instead.`}
        </p>
      </ConfirmButton>
    </Card>
  );
}
