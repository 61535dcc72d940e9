/** Access to hosts that administrators configure. */
export interface OutboundHosts {
  /**
   * Resolves to the reason why connections to the host are refused, or null. A name that cannot be resolved now is not
   * refused.
   */
  problemOf(host: string): Promise<string | null>;
}
