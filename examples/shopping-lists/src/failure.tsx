/** The message of a failure, announced immediately by screen readers. */
export function Failure({ message }: { message: string | null | undefined }) {
  return <p role="alert">{message}</p>;
}
