import { Container } from 'inversify';
import { expect, it } from 'vitest';
import { bindAll } from '../../packages/server/src/composition/bind.ts';

interface Made {
  readonly greeting: { readonly text: string };
  readonly name: { readonly text: string };
}

it('makes each dependency once, when a factory first takes it', () => {
  const made: string[] = [];
  const container = new Container();
  const module = bindAll<Made, Made>(
    {
      greeting({ name }) {
        made.push('greeting');
        return { text: `Hello ${name.text}` };
      },
      name() {
        made.push('name');
        return { text: 'Ada' };
      },
    },
    {},
  );
  container.load(module);
  expect(made).toEqual([]);
  expect(container.get<Made['greeting']>('greeting').text).toBe('Hello Ada');
  expect(container.get('name')).toBe(container.get('name'));
  expect(made).toEqual(['name', 'greeting']);
});

it('closes what was made, and makes nothing in order to close it', async () => {
  const closed: string[] = [];
  const container = new Container();
  const close = ({ text }: { readonly text: string }) => void closed.push(text);
  container.load(
    bindAll<Made, Made>(
      { greeting: () => ({ text: 'Hello' }), name: () => ({ text: 'Ada' }) },
      { greeting: close, name: close },
    ),
  );
  container.get('name');
  await container.unbindAllAsync();
  expect(closed).toEqual(['Ada']);
});

it('rejects a factory that spreads its dependencies', () => {
  const container = new Container();
  container.load(
    bindAll<Made, Made>({ greeting: (needed) => ({ ...needed }).name, name: () => ({ text: 'Ada' }) }, {}),
  );
  expect(() => container.get('greeting')).toThrow('does not spread');
});
