/** Creates a generator of unique type names. */
export function createNames(taken: readonly string[]) {
  const used = new Set(taken);

  /** `my-notes` becomes `MyNotes`; text without letters and digits becomes `Type`. */
  const pascal = (text: string) =>
    text
      .split(/[^A-Za-z0-9]+/)
      .filter((word) => word !== '')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('');

  return (text: string): string => {
    const wanted = pascal(text);
    const base = /^[A-Za-z]/.test(wanted) ? wanted : `Type${wanted}`;
    let name = base;
    for (let n = 2; used.has(name); n++) name = `${base}${n}`;
    used.add(name);
    return name;
  };
}
