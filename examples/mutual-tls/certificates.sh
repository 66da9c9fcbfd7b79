#!/bin/sh
# Makes an authority, a certificate for the server and one for a client, for a day, and the resources that hold what the proxy needs of them.
# usage: certificates.sh FOLDER
set -eu
umask 077
cd "$1"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj '/CN=our authority' -keyout ca.key -out ca.crt 2>/dev/null
issue() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -addext "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -days 1 -copy_extensions copy -out "$1.crt" 2>/dev/null
}
issue server subjectAltName=DNS:localhost,IP:127.0.0.1
issue client extendedKeyUsage=clientAuth
indented() { sed 's/^/    /' "$1"; }
{
  printf 'apiVersion: v1\nkind: Secret\nmetadata: { name: server, namespace: default }\ntype: kubernetes.io/tls\nstringData:\n'
  printf '  tls.crt: |\n'; indented server.crt
  printf '  tls.key: |\n'; indented server.key
  printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: clients, namespace: default }\ndata:\n  ca.crt: |\n'; indented ca.crt
} > certificates.yaml
