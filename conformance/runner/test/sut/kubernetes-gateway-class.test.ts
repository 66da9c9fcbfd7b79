import { expect, test } from 'vitest';
import type { ApiResponse, KubernetesClient } from '../../sut/kubernetes/client.ts';
import { inGatewayClass, readGatewayClass } from '../../sut/kubernetes/gateway-class.ts';

const never = async (): Promise<ApiResponse> => Promise.reject(new Error('not asked'));

const gateway = (gatewayClassName: string): object => ({ kind: 'Gateway', spec: { gatewayClassName, listeners: [] } });

function serverThatSays(answer: ApiResponse): KubernetesClient {
  return {
    get: never,
    apply: never,
    merge: never,
    dryRun: never,
    remove: never,
    read: async () => answer,
    labelled: async () => [],
  };
}

test('a class that is not there is told at once', async () => {
  await expect(readGatewayClass(serverThatSays({ status: 404, body: {} }), 'mine')).rejects.toThrow(
    'run.gatewayClass: the API server has no GatewayClass mine',
  );
});

test('the controller is that of the class, where it may be read', async () => {
  const body = { spec: { controllerName: 'example.net/mine' } };
  expect(await readGatewayClass(serverThatSays({ status: 200, body }), 'mine')).toEqual({
    gatewayClass: 'mine',
    controllerName: 'example.net/mine',
  });
  expect(await readGatewayClass(serverThatSays({ status: 403, body: {} }), 'mine')).toEqual({ gatewayClass: 'mine' });
});

test('a Gateway of the implementation gets its class, one with a class of the case keeps it, and that class gets the controller', () => {
  const names = { gatewayClass: 'mine', controllerName: 'example.net/mine' };
  expect(inGatewayClass({ ...gateway('proxy') }, names)).toEqual(gateway('mine'));
  expect(inGatewayClass({ ...gateway('c-1') }, names)).toEqual(gateway('c-1'));
  const ofCase = { kind: 'GatewayClass', spec: { controllerName: 'proxy.example/controller' } };
  expect(inGatewayClass(ofCase, names)).toEqual({ kind: 'GatewayClass', spec: { controllerName: 'example.net/mine' } });
  expect(inGatewayClass(ofCase, {})).toBe(ofCase);
});
