import { z } from 'zod';
import { parseDuration } from './duration.ts';

// The shape of implementation.yaml. What `meta` says is what editors show: `schemas/implementation.schema.json` is generated from it.

const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, 'expected a duration such as 250ms or 10s');
const yesNo = z.union([z.boolean(), z.enum(['yes', 'no']).transform((word) => word === 'yes')]);
const words = z.array(z.union([z.string(), z.number()]).transform(String)).min(1);
const url = z.string().regex(/^http:\/\/[^/]+\/?$/, 'expected http://HOST:PORT');

const PLACES =
  '{{dir}} is a folder of the run, {{manifest}} that of this file, {{port.data}}, {{port.admin}} and {{port.stats}} are free ports';

const PLATFORM =
  '{{platform}} is HOST:PORT of a stand-in for the platforms of the clouds: instance metadata, token services, managed identities. {{platformToken}} is a file with a token by which an orchestrator vouches for the program.';

const reload = z
  .union([
    z.enum(['watch', 'restart']),
    z.strictObject({
      signal: z
        .string()
        .regex(/^[A-Z0-9]+$/)
        .meta({ description: 'Signal without SIG that makes the program read its configuration.', examples: ['HUP'] }),
    }),
    z.strictObject({
      http: z
        .string()
        .regex(/^(PUT|POST) \/\S*$/, 'expected a method and a path such as "PUT /config"')
        .meta({
          description: 'Method and path at the admin endpoint that take the whole configuration as the body.',
          examples: ['PUT /config'],
        }),
    }),
  ])
  .default('watch')
  .meta({
    description:
      'How a changed configuration is made known: it is watched, the program is restarted, gets a signal, or gets it by HTTP.',
    examples: ['watch', { signal: 'HUP' }],
  });

/** An API server that takes the resources, by URL or by a context of a kubeconfig file. */
const cluster = {
  server: z
    .string()
    .optional()
    .meta({ description: 'URL of the API server.', examples: ['http://127.0.0.1:{{port.admin}}'] }),
  kubeconfig: z
    .string()
    .optional()
    .meta({
      description: 'kubeconfig file that names the API server, relative to this file.',
      examples: ['./kubeconfig'],
    }),
  context: z
    .string()
    .optional()
    .meta({ description: 'Context of the kubeconfig; its current one when absent.', examples: ['kind-a'] }),
  namespacePrefix: z
    .string()
    .regex(/^[a-z0-9-]{0,32}$/, 'expected lower-case letters, digits and dashes')
    .default('')
    .meta({ description: 'Put before every namespace of the suite.', examples: ['conf-'] }),
  gatewayClass: z
    .string()
    .optional()
    .meta({
      description:
        'Takes the place of the class that Gateways of the cases name. With run.kind kubernetes it has to be there.',
      examples: ['myproxy'],
    }),
} as const;

const written = {
  path: z
    .string()
    .optional()
    .meta({
      description: `Where the configuration is written. ${PLACES}.`,
      examples: ['{{dir}}', '{{dir}}/config.yaml'],
    }),
  reload,
} as const;
const DELIVERIES = ['directory', 'file', 'adapter'] as const;
const HOW_DELIVERED =
  'How resources reach the implementation: a file per case, one file with all of them, or the command apply of the adapter';
const config = z
  .strictObject({
    deliver: z
      .enum([...DELIVERIES, 'kubernetes'])
      .default('directory')
      .meta({ description: `${HOW_DELIVERED}, or an API server that the program offers.` }),
    ...written,
    ...cluster,
  })
  .prefault({})
  .meta({ description: 'How the implementation gets its configuration.' });
// A cluster that runs already is reached by run.kind kubernetes.
const urlConfig = z
  .strictObject({
    deliver: z
      .enum(DELIVERIES)
      .default('directory')
      .meta({ description: `${HOW_DELIVERED}.` }),
    ...written,
  })
  .prefault({})
  .meta({ description: 'How the implementation gets its configuration.' });

const ready = z
  .strictObject({
    canary: yesNo.default(true).meta({
      description:
        'A route of the suite tells which revision answers. With no a configuration is live once it is handed over.',
    }),
    inARow: z
      .int()
      .min(1)
      .max(100)
      .default(3)
      .meta({ description: 'So many answers of the new revision, one after the other, make it live.' }),
    settle: duration.default('0ms').meta({
      description:
        'And over at least this time; for an implementation whose old workers answer for a while beside the new ones.',
      examples: ['250ms'],
    }),
    http: z
      .string()
      .regex(/^GET \/\S*$/, 'expected "GET /path"')
      .optional()
      .meta({
        description:
          'Of a program that the suite starts: its data port answers this with 200 before it gets a configuration. Elsewhere without effect.',
        examples: ['GET /healthz'],
      }),
    line: z
      .string()
      .optional()
      .meta({
        description:
          'Of a program that the suite starts: it prints a line like this before it gets a configuration. Elsewhere without effect.',
        examples: ['^listening'],
      }),
    within: duration
      .default('10s')
      .meta({ description: 'How long a configuration may take to be live.', examples: ['20s'] }),
  })
  .prefault({})
  .meta({ description: 'When a configuration counts as live.' });

