#!/bin/sh
# Adapter between the conformance suite and {{name}}: one JSON object per line comes in, one goes out with the same seq.
# The protocol: docs/guide/adapter-protocol.md of proxy-conformance. Only answers may go to standard output. Messages are taken apart
# with sed, which is enough because the suite writes `seq` and `cmd` first and `resources` last.
program=
trap '[ -z "$program" ] || kill "$program" 2>/dev/null' EXIT # when the suite goes away, so does the implementation

field() { printf '%s' "${line%%\"resources\"*}" | sed -n "s/^.*\"$1\":\"\{0,1\}\([A-Za-z0-9_/.-]*\).*\$/\1/p"; }

start() { # on the ports of the message; it need not serve yet: the suite waits for its canary
  data=$(field data) admin=$(field admin) dir=$(field dir)
  {{commandShell}} </dev/null >&2 &
  program=$!
  reply='"ok":true'
}
apply() { # everything that shall exist from now on
  # TODO take .resources, write them in the language of the implementation, and make it read them; refuse by name what it cannot say.
  reply='"error":{"message":"this adapter does not hand over a configuration yet"}'
}

while IFS= read -r line; do
  case $(field cmd) in
  hello) reply='"protocol":1,"implementation":{"name":"{{name}}"}' ;;
  start) start ;;
  apply) apply ;;
  stop) reply='"ok":true' ;;
  *) reply='"unsupported":"nothing else is offered"' ;; # operations too: nobody can say yes to a question it does not know
  esac
  printf '{"seq":%s,%s}\n' "$(field seq)" "$reply"
done
