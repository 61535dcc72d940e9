import type { S3Client } from '@aws-sdk/client-s3';
import { fieldOf, headerOf, nameOf, statusOf } from './errors.ts';

/** Address of a bucket, updated if the server requires another. */
export interface Address {
  region: string;
  /** True if the bucket is part of the path instead of the host. */
  pathStyle: boolean;
}

interface Correction {
  readonly address: Address;
  readonly bucket: string;
  /** True if the operator has chosen the style. */
  readonly isStyleFixed: boolean;
}

/** Error codes of vendors that require the bucket in the host: Alibaba, Tencent, Huawei, Volcano Engine. */
const HOST_STYLE_ONLY: ReadonlySet<string> = new Set([
  'SecondLevelDomainForbidden',
  'PathStyleDomainForbidden',
  'VirtualHostDomainRequired',
  'InvalidPathAccess',
]);
/** Statuses of requests for a bucket in another region. */
const ELSEWHERE: ReadonlySet<number | null> = new Set([301, 307, 400]);
/** One for the style, one for the region. */
const MAX_CORRECTIONS = 2;
/** Statuses that may indicate a wrong address. Responses to HEAD have no body with the reason. */
const DOUBTFUL: ReadonlySet<number | null> = new Set([301, 307, 400, 403]);

/** Adopts the address in a refusal. Returns true if it differs. */
function learn(error: unknown, { address, isStyleFixed }: Correction): boolean {
  if (!isStyleFixed && address.pathStyle && HOST_STYLE_ONLY.has(nameOf(error))) {
    address.pathStyle = false;
    return true;
  }
  const region = headerOf(error, 'x-amz-bucket-region') ?? fieldOf(error, 'Region');
  if (region === null || region === address.region || !ELSEWHERE.has(statusOf(error))) return false;
  address.region = region;
  return true;
}

/**
 * Repeats requests that the server refuses because the bucket is in another region, or must be part of the host. Later
 * requests use the corrected address.
 */
export function correctAddress(
  sdk: { readonly ListObjectsV2Command: typeof import('@aws-sdk/client-s3').ListObjectsV2Command },
  client: S3Client,
  correction: Correction,
): void {
  const { address, bucket } = correction;
  /** True once the server has accepted a request, so that the address is correct. */
  let isKnown = false;
  /** Requests a refusal with a body. Returns true if the address has changed. */
  async function ask(): Promise<boolean> {
    const { region, pathStyle } = address;
    await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 })).catch(() => undefined);
    return address.region !== region || address.pathStyle !== pathStyle;
  }
  /** Returns true if the same request may succeed now. */
  async function isWorthAnother(error: unknown, used: Address, isHead: boolean): Promise<boolean> {
    // Another request may have learned it in the meantime.
    if (used.region !== address.region || used.pathStyle !== address.pathStyle) return true;
    return learn(error, correction) || (isHead && !isKnown && DOUBTFUL.has(statusOf(error)) && (await ask()));
  }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const isHead = context.commandName?.startsWith('Head') === true;
      for (let corrections = 0; ; corrections++) {
        const used = { ...address };
        client.config.forcePathStyle = used.pathStyle;
        try {
          const answer = await next(args);
          isKnown = true;
          return answer;
        } catch (error) {
          if (corrections === MAX_CORRECTIONS || !(await isWorthAnother(error, used, isHead))) throw error;
        }
      }
    },
    { step: 'initialize', name: 'correctAddress', priority: 'high' },
  );
}
