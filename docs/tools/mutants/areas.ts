/** The areas of the reference that decide what the documents are about, and where they stand. */
export const AREAS = {
  merge: ['attachment/policies/*.ts'],
  match: ['attachment/routes/*.ts'],
  limits: ['policies/traffic/rate-limit/*.ts', 'policies/traffic/buffer.ts', 'policies/traffic/delay.ts'],
  trace: ['trace/*.ts'],
  admission: ['admission/**/*.ts'],
  guards: ['backends/ai/guards/**/*.ts', 'backends/mcp/guards/*.ts'],
  traffic: [
    'policies/*.ts',
    'policies/traffic/{direct-response,header-modifiers,request-redirect,retry,transformation,url-rewrite}.ts',
    'pipeline/{attempts,balancing,mirrors,retries}.ts',
  ],
  access: [
    'policies/traffic/{authorization,cors,csrf}.ts',
    'policies/traffic/{api-key,basic,jwt}-authentication/*.ts',
    'credentials/{passwords,key-sets}/*.ts',
  ],
  external: ['policies/traffic/ext-{auth,proc}/*.ts'],
  credentials: ['credentials/*.ts', 'credentials/{oauth,cloud-a,cloud-b,cloud-c}/*.ts', 'policies/backend/auth.ts'],
  upstream: ['policies/backend/{health,transformation}.ts', 'upstream/**/*.ts', 'backends/*.ts'],
  models: ['backends/ai/*.ts', 'backends/ai/{providers,policy,models,call}/**/*.ts'],
  formats: ['backends/ai/{formats,translate,streams,realtime}/**/*.ts'],
  tools: [
    'backends/mcp/*.ts',
    'backends/mcp/{clients,transports,per-request}/*.ts',
    'policies/traffic/jwt-authentication/mcp/*.ts',
  ],
  agents: ['backends/a2a/*.ts'],
  expressions: ['cel/*.ts'],
  telemetry: ['telemetry/**/*.ts'],
  frontend: ['server/*.ts'],
} as const satisfies Record<string, readonly string[]>;

/** Where the paths of the areas begin, relative to the package. */
export const AREAS_FOLDER = 'reference-impl';

export type Area = keyof typeof AREAS;