const stop = z
  .strictObject({
    signal: z
      .string()
      .default('TERM')
      .meta({ description: 'Signal without SIG that ends the program.', examples: ['TERM', 'QUIT'] }),
    within: duration.default('5s').meta({ description: 'How long it may take to end; then it is killed.' }),
  })
  .prefault({})
  .meta({ description: 'How the program is stopped.' });

const requires = z
  .array(z.string().regex(/^[\w.+-]+$/, 'expected the name of a program'))
  .optional()
  .meta({
    description: 'Programs without which nothing can be started here: every case is then skipped, with that reason.',
    examples: [['python3', 'nginx']],
  });

const log = z
  .string()
  .optional()
  .meta({
    description:
      'File into which the implementation writes its log; failures quote it. Otherwise its output is quoted.',
    examples: ['{{dir}}/proxy.log'],
  });

const run = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('process').meta({ description: 'The suite starts a program.' }),
        command: words.meta({
          description: `The program and its arguments, run in the folder of this file. ${PLACES}.`,
          examples: [['./myproxy', '--config', '{{dir}}', '--admin', '{{port.admin}}']],
        }),
        config,
        ready,
        stop,
        requires,
        log,
        env: z
          .record(z.string(), z.string())
          .optional()
          .meta({
            description: `Variables of its environment, beside those of the suite. ${PLATFORM}`,
            examples: [{ LOG_LEVEL: 'debug' }],
          }),
      })
      .meta({ description: 'A program that the suite starts, restarts and stops.' }),
    z
      .strictObject({
        kind: z.literal('container').meta({
          description: 'The suite starts a container on the network of this machine; needs the package testcontainers.',
        }),
        image: z
          .string()
          .min(1)
          .meta({ description: 'Its image, pulled if it is not here.', examples: ['example/myproxy:2.3.1'] }),
        command: words.optional().meta({
          description: `The command and its arguments; that of the image when absent. ${PLACES}.`,
          examples: [['--config', '{{dir}}', '--admin', '{{port.admin}}']],
        }),
        mounts: z
          .array(z.string().regex(/^[^:]+:\/[^:]*(:ro|:rw)?$/, 'expected HOST:/CONTAINER or HOST:/CONTAINER:ro'))
          .default([])
          .meta({
            description:
              'Files and folders of this machine inside of it, relative to this file. The folder of the run, {{dir}}, is there without saying so.',
            examples: [['./certificates:/etc/myproxy:ro']],
          }),
        user: z
          .string()
          .optional()
          .meta({
            description:
              'USER or USER:GROUP that it runs as; the one who runs the suite, who can read {{dir}}, when absent.',
            examples: ['1000:1000'],
          }),
        config,
        ready,
        stop,
        requires,
        log,
        env: z
          .record(z.string(), z.string())
          .optional()
          .meta({ description: `Variables of its environment. ${PLATFORM}`, examples: [{ LOG_LEVEL: 'debug' }] }),
      })
      .meta({ description: 'A container that the suite starts, restarts and removes.' }),
    z
      .strictObject({
        kind: z.literal('url').meta({ description: 'It runs already, where endpoints say.' }),
        config: urlConfig,
        ready,
        requires,
        log,
      })
      .meta({ description: 'An implementation that runs already, such as one under a debugger.' }),
    z
      .strictObject({
        kind: z.literal('adapter').meta({ description: 'The adapter starts it and takes its configuration.' }),
        ready,
        stop,
        requires,
        log,
      })
      .meta({ description: 'An implementation that the adapter starts, configures and stops.' }),
    z
      .strictObject({
        kind: z.literal('kubernetes').meta({ description: 'It runs in a cluster and reads its configuration there.' }),
        ready,
        requires,
        log,
        ...cluster,
      })
      .meta({ description: 'An implementation that runs in a cluster already.' }),
    z
      .strictObject({
        kind: z.literal('admission').meta({
          description: 'Only whether resources are accepted is asked; there is no data plane and nothing is delivered.',
        }),
        ready: z
          .strictObject({
            within: duration.default('10s').meta({ description: 'How long the API server may take to answer.' }),
          })
          .prefault({})
          .meta({ description: 'When it can be asked.' }),
        requires,
        log,
        ...cluster,
      })
      .meta({ description: 'Somebody who says what is accepted: an API server, by dry run, or the adapter.' }),
  ])
  .meta({ description: 'How the implementation is started or reached.' });

const peers = z
  .strictObject({
    address: z
      .ipv4()
      .optional()
      .meta({
        description:
          'Address of this machine that they listen on and that resources name: loopback, or for run.kind kubernetes and admission that of the machine or the Pod.',
        examples: ['192.0.2.10'],
      }),
    name: z
      .string()
      .optional()
      .meta({
        description:
          'DNS name that leads the implementation to this address; localhost for 127.0.0.1. Cases that need one are unsupported without.',
        examples: ['peers.example'],
      }),
    platform: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .meta({
        description:
          'Port of this address at which the stand-in for the platforms of the clouds answers while the suite runs, where the suite does not start the implementation: whoever does tells it. Features that need {{platform}} count as not declared without.',
        examples: [18_999],
      }),
  })
  .prefault({})
  .meta({ description: 'Where the peers of the cases are, as the implementation reaches them.' });

