/** The message of a failure, read out as soon as it is there. */
export function Failure({ message }: { message: string | null | undefined }) {
  return <p role="alert">{message}</p>;
}
