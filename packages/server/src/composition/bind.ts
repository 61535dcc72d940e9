import { ContainerModule } from 'inversify';

/** Factories of `Made`. Each receives an object from which it takes its dependencies by name. */
export type Factories<Made, Needed> = { readonly [Name in keyof Made]: (needed: Needed) => Made[Name] };

/** Functions that close the results of factories, where necessary. */
export type Closers<Made> = { readonly [Name in keyof Made]?: (made: Made[Name]) => Promise<void> | void };

/** Returns an object that resolves each property with `get` when it is read. */
function resolving<Needed extends object>(get: (name: string) => unknown): Needed {
  return new Proxy({} as Needed, {
    get: (_target, name) => (typeof name === 'string' ? get(name) : undefined),
    // A copy would be empty.
    ownKeys: () => {
      throw new TypeError('a factory names each of its dependencies and does not spread them');
    },
  });
}

/** Creates a module that binds each factory to its name. Each is called once, when its result is first needed. */
export function bindAll<Made extends object, Needed extends object>(
  factories: Factories<Made, Needed>,
  closers: Closers<Made>,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    for (const name of Object.keys(factories) as (keyof Made & string)[]) {
      const binding = bind<Made[typeof name]>(name)
        .toDynamicValue(({ get }) =>
          // Optional, because a factory may accept a dependency that only other callers pass. The types require all
          // others.
          factories[name](resolving<Needed>((needed) => get(needed, { optional: true }))),
        )
        .inSingletonScope();
      const close = closers[name];
      if (close !== undefined) binding.onDeactivation(close);
    }
  });
}
