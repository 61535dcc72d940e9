import { createAdminClient } from '@baobab/client/admin';
import { describe, expect, it } from 'vitest';

/** As `baobab types` writes them. */
type Milk = {
  title: string;
  litres?: number;
  state: 'fresh' | 'sour';
  done?: boolean;
  tags?: string[];
  by: {
    name: string;
    places?: { city: string }[];
  };
};
interface App {
  collections: {
    milk: Milk;
    things: { [name: string]: unknown };
  };
}

const root = createAdminClient<App>({ url: 'http://localhost', appCode: 'x', keepAlive: 0 });

// The compiler checks the function below. `@ts-expect-error` fails where nothing is wrong.
describe('the types of the client', () => {
  it('check the fields in rules', () => {
    const never = async () => {
      const { collections } = root.admin;
      await collections.setRules('milk', {
        read: ['anonymous', { role: 'anonymous', if: "done = true and (litres > 1 or title like 'a b%')" }],
        update: [{ role: 'registereduser', if: "caller.name in [by.name, _author] and not tags contains 'x y'" }],
        create: [
          { role: 'registereduser', if: 'by.places contains (city = 1) and tags.size() < 3 and litres IS NULL' },
        ],
        check: { update: "not changed(by.name) or (old.state = 'fresh' and caller.name in [old.title, parent.x])" },
        parent: 'by.name',
        messages: { update: 'No litters' },
      });
      await collections.setRules('milk', {
        parent: { field: 'title', read: 'read' },
        check: { create: 'new.tags[0] = 1' },
      });
      await collections.setRules('things', { read: [{ role: 'anonymous', if: 'anything = 1' }], parent: 'board' });
      const dynamic: string = 'x';
      await collections.ruleViolations('milk', { check: { update: dynamic } });
      // @ts-expect-error there is no such collection
      await collections.setRules('milks', {});
      // @ts-expect-error no such field
      await collections.setRules('milk', { read: [{ role: 'anonymous', if: 'litters > 1' }] });
      // @ts-expect-error no such field, in parentheses
      await collections.setRules('milk', { read: [{ role: 'anonymous', if: 'litres>1 and (by.nome=1)' }] });
      // @ts-expect-error no such field
      await collections.setRules('milk', { check: { update: 'new.litters = 1' } });
      // @ts-expect-error no such field
      await collections.setRules('milk', { check: { update: 'new.litres = 1 or not changed(litters)' } });
      // @ts-expect-error no such field, in a list
      await collections.ruleViolations('milk', { check: { update: 'caller.name in [parent._author, old.assignee]' } });
      // @ts-expect-error no such field
      await collections.setRules('milk', { parent: 'board' });
      // @ts-expect-error no such field
      await collections.setRules('milk', { parent: { field: 'by.nome' } });
      // @ts-expect-error no such member
      await collections.setRules('milk', { checks: {} });
    };
    expect(never).toBeTypeOf('function');
  });
});
