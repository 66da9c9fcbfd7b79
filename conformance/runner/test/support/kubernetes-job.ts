// The parts of Kubernetes' own kinds that examples/ci uses, as the API server reads them: a member it does not know, or one that does not go with
// the others, is a mistake.
import { z } from 'zod';

const metadata = z.strictObject({ name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/) });
const quantity = z.string().regex(/^\d+(\.\d+)?(m|[KMGT]i?)?$/);
const resources = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });

const variable = z
  .strictObject({
    name: z.string().regex(/^[A-Z_]+$/),
    value: z.string().optional(),
    valueFrom: z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.literal('status.podIP') }) }).optional(),
  })
  .refine(({ value, valueFrom }) => (value === undefined) !== (valueFrom === undefined), 'value or valueFrom');

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  env: z.array(variable),
  command: z.array(z.string()),
  args: z.array(z.string()),
  resources: z.strictObject({ requests: resources, limits: resources }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.boolean(),
    capabilities: z.strictObject({ drop: z.array(z.string()) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/') })),
});

const rule = z.union([
  z.strictObject({
    action: z.literal('Ignore'),
    onPodConditions: z.array(
      z.strictObject({ type: z.literal('DisruptionTarget'), status: z.enum(['True', 'False']) }),
    ),
  }),
  z.strictObject({
    action: z.enum(['FailJob', 'FailIndex']),
    onExitCodes: z.strictObject({
      containerName: z.string(),
      operator: z.enum(['In', 'NotIn']),
      // In order, each once, and never 0 with In.
      values: z.array(z.int().min(1).max(255)).min(1),
    }),
  }),
]);

/** A Job of `batch/v1`. */
export const jobSchema = z
  .strictObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata,
    spec: z.strictObject({
      completionMode: z.enum(['Indexed', 'NonIndexed']).optional(),
      completions: z.int().min(1).optional(),
      parallelism: z.int().min(1).optional(),
      backoffLimit: z.int().min(0).optional(),
      backoffLimitPerIndex: z.int().min(0).optional(),
      podFailurePolicy: z.strictObject({ rules: z.array(rule) }),
      template: z.strictObject({
        spec: z.strictObject({
          restartPolicy: z.literal('Never'),
          automountServiceAccountToken: z.boolean(),
          securityContext: z.strictObject({
            runAsNonRoot: z.boolean(),
            runAsUser: z.int().min(1),
            runAsGroup: z.int().min(1),
            fsGroup: z.int().min(1),
          }),
          containers: z.array(container).length(1),
          volumes: z.array(
            z.strictObject({ name: z.string(), persistentVolumeClaim: z.strictObject({ claimName: z.string() }) }),
          ),
        }),
      }),
    }),
  })
  .superRefine(({ spec }, context) => {
    const wrong = [
      spec.backoffLimitPerIndex !== undefined && spec.completionMode !== 'Indexed' && 'only an Indexed Job has indexes',
      spec.completionMode === 'Indexed' && spec.completions === undefined && 'an Indexed Job needs completions',
      spec.backoffLimitPerIndex === undefined &&
        spec.podFailurePolicy.rules.some(({ action }) => action === 'FailIndex') &&
        'FailIndex goes with backoffLimitPerIndex',
      ...spec.template.spec.containers.flatMap(({ name, volumeMounts }) => [
        ...volumeMounts.map(
          (mount) =>
            !spec.template.spec.volumes.some((volume) => volume.name === mount.name) && `no volume ${mount.name}`,
        ),
        ...spec.podFailurePolicy.rules.map(
          (one) => 'onExitCodes' in one && one.onExitCodes.containerName !== name && `no container of this name`,
        ),
      ]),
    ];
    for (const message of wrong) if (message !== false) context.addIssue({ code: 'custom', message });
  });
export type Job = z.infer<typeof jobSchema>;

/** A PersistentVolumeClaim of `v1`. */
export const volumeClaimSchema = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('PersistentVolumeClaim'),
  metadata,
  spec: z.strictObject({
    accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])),
    resources: z.strictObject({ requests: z.strictObject({ storage: quantity }) }),
  }),
});
