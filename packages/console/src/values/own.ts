/** Returns a member of an object; undefined for a name that the object only inherits, such as `constructor`. */
export const ownOf = <V>(object: Readonly<Record<string, V>>, name: string): V | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
