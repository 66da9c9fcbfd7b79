#!/bin/sh
# run.sh shared|addressed PATTERN...: runs cases on Envoy Gateway behind a real API server, all of it in a network namespace of its own.
# Takes root, Linux, kubectl, and a folder PROGRAMS with etcd, kube-apiserver, kube-controller-manager, envoy-gateway and envoy; SOURCES is the source of
# Envoy Gateway, for its definitions. README.md beside this file says how they are built and what happens here.
set -eu
script=$(realpath "$0")
[ "${1:-}" = --inside ] || exec unshare --net --mount "$script" --inside "$@"
shift
way=$1
shift
cd "$(dirname "$script")"
. ../lib/api-server.sh
# The node ends the Envoys that it started.
tidy() {
  [ ! -f "$dir/node.pid" ] || kill "$(cat "$dir/node.pid")" 2>/dev/null || true
  umount -l /certs 2>/dev/null && rmdir /certs || true
}

ip link set lo up
ip link add pods type bridge
ip addr add 198.51.100.1/24 dev pods
ip link set pods up

export KUBECONFIG="$dir/kubeconfig"
start_api_server "$PROGRAMS" 198.51.100.1 ServiceAccount,TaintNodesByCondition
start manager "$PROGRAMS/kube-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false --bind-address 127.0.0.1 \
  --controllers deployment-controller,replicaset-controller,endpointslice-controller,namespace-controller,garbage-collector-controller
start proxy kubectl proxy --port 8001
start translate node translate.mjs 8002 http://127.0.0.1:8001

find "$SOURCES/charts/gateway-helm/charts/crds/crds" -name '*.yaml' -exec kubectl create -f {} \; >/dev/null
kubectl create namespace envoy-gateway-system
"$PROGRAMS/envoy-gateway" certgen --disable-topology-injector
mkdir -p "$dir/certs" /certs
kubectl -n envoy-gateway-system get secret envoy-gateway -o go-template='{{range $k, $v := .data}}{{$k}} {{$v}}{{"\n"}}{{end}}' |
  while read -r file bytes; do echo "$bytes" | base64 -d >"$dir/certs/$file"; done
mount --bind "$dir/certs" /certs
node node.mjs http://127.0.0.1:8001 "$PROGRAMS/envoy" "$dir/pods" >"$dir/node.log" 2>&1 &
echo $! >"$dir/node.pid"
start envoy-gateway "$PROGRAMS/envoy-gateway" server --config-path envoy-gateway.yaml
kubectl apply -f classes.yaml
kubectl wait --for=condition=Accepted gatewayclass/merged gatewayclass/own --timeout=60s

cd ../..
node bin/conform.mjs run "$@" --impl "examples/envoy-gateway/$way.yaml"
