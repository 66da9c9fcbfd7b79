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
dir=$(mktemp -d)
started=
# Their state is thrown away, so nobody waits until they have tidied up. The node ends the Envoys that it started.
leave() {
  [ ! -f "$dir/node.pid" ] || kill "$(cat "$dir/node.pid")" 2>/dev/null || true
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill -KILL $started 2>/dev/null || true
  wait
  umount /certs 2>/dev/null && rmdir /certs
  rm -rf "$dir"
}
trap leave EXIT
trap 'exit 1' INT TERM
start() {
  name=$1
  shift
  "$@" >"$dir/$name.log" 2>&1 &
  started="$! $started"
}

ip link set lo up
ip link add pods type bridge
ip addr add 198.51.100.1/24 dev pods
ip link set pods up

openssl genrsa -out "$dir/accounts.pem" 2048 2>/dev/null
token=$(openssl rand -hex 16)
echo "$token,admin,1,\"system:masters\"" >"$dir/tokens.csv"
start etcd "$PROGRAMS/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync
start api-server "$PROGRAMS/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 --secure-port 6443 \
  --advertise-address 198.51.100.1 --endpoint-reconciler-type none --cert-dir "$dir/certificates" --service-account-issuer https://local \
  --service-account-key-file "$dir/accounts.pem" --service-account-signing-key-file "$dir/accounts.pem" \
  --service-cluster-ip-range 10.96.0.0/16 --token-auth-file "$dir/tokens.csv" --authorization-mode AlwaysAllow \
  --disable-admission-plugins ServiceAccount,TaintNodesByCondition
cat >"$dir/kubeconfig" <<K
apiVersion: v1
kind: Config
current-context: local
contexts: [{ name: local, context: { cluster: local, user: admin } }]
clusters: [{ name: local, cluster: { server: 'https://127.0.0.1:6443', certificate-authority: '$dir/certificates/apiserver.crt' } }]
users: [{ name: admin, user: { token: $token } }]
K
export KUBECONFIG="$dir/kubeconfig"
until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.2; done
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
