import { formatOf, noisyPng } from '@baobab/contracts/images';

const SIDES = [48, 32] as const;

/** A stored file or asset, with the path of its bytes. */
interface Stored {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface FileLoadOptions {
  /** Address for uploads. */
  readonly address: string;
  readonly appCode: string;
  /** Session token of the owner of the files. */
  readonly token: string;
  /** Session token of the publisher of assets. */
  readonly admin: string;
}

/** Creates calls that upload images as files and assets, download and resize them. Each call resolves to its status. */
export function createFileLoad({ address, appCode, token, admin }: FileLoadOptions) {
  const stored: Stored[] = [];
  const headersOf = (session: string) => ({ 'x-service-appcode': appCode, 'x-bb-session': session });
  const pick = (n: number) => stored[n % stored.length] as Stored;

  async function send(path: string, session: string, name: string | null, to: string): Promise<Response> {
    const bytes = noisyPng(...SIDES);
    const form = new FormData();
    if (name !== null) form.set('name', name);
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'grain.png');
    const response = await fetch(to + path, { method: 'POST', headers: headersOf(session), body: form });
    const { data } = (await response.json()) as { data?: { id: string } };
    if (response.ok) stored.push({ path: name === null ? `/file/${data?.id}` : `/asset/${name}`, bytes });
    return response;
  }

  async function read({ path, bytes }: Stored, from = address): Promise<number> {
    const response = await fetch(from + path, { headers: headersOf(token) });
    const came = Buffer.from(await response.arrayBuffer());
    if (response.ok && !came.equals(bytes)) throw new Error(`the bytes of ${path} differ from those sent`);
    return response.status;
  }

  return {
    stored: stored as readonly Stored[],
    upload: async (to = address) => (await send('/file', token, null, to)).status,
    publish: async (n: number) => (await send('/admin/asset', admin, `picture-${n}`, address)).status,
    download: (n: number) => read(pick(n)),
    async resize(n: number): Promise<number> {
      const { path } = pick(n);
      const resized = path.startsWith('/asset/') ? '/resize/50' : '?resize=50%25';
      const response = await fetch(`${address}${path}${resized}`, { headers: headersOf(token) });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isHalf = formatOf(bytes) === 'png' && bytes.readUInt32BE(16) === SIDES[0] / 2;
      if (response.ok && !isHalf) throw new Error(`${path} was not resized`);
      return response.status;
    },
    /** Reads all stored files directly from a node. */
    async readAll(from: string): Promise<number[]> {
      const statuses: number[] = [];
      for (const one of stored) statuses.push(await read(one, from));
      return statuses;
    },
  };
}
