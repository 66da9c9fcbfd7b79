import type { UpstreamFormatName } from '../formats/format.ts';
import { modelSegment } from '../model-name.ts';
import { SUFFIXES } from './suffixes.ts';

/** Where cloud B serves a format: the versions without a date have one path for all models (PROV-020, PROV-023). */
export function cloudBPath(format: UpstreamFormatName, apiVersion = 'v1', deployment: string): string {
  if (apiVersion === 'v1') return `/openai/v1${SUFFIXES[format]}`;
  if (apiVersion === 'preview') return `/openai/v1${SUFFIXES[format]}?api-version=preview`;
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  if (format === 'responses') return `/openai/responses?${version}`;
  return `/openai/deployments/${modelSegment(deployment)}${SUFFIXES[format]}?${version}`;
}
