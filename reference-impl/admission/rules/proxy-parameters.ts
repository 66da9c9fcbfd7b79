import type { ProxyParameters } from '../../resources/proxy-parameters.ts';
import { present, row, type Rule } from './row.ts';

const isDaemonSet = (parameters: ProxyParameters): boolean => parameters.spec.workload?.kind === 'DaemonSet';

export const proxyParametersRules: readonly Rule<ProxyParameters>[] = [
  row(
    '',
    ({ spec }) => present(['spec', 'shutdown'], spec.shutdown),
    ({ min, max }) => min <= max,
    'min must not be greater than max',
  ),
  row(
    '',
    ({ spec }) => present(['spec', 'deployment'], spec.deployment),
    (_, parameters) => !isDaemonSet(parameters),
    'a deployment overlay has no workload when workload.kind is DaemonSet',
  ),
  row(
    '',
    ({ spec }) => present(['spec', 'daemonSet'], spec.daemonSet),
    (_, parameters) => isDaemonSet(parameters),
    'a daemonSet overlay needs workload.kind DaemonSet',
  ),
  row(
    '',
    ({ spec }) => present(['spec', 'horizontalPodAutoscaler'], spec.horizontalPodAutoscaler),
    (_, parameters) => !isDaemonSet(parameters),
    'an autoscaler needs workload.kind Deployment',
  ),
];
