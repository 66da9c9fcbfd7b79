/** An agent runtime of cloud A. */
export interface AgentRuntime {
  readonly arn: string;
  /** An alias or version of it; the usual one when absent (CLOUDA-002). */
  readonly qualifier: string | undefined;
  readonly region: string;
  /** Where its region answers. */
  readonly host: string;
  /** What requests to it are signed for (BAUTH-023). */
  readonly service: string;
}

/** CLOUDA-001, CLOUDA-003: the runtime of that name; undefined for a name without a region. docs/decisions/cloud-credentials.md */
export function agentRuntime(arn: string, qualifier: string | undefined): AgentRuntime | undefined {
  const [, partition, region] = /^arn:([\w-]+):[\w-]*:([a-z0-9-]+):/.exec(arn) ?? [];
  if (region === undefined) return undefined;
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { arn, qualifier, region, host: `bedrock-agentcore.${region}.${suffix}`, service: 'bedrock-agentcore' };
}
