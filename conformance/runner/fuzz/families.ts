import { admission } from './admission.ts';
import { expressions } from './expressions.ts';
import { merge } from './merge.ts';
import { requests } from './requests.ts';
import type { Family, Property } from './property.ts';
import { streams } from './streams.ts';

/** Who draws, by the model that the examples are held against. */
export const FAMILIES: Readonly<Record<Property['check'][0]['model'], Family>> = {
  merge,
  admission,
  expressions,
  requests,
  streams,
};
