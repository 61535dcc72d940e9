import { expect, it } from 'vitest';
import { createBodies } from '../../packages/http/src/callers/memory.ts';

const MIB = 2 ** 20;

it('the bodies of users have three quarters of the given memory, and one user a quarter of that', () => {
  const bodies = createBodies(MIB, 8 * MIB);
  const hold = (id: string, bytes: number) => bodies.hold({ actor: { user: { id } }, held: null } as never, bytes);
  const busy = expect.objectContaining({ code: 'service.bodies_busy' });
  hold('mara', 1.5 * MIB);
  expect(() => hold('mara', 1)).toThrow(busy);
  for (const id of ['nils', 'olga', 'pete']) hold(id, 1.5 * MIB);
  expect(bodies.bytes).toBe(6 * MIB);
  expect(() => hold('rosa', 1)).toThrow(busy);
});