/** Who is tested, as manifests and reports say it. */
export const implementationSchema = z.strictObject({
  name: z.string().meta({ description: 'Its name, as reports print it.', examples: ['myproxy'] }),
  version: z
    .string()
    .optional()
    .meta({ description: 'The version that is tested.', examples: ['2.3.1'] }),
  vendor: z
    .string()
    .optional()
    .meta({ description: 'Who makes it.', examples: ['Acme'] }),
  language: z
    .string()
    .optional()
    .meta({ description: 'What it is written in.', examples: ['rust'] }),
  url: z
    .string()
    .optional()
    .meta({ description: 'Where to read about it.', examples: ['https://example.test/myproxy'] }),
  contact: z
    .string()
    .optional()
    .meta({ description: 'Whom to ask about a published result.', examples: ['conformance@example.test'] }),
});

/** An implementation.yaml, with its defaults filled in. */
export const manifestSchema = z.strictObject({
  contract: z.literal(1).meta({ description: 'Version of the contract between implementation and suite.' }),
  implementation: implementationSchema.meta({ description: 'Who is tested.' }),
  dialect: z
    .string()
    .default('canonical')
    .meta({
      description:
        'File that says which other names the implementation has for groups, kinds, members and values; canonical for none.',
      examples: ['dialect.yaml'],
    }),
  run,
  peers,
  gateways: z
    .enum(['shared', 'addressed'])
    .default('shared')
    .meta({
      description:
        'Where requests of a case go: shared, to the one data endpoint that serves every Gateway, or addressed, to the address in the status of its own Gateway.',
      examples: ['addressed'],
    }),
  endpoints: z
    .strictObject({
      data: url.meta({ description: 'Where requests go.', examples: ['http://127.0.0.1:{{port.data}}'] }),
      admin: url.optional().meta({
        description: 'The admin listener, for traces and for a reload by HTTP.',
        examples: ['http://127.0.0.1:{{port.admin}}'],
      }),
      metrics: z
        .string()
        .regex(/^http:\/\/[^/]+\/\S*$/, 'expected http://HOST:PORT/PATH')
        .optional()
        .meta({
          description: 'Where metrics are read, in the Prometheus text format.',
          examples: ['http://127.0.0.1:{{port.stats}}/metrics'],
        }),
    })
    .optional()
    .meta({
      description:
        'Where the implementation listens; run.kind url and kubernetes need it, unless gateways are addressed. Of those only the port of data counts.',
    }),
  adapter: words.optional().meta({
    description: 'A program that speaks the adapter protocol, and its arguments, run in the folder of this file.',
    examples: [['python3', 'adapter.py']],
  }),
  features: z
    .record(z.string(), yesNo)
    .default({})
    .meta({
      description: 'What the implementation can do. A case that needs what is not declared is unsupported.',
      examples: [{ 'core.http': 'yes', 'backend.ai': 'no' }],
    }),
  unspecified: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({
      description:
        'Its answers to open points of the documents (docs/spec/open-points.yaml); what it answers is then checked.',
      examples: [{ 'U-001': 'POST', 'U-038.expired': 401 }],
    }),
  tune: z
    .strictObject({
      batch: z
        .int()
        .min(1)
        .max(64)
        .default(64)
        .meta({
          description:
            'Cases whose configuration is handed over at a time. As many and twice tune.parallel may have resources at the same moment.',
          examples: [8],
        }),
      instances: z
        .int()
        .min(1)
        .max(64)
        .optional()
        .meta({
          description:
            'How many of it may run at the same time. Unless said: several, if it is started by the suite and nothing in the manifest would be shared by two.',
          examples: [1],
        }),
      parallel: z
        .int()
        .min(1)
        .max(256)
        .optional()
        .meta({ description: 'Cases at the same time; what fits the machine when absent.', examples: [4] }),
      timeScale: z
        .number()
        .positive()
        .default(1)
        .meta({ description: 'Factor for every limit of a step.', examples: [2] }),
      timeout: duration
        .default('2s')
        .meta({ description: 'Limit of a step that has none of its own.', examples: ['5s'] }),
    })
    .prefault({})
    .meta({ description: 'What the suite may ask of it at a time.' }),
  known: z
    .string()
    .optional()
    .meta({ description: 'List of known failures, relative to this file.', examples: ['known-failures.yaml'] }),
  cli: z
    .strictObject({
      trace: words.meta({
        description: 'The command that starts its trace client; cases add their arguments.',
        examples: [['./myproxy', 'proxy', 'trace', '--proxy-admin-port', '{{port.admin}}']],
      }),
    })
    .optional()
    .meta({ description: 'Commands of the implementation that cases run.' }),
});
