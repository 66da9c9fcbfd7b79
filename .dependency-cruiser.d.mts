import type { IFlattenedRuleSet, ICruiseOptions } from 'dependency-cruiser';
declare const law: { forbidden: IFlattenedRuleSet['forbidden']; options: ICruiseOptions };
export default law;
export const chapters: readonly string[];
export const runner: readonly string[];
export const mocks: { readonly shared: readonly string[]; readonly kinds: readonly string[] };
