/** A request to the receiver of a webhook. */
export interface WebhookRequest {
  readonly url: string;
  /** `webhook-id`: the same for every attempt to deliver the same message. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
  /** As made by `createSecret`. Each of them signs. */
  readonly secrets: readonly string[];
}

export interface WebhookAnswer {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** At most the first 1,024 bytes of the body as well-formed text; null if there was no answer. */
  readonly body: string | null;
  /** Reason for the rejection; null if the message was accepted. */
  readonly error: string | null;
  /** True if the address of the receiver is refused. */
  readonly isRefused: boolean;
  /** Time to wait before the next attempt as requested by the receiver, in milliseconds; null if it requests none. */
  readonly retryAfter: number | null;
}

/**
 * Sends signed messages by the Standard Webhooks specification. Does not follow redirects or connect to refused
 * addresses: loopback, private, link-local and other non-public ones.
 */
export interface WebhookSender {
  /** Returns a new secret: `whsec_` and 256 random bits in base64. */
  createSecret(): string;
  /**
   * Returns the URL as it will be called: normalized, without a fragment. Or the reason why it is refused. Names are
   * not resolved here: they are checked at every connection.
   */
  read(url: string): { readonly url: string } | { readonly problem: string };
  /** Settles within 20 seconds, regardless of the receiver; never rejects. */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Ends requests in progress and closes the connections. */
  close(): Promise<void>;
}
