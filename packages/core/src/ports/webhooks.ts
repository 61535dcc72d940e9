/** A request to the receiver of a webhook. */
export interface WebhookRequest {
  readonly url: string;
  /** `webhook-id`: the same for every attempt to deliver the same message. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
  /** As `createSecret` makes them. Each signs. */
  readonly secrets: readonly string[];
}

export interface WebhookAnswer {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** At most the first 1,024 bytes of the body as well-formed text; null when there was no answer. */
  readonly body: string | null;
  /** Why the message was not accepted; null when it was. */
  readonly error: string | null;
  /** Whether the address of the receiver is refused. */
  readonly isRefused: boolean;
  /** How long the receiver asks to wait before the next attempt, milliseconds; null when it does not say. */
  readonly retryAfter: number | null;
}

/**
 * Sends signed messages by the Standard Webhooks specification. Follows no redirects, and connects to no address that is
 * refused: loopback, private, link-local and other addresses that are not public.
 */
export interface WebhookSender {
  /** A new secret: `whsec_` and 256 random bits in base64. */
  createSecret(): string;
  /**
   * The URL as it will be called: normalized, without a fragment. Or the reason why it is refused. Names are not resolved:
   * they are checked at every connection.
   */
  read(url: string): { readonly url: string } | { readonly problem: string };
  /** Settles within 20 seconds, however the receiver behaves; never rejects. */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Ends requests in progress and closes the connections. */
  close(): Promise<void>;
}
